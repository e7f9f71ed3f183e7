package core_test

import (
	"testing"

	"github.com/go-doca/go-doca/doca/internal/doctest"
)

const (
	dpu0  = doctest.DPU0
	host0 = doctest.Host0
)

// The helpers that all packages share.
var (
	check    = doctest.Check
	wantErr  = doctest.WantErr
	faults   = doctest.Faults
	deadline = doctest.Deadline
	newRig   = doctest.NewRig
	collect  = doctest.CollectLeak
)

func must[T any](v T, err error) func(testing.TB) T { return doctest.Must(v, err) }

func TestMain(m *testing.M) { doctest.Main(m) }
