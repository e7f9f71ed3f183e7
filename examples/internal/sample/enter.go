package sample

import (
	"bufio"
	"os"
)

var input = bufio.NewReader(os.Stdin)

// Enter returns a channel that gets nil when Enter was pressed, or an error when the standard input has ended. Call it again for the
// next Enter, after something has come. One goroutine at a time may wait.
func Enter() <-chan error {
	pressed := make(chan error, 1)
	go func() {
		for {
			c, err := input.ReadByte()
			if err != nil || c == '\n' || c == '\r' {
				pressed <- err
				return
			}
		}
	}()
	return pressed
}
