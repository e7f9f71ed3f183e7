// SPDX-License-Identifier: Apache-2.0

package measure

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"strings"
	"time"
	"unicode"
)

// maxMessage bounds the bytes of a message, with room to spare.
const maxMessage = 64 << 10

// Link is how the two sides of a measurement tell each other what they need. Each message is one JSON value.
type Link struct {
	limit *io.LimitedReader // what in may read for this message
	in    *json.Decoder
	out   *json.Encoder
	close func() error
}

// NewLink returns a link over a connection. Close calls end.
func NewLink(rw io.ReadWriter, end func() error) *Link {
	limit := &io.LimitedReader{R: rw}
	return &Link{limit: limit, in: json.NewDecoder(limit), out: json.NewEncoder(rw), close: end}
}

// read reads a message of the other side.
func (l *Link) read(message any) error {
	l.limit.N = maxMessage
	err := l.in.Decode(message)
	if err != nil && l.limit.N == 0 {
		return fmt.Errorf("a message of %d bytes and more", maxMessage)
	}
	return err
}

// Dial returns a link to a serving side on another machine.
func Dial(ctx context.Context, addr string) (*Link, error) {
	conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", addr)
	if err != nil {
		return nil, fmt.Errorf("%w: doca bench --listen %s must run there", err, addr)
	}
	stop := context.AfterFunc(ctx, func() { _ = conn.Close() }) // what waits for the other side ends
	return NewLink(conn, func() error {
		if !stop() {
			return nil
		}
		return conn.Close()
	}), nil
}

// Start returns a link to a serving side in another process of this program.
func Start(ctx context.Context, args ...string) (*Link, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	child := exec.CommandContext(ctx, self, args...)
	child.Stderr = os.Stderr
	child.WaitDelay = 5 * time.Second
	in, err := child.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := child.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := child.Start(); err != nil {
		return nil, err
	}
	return NewLink(struct {
		io.Reader
		io.Writer
	}{out, in}, func() error { return errors.Join(in.Close(), child.Wait()) }), nil
}

// Close ends the link, and the process at its other end if it was started for it.
func (l *Link) Close() error { return l.close() }

// request is what the measuring side asks the serving side for.
type request struct {
	Library string `json:"library"`
	Bytes   int    `json:"bytes"`          // of memory
	Size    int    `json:"size"`           // of the largest message
	Window  int    `json:"window"`         // the largest
	Name    string `json:"name,omitempty"` // of the service
	Details []byte `json:"details,omitempty"`
}

// reply is what the serving side has made ready.
type reply struct {
	Error   string `json:"error,omitempty"`
	Details []byte `json:"details,omitempty"`
	Memory  []byte `json:"memory,omitempty"`
}

// ask sends a request and returns the reply.
func (l *Link) ask(q request) (reply, error) {
	var r reply
	if err := l.out.Encode(q); err != nil {
		return r, fmt.Errorf("the serving side is gone: %w", err)
	}
	if err := l.read(&r); err != nil {
		return r, fmt.Errorf("no answer of the serving side: %w", err)
	}
	if r.Error != "" {
		return r, fmt.Errorf("the serving side: %s", plain(r.Error))
	}
	return r, nil
}

// plain is a text of the other side as one line that a terminal prints as it is.
func plain(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n':
			return ' '
		case !unicode.IsPrint(r): // such as what a terminal takes for an order
			return unicode.ReplacementChar
		}
		return r
	}, text)
}
