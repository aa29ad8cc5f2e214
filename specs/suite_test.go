package specs

import (
	"fmt"
	"os"
	"testing"

	. "github.com/onsi/ginkgo/v2"
	"github.com/onsi/ginkgo/v2/types"
	. "github.com/onsi/gomega"
)

// TestSpecs runs the contract on every store that has its file here.
func TestSpecs(t *testing.T) {
	RegisterFailHandler(Fail)
	RunSpecs(t, "The contract of a named lock")
}

// To a reader of go test the whole suite is one test. This line counts.
var _ = ReportAfterSuite("count", func(report Report) {
	var passed, failed, skipped int
	for _, spec := range report.SpecReports {
		switch {
		case spec.Failed():
			failed++
		case spec.LeafNodeType != types.NodeTypeIt:
		case spec.State.Is(types.SpecStatePassed):
			passed++
		default:
			skipped++
		}
	}
	fmt.Fprintf(os.Stdout, "\n%d passed, %d failed, %d skipped\n", passed, failed, skipped)
})
