package main

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The same headers give the same bytes, on one core and on two. It must run alone, for it sets the number of cores.
func TestOutputDoesNotDependOnTheCores(t *testing.T) {
	sdk := t.TempDir()
	largeSDK(t, sdk)
	var trees []map[string]string
	for _, cores := range []int{1, 2, 2} {
		out := t.TempDir()
		before := runtime.GOMAXPROCS(cores)
		status, _, errOut := gen("generate", "-base", "none", "-libs", all, "-sdk", sdk, "-out", out, "-pkg", "example.com/large")
		runtime.GOMAXPROCS(before)
		require.Zero(t, status, errOut)
		trees = append(trees, tree(t, out))
	}
	for _, have := range trees[1:] {
		assert.Len(t, have, len(trees[0]))
		for name, text := range trees[0] {
			assert.True(t, text == have[name], "%s differs between runs", name)
		}
	}
}

// sdks are those that are measured.
func sdks(b *testing.B) map[string]string {
	b.Helper()
	large := b.TempDir()
	largeSDK(b, large)
	return map[string]string{"own": reference, "large": large}
}

// cpu reports the time that op takes on all cores together, its children included: other programs disturb it less than the time
// on the clock.
func cpu(b *testing.B, op func()) {
	b.Helper()
	used := func() (d time.Duration) {
		for _, who := range []int{syscall.RUSAGE_SELF, syscall.RUSAGE_CHILDREN} {
			var u syscall.Rusage
			require.NoError(b, syscall.Getrusage(who, &u))
			d += time.Duration(u.Utime.Nano() + u.Stime.Nano())
		}
		return d
	}
	defer debug.SetGCPercent(debug.SetGCPercent(gcPercent))
	before := used()
	for b.Loop() {
		op()
	}
	b.ReportMetric((used()-before).Seconds()/float64(b.N), "cpu-s/op")
}

func BenchmarkGenerate(b *testing.B) {
	for name, sdk := range sdks(b) {
		b.Run(name, func(b *testing.B) {
			dir := b.TempDir()
			cpu(b, func() {
				out := filepath.Join(dir, "out")
				require.NoError(b, os.RemoveAll(out))
				status, _, errOut := gen("generate", "-base", "none", "-libs", all, "-sdk", sdk, "-out", out, "-pkg", "example.com/large")
				require.Zero(b, status, errOut)
			})
		})
	}
}

func BenchmarkDiff(b *testing.B) {
	large := sdks(b)["large"]
	for name, old := range map[string]string{"ledger": "../generated/api/2.5.txt", "headers": reference} {
		b.Run(name, func(b *testing.B) {
			cpu(b, func() {
				status := run([]string{"diff", "-format", "json", old, large}, io.Discard, os.Stderr)
				require.NotEqual(b, diffFailed, status)
			})
		})
	}
}

// BenchmarkBuild builds what was generated, with a cache that has the standard library and nothing else.
func BenchmarkBuild(b *testing.B) {
	for name, sdk := range sdks(b) {
		b.Run(name, func(b *testing.B) {
			dir := b.TempDir()
			out, cache := filepath.Join(dir, "large"), filepath.Join(dir, "std")
			status, _, errOut := gen("generate", "-base", "none", "-libs", all, "-sdk", sdk, "-out", out)
			require.Zero(b, status, errOut)
			build := func(cache string, args ...string) string {
				cmd := exec.Command("go", args...)
				cmd.Dir, cmd.Env = out, append(os.Environ(), "GOCACHE="+cache, "GOFLAGS=", "GOWORK=off")
				text, err := cmd.CombinedOutput()
				require.NoError(b, err, "%s", text)
				return string(text)
			}
			var std []string
			for _, p := range strings.Fields(build(cache, "list", "-deps", "./...")) {
				if p != "large" && !strings.HasPrefix(p, "large/") {
					std = append(std, p)
				}
			}
			build(cache, append([]string{"build"}, std...)...)
			fresh := filepath.Join(dir, "fresh")
			cpu(b, func() {
				b.StopTimer()
				require.NoError(b, os.RemoveAll(fresh))
				require.NoError(b, os.CopyFS(fresh, os.DirFS(cache)))
				b.StartTimer()
				build(fresh, "build", "./...")
			})
		})
	}
}
