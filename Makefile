SHELL := bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help

.PHONY: help test specs verify generate lint fmt tidy

help: ## list the targets
	@sed -n 's/^\([a-z]*\):.*## /\1 /p' Makefile | while read -r target text; do printf '%-10s %s\n' "$$target" "$$text"; done

test: ## run all tests, with a PostgreSQL server started for them or the one in PGURL
	@scripts/with-postgres scripts/test

specs: ## print the contract as sentences, each checked on every store
	@scripts/with-postgres scripts/specs

verify: ## check that generated code is fresh, modules tidy and all builds compile; changes nothing
	@scripts/verify

generate: ## write anew what is generated: queries by sqlc, injectors by Wire, manual pages
	scripts/generate

lint: ## check the linters' configuration, then the code
	scripts/tool golangci-lint config verify
	scripts/tool golangci-lint run ./...

fmt: ## format the code and group its imports
	scripts/tool golangci-lint fmt

tidy: ## tidy every go.mod
	@find . -name go.mod | sort | while read -r file; do (cd "$$(dirname "$$file")" && go mod tidy); done
