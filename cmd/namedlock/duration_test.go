package main

import (
	"strings"
	"testing"
	"time"
)

func TestADurationNeedsAUnit(t *testing.T) {
	for text, want := range map[string]struct {
		d     time.Duration
		words string
	}{
		"500ms":   {500 * time.Millisecond, ""},
		"1h30m":   {90 * time.Minute, ""},
		"5":       {0, "5s for seconds or 5m for minutes"},
		"1.5":     {0, "1.5s for seconds"},
		"0":       {0, "longer than 0"},
		"0s":      {0, "longer than 0"},
		"-5":      {0, "needs a unit"},
		"-5s":     {0, "negative"},
		"5d":      {0, "30s, 5m or 2h"},
		"":        {0, "30s, 5m or 2h"},
		"forever": {0, "30s, 5m or 2h"},
		"99999h":  {99999 * time.Hour, ""},
	} {
		var d time.Duration
		err := duration{d: &d}.Set(text)
		if d != want.d || (err == nil) != (want.words == "") || err != nil && !strings.Contains(err.Error(), want.words) {
			t.Errorf("%q is %v, %v", text, d, err)
		}
	}
}

func TestAWaitMayBeNothingOrForever(t *testing.T) {
	wait := time.Hour
	flag := duration{d: &wait, zero: true, words: map[string]time.Duration{"forever": forEver}}
	if err := flag.Set("0"); err != nil || wait != 0 {
		t.Error(wait, err)
	}
	if err := flag.Set("forever"); err != nil || wait != forEver {
		t.Error(wait, err)
	}
	if err := flag.Set("-1s"); err == nil {
		t.Error("a negative wait is taken")
	}
}
