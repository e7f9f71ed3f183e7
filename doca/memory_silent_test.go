package doca_test

import (
	"context"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/internal/selfexec"
)

// A copy that fails says so when its ctx ends, although the device has also imported memory of a process that is stopped, which
// does not say what has become of it. It says of the others what it knows. Nor does anything else wait for that process.
func TestFailureBesideAStoppedExporter(t *testing.T) {
	t.Parallel()
	gone, stopped := startExporter(t, "rw"), startExporter(t, "rw")
	r := newRig(t)
	lost := must(doca.ImportMemory(r.Dev, gone.desc))(t)
	mem := must(doca.ImportMemory(r.Dev, stopped.desc))(t)
	must(doca.ImportMemory(r.Dev, stopped.desc))(t) // DOCA gives the process 10 seconds for each
	must(doca.ImportMemory(r.Dev, stopped.desc))(t)
	check(t, gone.Process.Kill())
	gone.Wait()
	selfexec.Stop(t, stopped.Process)
	silent := make(chan struct{})
	defer time.AfterFunc(20*time.Second, func() { // it answers in the end
		close(silent)
		stopped.Process.Kill()
	}).Stop()

	f := must(r.DMA.CopyRangeAsync(t.Context(), r.Mem, 0, lost, 0, 64))(t)
	<-f.Done()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := f.Wait(ctx)
	wantErr(t, err, doca.ErrIOFailed)
	for ended := lost.String() + " has ended, or has closed it"; !strings.Contains(err.Error(), ended); _, err = f.Wait(t.Context()) {
		wantErr(t, err, doca.ErrIOFailed)
	}
	assert.NotContains(t, err.Error(), mem.String())
	check(t, mem.Close())
	select {
	case <-silent:
		require.Fail(t, "it has waited for the process that is stopped")
	default:
	}
	check(t, stopped.Process.Kill())
}

// What a copy that fails has made to find out what has become of an imported memory, and could not destroy, the device closes.
func TestFailureBesideAnImportThatStays(t *testing.T) {
	e := startExporter(t, "rw")
	r := newRig(t)
	mem := must(doca.ImportMemory(r.Dev, e.desc))(t)
	fds := func() int { return len(must(os.ReadDir("/proc/self/fd"))(t)) }
	before := fds()
	faults(t, "fail-task=1,fail-call=doca_mmap_destroy:1")
	_, err := r.DMA.Copy(t.Context(), r.Dst, r.Src)
	wantErr(t, err, doca.ErrIOFailed, "call Start to use it again")
	check(t, mem.Close())
	assert.Equal(t, before, fds(), "it is still there, and has the descriptor that the memory has had")
	check(t, r.Dev.Close())
	assert.Less(t, fds(), before)
	e.end(t)
}
