// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"encoding/xml"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/net/html"
)

// sampleReport has a result of each status.
func sampleReport() *Report {
	r := &Report{
		Provider: "sdk", Version: "3.0.0058", Path: "/opt/lib/libdoca_common.so.2", Bindings: "3.0.0058", Machine: "linux/arm64", Device: "0000:03:00.0 mlx5_0",
		Peer: "sdk 3.0.0058", Started: time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC), Duration: Duration(1500 * time.Millisecond),
	}
	for i, s := range Statuses() {
		result := Result{Name: "subject/" + string(s), Library: "common", Rule: "It <holds> & more.", Source: Observed, Status: s, Questions: i + 1, Duration: Duration(time.Millisecond)}
		switch s {
		case Differs, Known:
			result.Asked, result.Expected, result.Got = "doca_x with <NULL>", "DOCA_SUCCESS", "DOCA_ERROR_AGAIN"
		case Skipped:
			result.Reason = "needs a device"
		case Crashed:
			result.Reason = "SIGSEGV: segmentation violation"
		}
		r.Results = append(r.Results, result)
	}
	r.Results = append(r.Results, Result{Name: "other/passed", Library: "dma", Rule: "It holds.", Source: Measured, Status: Passed, Questions: 1})
	return r
}

func TestText(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	require.NoError(t, sampleReport().WriteText(&b))
	assert.Equal(t, `DOCA:     sdk 3.0.0058 (/opt/lib/libdoca_common.so.2), asked by bindings of 3.0.0058 on linux/arm64
devices:  0000:03:00.0 mlx5_0
peer:     sdk 3.0.0058

crashed: subject/crashed
  rule:     It <holds> & more. (observed on released libraries)
  reason:   SIGSEGV: segmentation violation

timeout: subject/timeout
  rule:     It <holds> & more. (observed on released libraries)

differs: subject/differs
  rule:     It <holds> & more. (observed on released libraries)
  asked:    doca_x with <NULL>
  expected: DOCA_SUCCESS
  got:      DOCA_ERROR_AGAIN

known: subject/known
  rule:     It <holds> & more. (observed on released libraries)
  asked:    doca_x with <NULL>
  expected: DOCA_SUCCESS
  got:      DOCA_ERROR_AGAIN

skipped:
    1  needs a device

  library  cases  passed  skipped  known  differs  timeout  crashed
   common      6       1        1      1        1        1        1
      dma      1       1        0      0        0        0        0

7 cases in 1.5 s: 2 passed, 1 skipped, 1 known, 1 differs, 1 timeout, 1 crashed
`, b.String())
}

func TestJUnit(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	require.NoError(t, sampleReport().WriteJUnit(&b))
	var all junitSuites
	require.NoError(t, xml.Unmarshal([]byte(b.String()), &all))
	assert.Equal(t, []int{7, 1, 2, 1}, []int{all.Tests, all.Failures, all.Errors, all.Skipped})
	require.Len(t, all.Suites, 2)
	cases := map[string]junitCase{}
	for _, c := range all.Suites[0].Cases {
		cases[c.Name] = c
	}
	assert.Equal(t, "doca_x with <NULL>: expected DOCA_SUCCESS, got DOCA_ERROR_AGAIN", cases["subject/differs"].Failure.Message)
	assert.Equal(t, "SIGSEGV: segmentation violation", cases["subject/crashed"].Error.Message)
	assert.NotNil(t, cases["subject/timeout"].Error)
	assert.Equal(t, "needs a device", cases["subject/skipped"].Skipped.Message)
	known := cases["subject/known"]
	assert.Nil(t, known.Failure)
	assert.Contains(t, known.Out, "DOCA_ERROR_AGAIN")
	assert.Nil(t, cases["subject/passed"].Failure)
	assert.Equal(t, "doca.common", cases["subject/passed"].Class)
}

// The page is one file, whose parts the script finds, and no text of a result is markup.
func TestHTML(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	require.NoError(t, sampleReport().WriteHTML(&b))
	page := b.String()
	root, err := html.Parse(strings.NewReader(page))
	require.NoError(t, err)
	articles, boxes := map[string]string{}, 0
	for n := range root.Descendants() {
		attr := map[string]string{}
		for _, a := range n.Attr {
			attr[a.Key] = a.Val
		}
		switch n.Data {
		case "article":
			articles[attr["data-status"]] += attr["data-library"] + " "
		case "input":
			if attr["type"] == "checkbox" {
				boxes++
			}
		}
		assert.Empty(t, attr["src"], "%s loads something", n.Data)
		assert.Empty(t, attr["href"], "%s loads something", n.Data)
	}
	assert.Equal(t, map[string]string{"crashed": "common ", "timeout": "common ", "differs": "common ", "known": "common ", "skipped": "common ", "passed": "common dma "}, articles)
	assert.Equal(t, 6, boxes)
	assert.Contains(t, page, "doca_x with &lt;NULL&gt;")
	assert.Contains(t, page, "prefers-color-scheme: dark")
	assert.Contains(t, page, `name="viewport"`)
	for _, s := range Statuses() {
		assert.Contains(t, page, "--"+string(s)+":", "a colour")
	}
	assert.Less(t, strings.Index(page, "subject/crashed"), strings.Index(page, "subject/passed"))
}
