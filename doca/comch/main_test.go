package comch_test

import (
	"os"
	"testing"

	"github.com/go-doca/go-doca/doca/internal/doctest"
	"github.com/go-doca/go-doca/emulator"
)

// TestMain runs the tests, or in a process of theirs one of the roles.
func TestMain(m *testing.M) {
	if role := os.Getenv("COMCH_TEST_ROLE"); role != "" {
		os.Setenv("DOCA_PROVIDER", emulator.Name)
		if err := roles[role](os.Getenv("COMCH_TEST_NAME")); err != nil {
			println(role+":", err.Error())
			os.Exit(1)
		}
		os.Exit(0)
	}
	doctest.Main(m)
}
