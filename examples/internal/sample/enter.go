package sample

import (
	"bufio"
	"os"
)

var input = bufio.NewReader(os.Stdin)

// Enter returns a channel that is closed when Enter was pressed, or the standard input has ended. Call it
// again for the next Enter, after the channel was closed. One goroutine at a time may wait.
func Enter() <-chan struct{} {
	pressed := make(chan struct{})
	go func() {
		defer close(pressed)
		for {
			c, err := input.ReadByte()
			if err != nil || c == '\n' || c == '\r' {
				return
			}
		}
	}()
	return pressed
}
