// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"bufio"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-doca/go-doca/conformance/internal/liar"
	"github.com/go-doca/go-doca/generated/abi"
	"github.com/go-doca/go-doca/internal/selfexec"
)

// runOnLiar runs a test of this binary on the liar, as another process.
func runOnLiar(t *testing.T, test string, env ...string) {
	t.Helper()
	cmd := selfexec.Command(t, "-test.run=^"+test+"$", "-test.v")
	cmd.Env = append(append(os.Environ(), "DOCA_PROVIDER="+liar.Name, "DOCA_EMU_CHECK_OVERLAPS="), env...)
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, string(out))
	require.Contains(t, string(out), "--- PASS: "+test)
	for line := range strings.Lines(string(out)) {
		if strings.Contains(line, "lies_test.go") {
			t.Log(strings.TrimSpace(line))
		}
	}
}

func onLiar() bool { return os.Getenv("DOCA_PROVIDER") == liar.Name }

// prototype is what the lies need to know of a C function.
type prototype struct {
	isCode   bool  // it returns doca_error_t
	isNumber bool  // it returns a number
	outs     []int // the arguments, from 1, that it may write a value to
}

var (
	outParameter = regexp.MustCompile(`^(u?int\d+_t|size_t|char|enum \w+|union doca_data|doca_\w+_t)\s*\*\s*\w+$`)
	numberResult = regexp.MustCompile(`^(u?int\d+_t|size_t|bool|union doca_data|enum \w+|const char \*)$`)
	prototypeOf  = regexp.MustCompile(`^(.*?)\b(doca_\w+)\((.*)\)$`)
)

// prototypes reads the list of the API.
func prototypes(t *testing.T) map[string]prototype {
	t.Helper()
	f, err := os.Open("../generated/api/3.0.txt")
	require.NoError(t, err)
	defer f.Close()
	list := map[string]prototype{}
	for scan := bufio.NewScanner(f); scan.Scan(); {
		fields := strings.Split(scan.Text(), " | ")
		if len(fields) < 6 || fields[2] != "function" {
			continue
		}
		m := prototypeOf.FindStringSubmatch(fields[5])
		if m == nil {
			continue
		}
		p := prototype{isCode: strings.TrimSpace(m[1]) == "doca_error_t", isNumber: numberResult.MatchString(strings.TrimSpace(m[1]))}
		for i, param := range strings.Split(m[3], ", ") {
			if outParameter.MatchString(strings.TrimSpace(param)) && !strings.Contains(param, "_cb_t") {
				p.outs = append(p.outs, i+1)
			}
		}
		list[m[2]] = p
	}
	require.Greater(t, len(list), 700)
	return list
}

// named are the functions that a question names.
var named = regexp.MustCompile(`doca_\w+`)

// lies are those that may change the answer to a question of a case that makes these calls: of the functions that the
// question names first, then of all others.
func lies(asked string, calls map[string]int, of map[string]prototype) []liar.Lie {
	var list []liar.Lie
	names := named.FindAllString(asked, -1)
	rest := slices.DeleteFunc(slices.Sorted(maps.Keys(calls)), func(f string) bool { return slices.Contains(names, f) })
	for _, f := range append(names, rest...) {
		p := of[f]
		for n := 1; n <= min(calls[f], 40); n++ {
			for _, arg := range p.outs {
				list = append(list, liar.Lie{Function: f, Nth: n, Out: arg})
			}
			switch {
			case p.isCode:
				list = append(list, liar.Lie{Function: f, Nth: n, Code: int32(abi.ErrorUnexpected), Any: true})
			case p.isNumber && n <= 3:
				list = append(list, liar.Lie{Function: f, Nth: n, Result: true})
			}
		}
	}
	return list
}

// Each case can fail: there is a lie of DOCA's that it finds.
func TestEveryCaseCanFail(t *testing.T) {
	if !onLiar() {
		t.Parallel()
		runOnLiar(t, t.Name())
		return
	}
	patient, env, of := testEnvironment(t, 40*time.Second), testEnvironment(t, 3*time.Second), prototypes(t)
	cases := Cases()
	// A case that ends early may leave its device open. These look whether it is closed, so they come first.
	slices.SortStableFunc(cases, func(a, b Case) int {
		return strings.Count(b.Name, "device-in-use") - strings.Count(a.Name, "device-in-use")
	})
	for i, c := range cases {
		liar.Reset()
		honest := patient.askHere(c, i)
		if honest.Status == Skipped {
			continue
		}
		if !assert.Equal(t, Passed, honest.Status, "%s: %s", c.Name, honest.Got) {
			continue
		}
		calls := liar.Calls()
		found := false
		for _, lie := range lies(honest.Asked, calls, of) {
			liar.Reset()
			liar.Tell(lie)
			if env.askHere(c, i).Status == Differs {
				found = true
				break
			}
		}
		assert.True(t, found, "%s: no lie is found", c.Name)
	}
	liar.Reset()
}

// Where every answer is a wrong code, no case passes.
func TestWrongCodes(t *testing.T) {
	if !onLiar() {
		t.Parallel()
		runOnLiar(t, t.Name())
		return
	}
	env := testEnvironment(t, 2*time.Second)
	for i, c := range Cases() {
		if strings.HasSuffix(c.Name, "/null") {
			env.askHere(c, i) // loads the functions of its library
		}
	}
	var wrong []string
	for name, p := range prototypes(t) {
		if p.isCode && !strings.Contains(name, "_cap_") && !strings.HasSuffix(name, "_list") { // else all is skipped
			liar.Tell(liar.Lie{Function: name, Code: int32(abi.ErrorUnsupportedVersion), Any: true})
			wrong = append(wrong, name)
		}
	}
	total := func() (n int) {
		calls := liar.Calls()
		for _, name := range wrong {
			n += calls[name]
		}
		return n
	}
	asked := 0
	for i, c := range Cases() {
		before := total()
		r := env.askHere(c, i)
		if r.Status != Skipped && total() > before {
			asked++
			assert.Equal(t, Differs, r.Status, c.Name)
		}
	}
	assert.Greater(t, asked, 350)
	t.Logf("%d cases got wrong codes", asked)
}

// What a release is known to answer is no failure.
func TestKnownDifference(t *testing.T) {
	if !onLiar() {
		t.Parallel()
		runOnLiar(t, t.Name(), liar.VersionVariable+"=3.2.1", "DOCA_EMU_REFUSE_RELAXED=1")
		return
	}
	report, err := Run(t.Context(), Options{Match: regexp.MustCompile("^mmap/permissions-(relaxed|unknown)$")})
	require.NoError(t, err)
	require.Len(t, report.Results, 2)
	assert.Equal(t, "3.2.1", report.Version)
	assert.Equal(t, Known, report.Results[0].Status)
	assert.Equal(t, "DOCA_ERROR_INVALID_VALUE", report.Results[0].Got)
	assert.Contains(t, report.Results[0].Reason, "known of DOCA 3.2..")
	assert.Equal(t, Passed, report.Results[1].Status)
	assert.False(t, report.Failed())
}

// The same answer of another release differs.
func TestUnknownDifference(t *testing.T) {
	if !onLiar() {
		t.Parallel()
		runOnLiar(t, t.Name(), liar.VersionVariable+"=3.1.0", "DOCA_EMU_REFUSE_RELAXED=1")
		return
	}
	report, err := Run(t.Context(), Options{Match: regexp.MustCompile("^mmap/permissions-relaxed$")})
	require.NoError(t, err)
	assert.Equal(t, Differs, report.Results[0].Status)
	assert.True(t, report.Failed())
}
