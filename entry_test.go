package namedlock

import (
	"testing"
	"time"
)

func TestL3AnEntryLapsesAtItsDeadline(t *testing.T) {
	deadline := time.Date(2024, 1, 1, 0, 0, 30, 0, time.UTC)
	tests := map[string]struct {
		seen      time.Time
		lapsed    bool
		remaining time.Duration
	}{
		"one microsecond before": {deadline.Add(-time.Microsecond), false, time.Microsecond},
		"at the deadline":        {deadline, true, 0},
		"one microsecond after":  {deadline.Add(time.Microsecond), true, 0},
		"long before":            {deadline.Add(-30 * time.Second), false, 30 * time.Second},
		"long after":             {deadline.Add(time.Hour), true, 0},
	}
	for title, test := range tests {
		t.Run(title, func(t *testing.T) {
			entry := Entry{Deadline: deadline, SeenAt: test.seen}
			if entry.Lapsed() != test.lapsed || entry.Remaining() != test.remaining {
				t.Errorf("lapsed is %v with %v remaining, want %v with %v", entry.Lapsed(), entry.Remaining(), test.lapsed, test.remaining)
			}
		})
	}
}
