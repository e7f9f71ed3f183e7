package bind_test

import (
	"testing"

	"github.com/go-doca/go-doca/doca/internal/doctest"
)

// The helpers that all packages share.
var (
	check   = doctest.Check
	wantErr = doctest.WantErr
	newRig  = doctest.NewRig
)

func must[T any](v T, err error) func(testing.TB) T { return doctest.Must(v, err) }

func TestMain(m *testing.M) { doctest.Main(m) }
