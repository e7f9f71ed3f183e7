package main

import (
	"context"
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/comch"
)

// script is what a peer does that is not this program: it sends messages and waits for some.
type script []any

// A script consists of messages and bytes to send, and of these.
type (
	await    struct{ m message }     // receive a message of the type
	until    struct{ m message }     // receive messages until there is one of the type
	exportOf struct{ size int }      // send the descriptor of memory
	leave    struct{}                // end the connection
	nothing  struct{}                // send nothing more
	told     struct{ reason reason } // receive a status that tells of a failure
)

var direct = direction{inHost: true, size: 10}

func extended(m direction) direction { m.extended = true; return m }

func cut(m message, n int) []byte { return append(m.encode(), 0, 0)[:n] }

// dirty encodes a message as a C program may do it: its padding is whatever was in memory.
func dirty(m message) []byte {
	b := m.encode()
	copy(b[5:8], "\xff\xfe\xfd")
	return b
}

// play does what the script says. At its end it waits until the program has ended the
// connection.
func (s script) play(t *testing.T, conn *comch.Conn) {
	t.Helper()
	ctx, done := context.WithTimeout(t.Context(), time.Minute)
	defer done()
	p := &peer{conn: conn}
	for _, step := range s {
		switch step := step.(type) {
		case message:
			require.NoError(t, p.send(ctx, step))
		case []byte:
			require.NoError(t, conn.Send(ctx, step))
		case await:
			receiveLike(ctx, t, p, step.m)
		case until:
			for like := reflect.TypeOf(step.m); ; {
				got, err := p.recv(ctx)
				require.NoError(t, err)
				if reflect.TypeOf(got) == like {
					break
				}
			}
		case exportOf:
			mem, err := doca.NewMemory(step.size, doca.MemoryConfig{Devices: []*doca.Device{conn.Device()}, Access: doca.AccessPCIReadWrite})
			require.NoError(t, err)
			desc, err := mem.ExportPCI(conn.Device())
			require.NoError(t, err)
			require.NoError(t, p.send(ctx, exportDescriptor{addr: uint64(mem.Address()), desc: desc}))
		case told:
			var r *refused
			for r == nil { // messages that come before it do not matter
				_, err := p.recv(ctx)
				require.True(t, err == nil || errors.As(err, &r), "%v", err)
			}
			assert.Equal(t, step.reason, r.reason)
		case leave:
			require.NoError(t, conn.Close())
			return
		case nothing:
		}
	}
	select {
	case <-conn.Done():
	case <-time.After(100 * time.Millisecond): // a DPU waits for the host to leave
		require.NoError(t, conn.Close())
	}
}

// patience is the time limit of a program that plays against a script: short where the error that it is to give says that the other
// side is silent, else longer than any machine takes for the script.
func patience(want string) string {
	if strings.Contains(want, "has sent nothing for 5s") {
		return "5"
	}
	return "60"
}

// receiveLike receives a message of a type.
func receiveLike(ctx context.Context, t *testing.T, p *peer, like message) {
	t.Helper()
	got, err := p.recv(ctx)
	require.NoError(t, err)
	require.IsType(t, like, got)
}
