package syncevent_test

import (
	"bufio"
	"context"
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/internal/doctest"
	"github.com/go-doca/go-doca/doca/syncevent"
	"github.com/go-doca/go-doca/internal/selfexec"
)

// roleVariable names the environment variable that makes the test's binary the exporter of an event.
const roleVariable = "SYNCEVENT_TEST_ROLE"

const rounds = 300

// roles are what an exporter on the host does with its event.
var roles = map[string]func(ctx context.Context, ev *syncevent.Event) error{
	"publisher": func(ctx context.Context, ev *syncevent.Event) error {
		for i := range rounds {
			if err := ev.Set(ctx, uint64(i+1)); err != nil {
				return err
			}
		}
		return nil
	},
	"subscriber": func(ctx context.Context, ev *syncevent.Event) error {
		seen := uint64(0)
		for seen < rounds {
			next, err := ev.WaitGreater(ctx, seen, syncevent.AllBits)
			if err != nil || next <= seen {
				return fmt.Errorf("%d after %d: %w", next, seen, err)
			}
			seen = next
		}
		return nil
	},
	"nothing": func(context.Context, *syncevent.Event) error { return nil },
	"memory":  func(context.Context, *syncevent.Event) error { return nil }, // and its value is in its own memory
}

// play is the exporter. It writes its descriptor, plays its role, and ends with its input.
func play(role string) int {
	err := func() error {
		dev, err := doca.OpenDevice(doctest.Host0)
		if err != nil {
			return err
		}
		defer dev.Close()
		cfg := shared
		if role == "memory" {
			if cfg.Memory, err = doca.NewMemory(4096, doca.MemoryConfig{Devices: []*doca.Device{dev}}); err != nil {
				return err
			}
		}
		ev, err := syncevent.New(dev, cfg)
		if err != nil {
			return err
		}
		desc, err := ev.ExportPCI(dev)
		if err != nil {
			return err
		}
		fmt.Println(hex.EncodeToString(desc))
		if err := roles[role](context.Background(), ev); err != nil {
			return err
		}
		bufio.NewReader(os.Stdin).ReadByte()
		return nil
	}()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// export starts an exporter and imports its event.
func export(t *testing.T, role string) (ev *syncevent.Event, exporter *exec.Cmd, end func()) {
	cmd := selfexec.Command(t)
	cmd.Env = append(os.Environ(), roleVariable+"="+role, "DOCA_PROVIDER=emulator")
	cmd.Stderr = os.Stderr
	in := must(cmd.StdinPipe())(t)
	out := bufio.NewReader(must(cmd.StdoutPipe())(t))
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		if cmd.ProcessState == nil {
			cmd.Process.Kill()
			cmd.Wait()
		}
	})
	line, _, err := out.ReadLine()
	require.NoError(t, err)
	ev = must(syncevent.Import(open(t, doctest.DPU0), must(hex.DecodeString(string(line)))(t), syncevent.Config{}))(t)
	closeAfter(t, ev)
	return ev, cmd, func() {
		in.Close()
		require.NoError(t, cmd.Wait())
	}
}

func TestProcessPublishes(t *testing.T) {
	t.Parallel()
	ev, _, end := export(t, "publisher")
	for seen := uint64(0); seen < rounds; {
		next := must(ev.WaitGreater(soonish(t), seen, syncevent.AllBits))(t)
		require.Greater(t, next, seen)
		seen = next
	}
	end()
	_, err := ev.Get(t.Context())
	require.ErrorIs(t, err, doca.ErrIOFailed)
}

func TestProcessSubscribes(t *testing.T) {
	t.Parallel()
	ev, _, end := export(t, "subscriber")
	for i := range rounds {
		require.NoError(t, ev.Set(t.Context(), uint64(i+1)))
	}
	end()
}

// A wait notices that the exporter was killed.
func TestProcessIsKilled(t *testing.T) {
	t.Parallel()
	ev, exporter, _ := export(t, "nothing")
	waiting := make(chan error, 1)
	go func() {
		_, err := ev.WaitGreater(soonish(t), 0, syncevent.AllBits)
		waiting <- err
	}()
	require.NoError(t, exporter.Process.Kill())
	exporter.Wait()
	require.ErrorIs(t, <-waiting, doca.ErrIOFailed)
	assert.ErrorIs(t, ev.Set(t.Context(), 1), doca.ErrIOFailed)
}

// An exporter that is stopped holds up nobody for longer than ctx: the value is in a page that both have.
func TestProcessIsStopped(t *testing.T) {
	t.Parallel()
	ev, exporter, _ := export(t, "nothing")
	selfexec.Stop(t, exporter.Process)
	require.NoError(t, ev.Set(soonish(t), 7))
	require.Equal(t, uint64(7), must(ev.Get(soonish(t)))(t))
	_, err := ev.WaitGreater(soon(t), 7, syncevent.AllBits)
	require.ErrorIs(t, err, context.DeadlineExceeded)
	require.NoError(t, ev.Shutdown(soonish(t)))
}

// Where the value is in the exporter's memory, calls ask the exporter. Shutdown does not wait for their answers.
func TestShutdownWhileProcessIsStopped(t *testing.T) {
	t.Parallel()
	ev, exporter, _ := export(t, "memory")
	selfexec.Stop(t, exporter.Process)
	answered := make(chan error, 1)
	go func() { answered <- ev.Set(context.Background(), 1) }()
	require.Eventually(t, func() bool { return syncevent.InUse(ev) }, 20*time.Second, time.Millisecond, "it asks")
	require.ErrorIs(t, ev.Shutdown(soon(t)), context.DeadlineExceeded)
	_, err := ev.Get(t.Context())
	require.ErrorIs(t, err, doca.ErrClosed, "it does not ask any more")
	require.ErrorIs(t, ev.Shutdown(soon(t)), context.DeadlineExceeded)
	select {
	case err := <-answered:
		require.Fail(t, "somebody has waited for the exporter, who has 10 seconds", "%v", err)
	default:
	}
	require.NoError(t, exporter.Process.Signal(syscall.SIGCONT))
	require.NoError(t, ev.Close(), "it waits for the answer")
	require.NoError(t, <-answered)
}
