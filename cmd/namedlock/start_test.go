//go:build unix

package main

import (
	"os"
	"os/exec"
	"testing"
)

// BenchmarkStart measures from the start of a program to its end, run directly and under a lock.
func BenchmarkStart(b *testing.B) {
	store := "sqlite:" + b.TempDir() + "/locks.db"
	for title, args := range map[string][]string{
		"directly":    {"/bin/true"},
		"on sqlite":   {built, "run", "bench", "--store", store, "--", "/bin/true"},
		"on postgres": {built, "run", "bench", "--store", os.Getenv("PGURL"), "--", "/bin/true"},
	} {
		b.Run(title, func(b *testing.B) {
			for b.Loop() {
				if output, err := exec.Command(args[0], args[1:]...).CombinedOutput(); err != nil {
					b.Fatalf("%v: %s", err, output)
				}
			}
		})
	}
}
