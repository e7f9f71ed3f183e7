package docalog

import (
	"os"

	"github.com/go-doca/go-doca/doca"
)

// SDK makes the DOCA libraries log to the standard error output, at the level of
// --sdk-log-level. Level 0 means that the flag was not given, and changes nothing.
func SDK(level int) error {
	if level == 0 {
		return nil
	}
	return doca.LogSDK(os.Stderr, doca.LogLevel(level))
}
