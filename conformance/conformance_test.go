// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-doca/go-doca/emulator"
	"github.com/go-doca/go-doca/generated/abi"
)

func TestMain(m *testing.M) {
	if os.Getenv(withBadCases) != "" {
		badCases()
	}
	Child()
	if os.Getenv("DOCA_PROVIDER") == "" {
		os.Setenv("DOCA_PROVIDER", emulator.Name)
	}
	os.Exit(m.Run())
}

// testEnvironment is that of cases that run in this process.
func testEnvironment(t *testing.T, timeout time.Duration) *environment {
	t.Helper()
	info, err := abi.Active()
	require.NoError(t, err)
	return Options{Timeout: timeout}.environment(info.Version)
}

// checkPassed checks that a result on the emulator has passed: only what the emulator in Go programs lacks is skipped.
func checkPassed(t *testing.T, r Result) {
	t.Helper()
	if r.Status == Skipped {
		assert.Contains(t, []string{"argp", "compress", "erasurecoding"}, r.Library, "%s: %s", r.Name, r.Reason)
		return
	}
	assert.Equal(t, Passed, r.Status, "%s: %s: expected %s, got %s (%s)", r.Name, r.Asked, r.Expected, r.Got, r.Reason)
	assert.Positive(t, r.Questions, r.Name)
}

// On the emulator every case passes, both sides in one process.
func TestOneProcess(t *testing.T) {
	env := testEnvironment(t, 40*time.Second)
	for i, c := range Cases() {
		t.Run(c.Name, func(t *testing.T) { checkPassed(t, env.askHere(c, i)) })
	}
}

// Each case also passes in a process of its own for each side.
func TestTwoProcesses(t *testing.T) {
	t.Parallel()
	report, err := Run(t.Context(), Options{Isolate: true, Timeout: 40 * time.Second})
	require.NoError(t, err)
	require.Len(t, report.Results, len(Cases()))
	for _, r := range report.Results {
		t.Run(r.Name, func(t *testing.T) { checkPassed(t, r) })
	}
	assert.False(t, report.Failed())
	assert.Equal(t, "emulator", report.Provider)
	assert.Contains(t, report.Device, "0000:03:00.0 mlx5_0")
}

func TestOneProcessReport(t *testing.T) {
	var logged []string
	report, err := Run(t.Context(), Options{Match: regexp.MustCompile("^pool/"), Log: func(r Result) { logged = append(logged, r.Name) }})
	require.NoError(t, err)
	require.NotEmpty(t, report.Results)
	for i, r := range report.Results {
		assert.Equal(t, logged[i], r.Name)
		checkPassed(t, r)
	}
}

// What all cases have in common.
func TestCasesAreWellFormed(t *testing.T) {
	t.Parallel()
	seen, form := map[string]bool{}, regexp.MustCompile(`^[a-z-]+/[a-z0-9_.-]+$`)
	libraries := []string{"argp", "comch", "common", "compress", "dma", "dpa", "erasurecoding", "rdma", "syncevent"}
	all := Cases()
	assert.Greater(t, len(all), 400)
	for _, c := range all {
		assert.False(t, seen[c.Name], "%s: twice", c.Name)
		seen[c.Name] = true
		assert.Regexp(t, form, c.Name)
		assert.Contains(t, libraries, c.Library, c.Name)
		assert.True(t, strings.HasSuffix(c.Rule, "."), "%s: the rule is a sentence: %s", c.Name, c.Rule)
		assert.NotEmpty(t, c.Source, c.Name)
		assert.NotNil(t, c.Run, c.Name)
		assert.Equal(t, c.Peer != nil, len(c.PeerNeeds) > 0, "%s: needs of the peer", c.Name)
		for _, d := range c.Differences {
			assert.Regexp(t, `^\d+\.\d+(\.\.(\d+\.\d+)?)?$`, d.Releases, c.Name)
		}
	}
}

func TestDifferenceCovers(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		releases, version string
		want              bool
	}{
		{"2.5", "2.5.0108", true}, {"2.5", "2.6.0", false}, {"2.5", "3.5.0", false}, {"2.5..2.9", "2.9.4", true}, {"2.5..2.9", "2.10.0087", false},
		{"3.2..", "3.2.0", true}, {"3.2..", "4.0.1", true}, {"3.2..", "3.1.9", false}, {"2.5", "", false},
	} {
		assert.Equal(t, tt.want, Difference{Releases: tt.releases}.covers(tt.version), "%s of %s", tt.version, tt.releases)
	}
}
