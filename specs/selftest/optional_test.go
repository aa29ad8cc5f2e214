package selftest

import (
	"context"
	"slices"

	"github.com/alkstore/namedlock/domain"
	"github.com/alkstore/namedlock/ports"
)

// The optional ports of a handle.

func (h *handle) RenewBatch(ctx context.Context, renewals []ports.Renewal) ([]ports.Renewed, error) {
	if err := h.begin(ctx); err != nil {
		return nil, err
	}
	defer h.mu.Unlock()
	now := h.now()
	answers := make([]ports.Renewed, len(renewals))
	for i, renewal := range renewals {
		key := h.key(renewal.Grant.Name)
		answers[i].Verdict = h.renew(h.rows[key], renewal.Grant, renewal.TTL, now)
		if answers[i].Verdict.Granted && h.saves(i) {
			h.rows[key] = answers[i].Verdict.Lock
		}
	}
	return h.batch(answers), nil
}

func (h *handle) Watch(name domain.Name) (<-chan struct{}, func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	bell, key := make(chan struct{}, 1), h.key(name)
	h.bells[key] = append(h.bells[key], bell)
	h.ring("watch", name)
	return bell, func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		h.bells[key] = slices.DeleteFunc(h.bells[key], func(other chan struct{}) bool { return other == bell })
	}
}

// ring tells those who watch a name.
func (h *handle) ring(by string, name domain.Name) {
	if !h.wakes(by) {
		return
	}
	for _, bell := range h.hears(h.bells[h.key(name)]) {
		select {
		case bell <- struct{}{}:
		default:
		}
	}
}
