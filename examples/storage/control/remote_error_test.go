package control_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/examples/storage/control"
)

// A peer's text is one line that a terminal prints as it is.
func TestTextOfRemoteError(t *testing.T) {
	t.Parallel()
	err := &control.RemoteError{Peer: "the target", Code: doca.ErrInUse, Text: "a\nb\x1b[2Jc\x00\xff Grüße"}
	assert.EqualError(t, err, "the target has answered: a b\uFFFD[2Jc\uFFFD\uFFFD Grüße (DOCA_ERROR_IN_USE)")
}
