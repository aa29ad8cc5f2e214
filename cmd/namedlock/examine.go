package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/alkstore/namedlock"
	"github.com/alkstore/namedlock/adapters/postgres"
	"github.com/alkstore/namedlock/adapters/sqlite"
	"github.com/alkstore/namedlock/cmd/namedlock/internal/filesystem"
)

// farApart is from where on the clocks of two machines are called different.
const farApart = time.Second

// examine looks at a store.
func examine(ctx context.Context, s store) []check {
	if s.path != "" {
		return examineFile(ctx, s)
	}
	return examineServer(ctx, s)
}

// examineFile looks at a SQLite file.
func examineFile(ctx context.Context, s store) []check {
	checks := []check{checkFileSystem(filepath.Dir(s.path))}
	if _, err := os.Stat(s.path); err != nil {
		return append(checks, check{"file", failed, err.Error(), `the first "run" or "acquire" makes it, and so does "migrate"`})
	}
	found, err := sqlite.Inspect(ctx, s.path)
	if err != nil {
		return append(checks, check{"file", failed, err.Error(), "give the path of a SQLite file that this user can read and write"})
	}
	checks = append(checks, check{"file", ok, "SQLite " + found.Version, ""},
		check{"clock", ok, "the one of this machine, for all who use the file", ""},
		checkJournal(found.JournalMode), checkSchema(found.Applied, found.Known))
	return append(checks, checkLocks(ctx, s, found.Applied == found.Known)...)
}

// checkFileSystem tells whether locks of SQLite can be believed in a folder.
func checkFileSystem(folder string) check {
	name, kind := filesystem.Of(folder)
	switch kind {
	case filesystem.Network:
		return check{"file system", failed, name + ", which is a network file system", "SQLite cannot keep two machines apart there: use a local file, or Postgres"}
	case filesystem.Unknown:
		return check{"file system", warning, name, "make sure that it is on this machine: SQLite cannot keep two machines apart over a network"}
	}
	return check{"file system", ok, name, ""}
}

// checkJournal tells what the journal mode means.
func checkJournal(mode string) check {
	if mode == "wal" {
		return check{"journal", ok, "write-ahead", ""}
	}
	return check{"journal", warning, mode, "the next command that takes a lock sets it to write-ahead; without that, readers and writers wait for each other"}
}

// examineServer looks at a Postgres database.
func examineServer(ctx context.Context, s store) []check {
	found, err := postgres.Inspect(ctx, s.url, postgres.Config{})
	if err != nil {
		return []check{{"connection", failed, err.Error(), "give postgres://USER@HOST:PORT/DATABASE, and the password in PGPASSWORD or ~/.pgpass"}}
	}
	checks := []check{
		checkServer(found), checkClock(found.Ahead, found.Uncertainty), checkPooler(found.Pooler), checkSchema(found.Applied, found.Known),
	}
	return append(checks, checkLocks(ctx, s, found.Applied == found.Known)...)
}

// checkServer tells whether the database can keep locks at all.
func checkServer(found postgres.Inspection) check {
	about := fmt.Sprintf("PostgreSQL %s, encoded in %s", found.Version, found.Encoding)
	switch {
	case found.Encoding != "UTF8":
		return check{"connection", failed, about, "names need a database that is encoded in UTF8"}
	case found.ReadOnly:
		return check{"connection", failed, about + ", read-only", "connect to the primary, with a role that is not read-only by default"}
	}
	return check{"connection", ok, about, ""}
}

// checkClock tells how far this host's clock is from the server's, which is the one that judges.
func checkClock(ahead, uncertainty time.Duration) check {
	relation := "behind"
	if ahead < 0 {
		relation = "ahead of"
	}
	found := fmt.Sprintf("this host is %v %s the server, give or take %v", ahead.Abs().Round(time.Millisecond/10), relation, uncertainty.Round(time.Millisecond/10))
	if ahead.Abs()-uncertainty > farApart {
		return check{"clock", warning, found, "locks are not harmed, since the server's clock judges; deadlines look shifted on this host: let it ask a time server"}
	}
	return check{"clock", ok, found, ""}
}

// checkPooler tells whether releases can be heard.
func checkPooler(pooler bool) check {
	if pooler {
		return check{"pooler", warning, "another session answers than the one that was opened", "who waits asks about ten times a second; to be woken by a release, connect past the pooler"}
	}
	return check{"pooler", ok, "none: releases are heard", ""}
}

// checkSchema tells whether the tables are those of this release.
func checkSchema(applied, known int64) check {
	switch {
	case applied == 0:
		return check{"tables", failed, "there are none", `run "namedlock migrate" as a role that may make them`}
	case applied < known:
		return check{"tables", failed, fmt.Sprintf("version %d, and this release needs %d", applied, known), `run "namedlock migrate" as a role that may change them`}
	case applied > known:
		return check{"tables", failed, fmt.Sprintf("version %d, and this release knows %d", applied, known), "a newer release made them: use that one"}
	}
	return check{"tables", ok, fmt.Sprintf("version %d", applied), ""}
}

// checkLocks tries a lock, where there are tables for it.
func checkLocks(ctx context.Context, s store, ready bool) []check {
	if !ready {
		return nil
	}
	began := time.Now()
	if err := tryOut(ctx, s); err != nil {
		return []check{{"locks", failed, err.Error(), "the role needs SELECT, INSERT, UPDATE and DELETE on the locks, and a SQLite file and its folder must be writable"}}
	}
	return []check{{"locks", ok, fmt.Sprintf("taken, found and released in %v", time.Since(began).Round(time.Millisecond/10)), ""}}
}

// tryOut takes a lock that nobody else has, finds it and releases it.
func tryOut(ctx context.Context, s store) error {
	locker, closeStore, err := s.open(ctx, nil)
	if err != nil {
		return err
	}
	defer closeStore()
	owner := namedlock.NewOwner()
	lock, _, err := locker.TryLock(ctx, "doctor/"+owner, owner, time.Minute)
	if err != nil {
		return err
	}
	_, _, err = locker.Find(ctx, lock.Name())
	if _, trouble := lock.Release(ctx); err == nil {
		err = trouble
	}
	return err
}
