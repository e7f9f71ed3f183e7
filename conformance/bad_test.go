// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"context"
	"os"
	"regexp"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-doca/go-doca/generated/common"
	"github.com/go-doca/go-doca/internal/selfexec"
)

// withBadCases is set in processes that have cases which crash and hang.
const withBadCases = "CONFORMANCE_BAD_CASES"

// badCases adds cases as a broken DOCA would make them end.
func badCases() {
	good := func(t *T) {
		t.code("doca_mmap_start without a memory range", common.MmapStart(t.ring, t.mmap()), badState)
	}
	crash := func(t *T) {
		gone, err := syscall.Mmap(-1, 0, 4096, syscall.PROT_READ, syscall.MAP_ANON|syscall.MAP_PRIVATE)
		t.must("mmap", err)
		t.must("munmap", syscall.Munmap(gone))
		_, _ = common.MmapCreateFromExport(0, gone, t.dev(NeedDevice))
	}
	hang := func(*T) { time.Sleep(time.Hour) }
	hear := func(t *T) { t.hear("a word") }
	peer := needs(NeedDevice)
	moreCases = []Case{
		{Name: "bad/1-good", Run: good},
		{Name: "bad/2-crash", Run: crash},
		{Name: "bad/3-good", Run: good},
		{Name: "bad/4-hang", Run: hang},
		{Name: "bad/5-good", Run: good},
		{Name: "bad/6-exit", Run: func(*T) { os.Exit(0) }},
		{Name: "bad/7-pair-crash", Run: crash, Peer: hear, PeerNeeds: peer},
		{Name: "bad/8-pair-good", Run: good, Peer: good, PeerNeeds: peer},
		{Name: "bad/9-peer-crash", Run: hear, Peer: crash, PeerNeeds: peer},
		{Name: "bad/a-peer-hang", Run: hear, Peer: hang, PeerNeeds: peer},
		{Name: "bad/b-pair-good", Run: good, Peer: good, PeerNeeds: peer},
	}
	for i := range moreCases {
		moreCases[i].Library, moreCases[i].Rule, moreCases[i].Source = "bad", "It holds.", Observed
	}
}

// A crash and a hang are results of their cases, on each side, and the others go on.
func TestIsolation(t *testing.T) {
	if os.Getenv(withBadCases) == "" {
		t.Parallel()
		cmd := selfexec.Command(t, "-test.run=^TestIsolation$", "-test.v")
		cmd.Env = append(os.Environ(), withBadCases+"=1")
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, string(out))
		return
	}
	report, err := Run(t.Context(), Options{Match: regexp.MustCompile("^bad/"), Isolate: true, Timeout: 6 * time.Second})
	require.NoError(t, err)
	var statuses []string
	for _, r := range report.Results {
		statuses = append(statuses, r.Name+" "+string(r.Status))
	}
	require.Equal(t, []string{
		"bad/1-good passed", "bad/2-crash crashed", "bad/3-good passed", "bad/4-hang timeout", "bad/5-good passed", "bad/6-exit crashed",
		"bad/7-pair-crash crashed", "bad/8-pair-good passed", "bad/9-peer-crash crashed", "bad/a-peer-hang timeout", "bad/b-pair-good passed",
	}, statuses)
	assert.Contains(t, report.Results[1].Reason, "SIGSEGV: segmentation violation")
	assert.Contains(t, report.Results[3].Reason, "within 6s")
	assert.Contains(t, report.Results[5].Reason, "exit status 0")
	assert.Contains(t, report.Results[8].Reason, "host: SIGSEGV")
	assert.True(t, report.Failed())
}

// A run that is interrupted has the results so far.
func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	for _, isolate := range []bool{false, true} {
		n := 0
		report, err := Run(ctx, Options{Isolate: isolate, Log: func(Result) {
			if n++; n == 3 {
				cancel()
			}
		}})
		require.Equal(t, context.Canceled, err)
		assert.Less(t, len(report.Results), len(Cases()))
		ctx, cancel = context.WithCancel(t.Context())
	}
	cancel()
}
