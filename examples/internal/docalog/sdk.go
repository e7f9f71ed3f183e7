package docalog

import (
	"os"

	"github.com/go-doca/go-doca/doca"
)

// SDK makes the libraries write their own messages to the standard error output if
// --sdk-log-level has asked for them; 0 says that it has not.
func SDK(level int) error {
	if level == 0 {
		return nil
	}
	return doca.LogSDK(os.Stderr, doca.LogLevel(level))
}
