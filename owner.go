package namedlock

import (
	"crypto/rand"
	"fmt"
	"os"
	"strings"
)

// longestHost leaves room in an owner's 255 bytes for the process id and the random part.
const longestHost = 200

// NewOwner returns an owner that nobody else has: the host's name and the process id, for the person who looks, and 130
// random bits, because two containers may have both in common. Draw one for each process, or for each task that must
// exclude the others of its process: whoever gives the same owner shares its locks (L5).
func NewOwner() string {
	return fmt.Sprintf("%s-%d-%s", hostname(), os.Getpid(), rand.Text())
}

// hostname returns the host's name, cut to what an owner can keep.
func hostname() string {
	host, err := os.Hostname()
	if err != nil || strings.TrimSpace(host) == "" {
		return "unknown"
	}
	host = strings.ToValidUTF8(strings.ReplaceAll(host, "\x00", ""), "")
	if len(host) > longestHost {
		host = strings.ToValidUTF8(host[:longestHost], "")
	}
	return host
}
