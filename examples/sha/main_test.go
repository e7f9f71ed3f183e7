package sha_test

import (
	"testing"

	"github.com/go-doca/go-doca/examples/sha/internal/testsdk"
)

func TestMain(m *testing.M) { testsdk.Main(m) }
