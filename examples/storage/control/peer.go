package control

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode"

	"github.com/go-doca/go-doca/doca"
)

// DefaultTimeout is the limit of each step of the control path that the applications have.
const DefaultTimeout = 5 * time.Second

// RemoteError is an error response of a peer.
type RemoteError struct {
	Peer string
	Code doca.Error
	Text string
}

// Error returns the peer, its text as far as it can be printed in one line, and the code.
func (e *RemoteError) Error() string {
	text := strings.Map(func(r rune) rune {
		switch {
		case r == '\n':
			return ' '
		case !unicode.IsPrint(r): // such as what a terminal takes for an order
			return unicode.ReplacementChar
		}
		return r
	}, e.Text)
	return fmt.Sprintf("%s has answered: %s (%v)", e.Peer, text, e.Code)
}

// Unwrap returns the code.
func (e *RemoteError) Unwrap() error { return e.Code }

// Peer is the other side of a channel, which takes messages of the current variant. One goroutine may use it.
type Peer struct {
	*Channel
	Until   time.Time     // the latest end of requests; zero for none
	timeout time.Duration // of each request
	id      uint32        // of the next request
}

// NewPeer makes a peer. timeout limits each request.
func NewPeer(c *Channel, timeout time.Duration) *Peer {
	return &Peer{Channel: c, timeout: timeout}
}

// SendMessage sends a message.
func (p *Peer) SendMessage(ctx context.Context, m Message) error {
	frame, err := m.Append(nil)
	if err != nil {
		return err
	}
	return p.Send(ctx, frame)
}

// RecvMessage waits for the next message. An error is [ErrMalformed] or one of [Channel.Recv].
func (p *Peer) RecvMessage(ctx context.Context) (Message, error) {
	frame, err := p.Recv(ctx)
	if err != nil {
		return Message{}, err
	}
	m, err := Decode(frame)
	if err != nil {
		return Message{}, fmt.Errorf("from %s: %w", p.Peer(), err)
	}
	return m, nil
}

// Request sends a request and waits for its response, which it returns. m.ID is set. A response is of the type that
// follows the request's and has its correlation id. Errors: a *[RemoteError] for an error response; doca.ErrTimeOut if
// there is none in time; doca.ErrUnexpected for another message; those of [Peer.RecvMessage].
func (p *Peer) Request(ctx context.Context, m Message) (Message, error) {
	name := m.Type
	m.ID = p.id
	p.id++
	ctx, cancel := limited(ctx, p.Peer(), name.String(), p.timeout, p.Until)
	defer cancel()
	if err := p.SendMessage(ctx, m); err != nil {
		return Message{}, cause(ctx, err)
	}
	answer, err := p.RecvMessage(ctx)
	switch {
	case err != nil:
		return Message{}, cause(ctx, err)
	case answer.Type == TypeError:
		return Message{}, &RemoteError{Peer: p.Peer(), Code: answer.Code, Text: answer.Text}
	case answer.Type != name+1:
		return Message{}, fmt.Errorf("%w: %s has answered the %v request with the message %q", doca.ErrUnexpected, p.Peer(), name, answer.Type)
	case answer.Correlation != m.Correlation:
		return Message{}, fmt.Errorf("%w: %s has answered the %v request %d, this is %d", doca.ErrUnexpected, p.Peer(), name, answer.Correlation, m.Correlation)
	}
	return answer, nil
}

// limited limits a request. Its cause says that the peer is late.
func limited(ctx context.Context, peer, what string, timeout time.Duration, until time.Time) (context.Context, context.CancelFunc) {
	if !until.IsZero() {
		timeout = min(timeout, time.Until(until).Round(100*time.Millisecond))
	}
	late := fmt.Errorf("%w: %s has not answered the %s request in %v", doca.ErrTimeOut, peer, what, timeout)
	return context.WithTimeoutCause(ctx, timeout, late)
}

// cause returns that the peer is late, or ctx.Err(), if that is what err says.
func cause(ctx context.Context, err error) error {
	if ctx.Err() == nil || !errors.Is(err, ctx.Err()) && !errors.Is(err, context.DeadlineExceeded) && !isTimeout(err) {
		return err
	}
	if late := context.Cause(ctx); errors.Is(late, doca.ErrTimeOut) {
		return late
	}
	return ctx.Err()
}

func isTimeout(err error) bool {
	var timeout interface{ Timeout() bool }
	return errors.As(err, &timeout) && timeout.Timeout()
}
