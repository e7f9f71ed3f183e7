package comch_test

import (
	"testing"

	"github.com/go-doca/go-doca/doca/internal/doctest"
)

func TestMain(m *testing.M) { doctest.Main(m) }
