package dpa_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/dpa"
	"github.com/go-doca/go-doca/doca/internal/doctest"
	"github.com/go-doca/go-doca/doca/internal/dpatest"
	"github.com/go-doca/go-doca/doca/syncevent"
	"github.com/go-doca/go-doca/generated/dpadev"
	"github.com/go-doca/go-doca/internal/selfexec"
)

// waitAtCrash waits for an event of a kernel that crashes.
func waitAtCrash(t *testing.T, d *dpa.DPA, polling syncevent.Polling) error {
	ev := closed(t, must(syncevent.New(d.Device(), syncevent.Config{Publishers: syncevent.DPA, DPA: d, Polling: polling}))(t))
	must(dpatest.LaunchCrash(d, dpa.LaunchOptions{Completion: ev, CompletionCount: 1}))(t)
	return second(ev.WaitGreater(soonish(t), 0, syncevent.AllBits))
}

// After a fatal error each call says so, all can be closed, and a new context works.
func TestFatalError(t *testing.T) {
	t.Parallel()
	for name, fail := range map[string]func(t *testing.T, d *dpa.DPA) error{
		"a kernel crashes": func(t *testing.T, d *dpa.DPA) error {
			return must(dpatest.LaunchCrash(d, dpa.LaunchOptions{Threads: 2}))(t).Wait(soonish(t))
		},
		"a call crashes": func(t *testing.T, d *dpa.DPA) error { return second(dpatest.CallCallCrash(soonish(t), d)) },
		"a handle of nothing": func(t *testing.T, d *dpa.DPA) error {
			return must(dpatest.LaunchTable(d, dpa.LaunchOptions{}, dpadev.HashTable(77), 1, 1, 0))(t).Wait(soonish(t))
		},
		"a handle that was closed": func(t *testing.T, d *dpa.DPA) error {
			q := closed(t, must(d.NewCompletion(dpa.CompletionConfig{}))(t))
			h := must(q.Handle())(t)
			require.NoError(t, q.Close())
			m, _ := numbers(t, d, 2)
			return must(dpatest.LaunchTake(d, dpa.LaunchOptions{}, h, 1, m.Addr()))(t).Wait(soonish(t))
		},
		"while somebody waits for an event": func(t *testing.T, d *dpa.DPA) error {
			return waitAtCrash(t, d, syncevent.Polling{})
		},
		"while somebody waits without pauses": func(t *testing.T, d *dpa.DPA) error {
			return waitAtCrash(t, d, syncevent.Polling{MaxPause: -1})
		},
		"while somebody looks for long": func(t *testing.T, d *dpa.DPA) error {
			return waitAtCrash(t, d, syncevent.Polling{Spin: time.Hour})
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dev := open(t)
			d := must(dpa.New(dev, config(t)))(t)
			all := everything(t, d)
			m, list := numbers(t, d, 1)
			doctest.WantErr(t, fail(t, d), dpa.ErrFatal, "make a new one")
			thread := must(dpa.New(dev, config(t)))(t) // others go on
			launched(t, must(dpatest.LaunchNothing(thread, dpa.LaunchOptions{}))(t), nil)
			require.NoError(t, thread.Close())
			for call, err := range map[string]error{
				"Err":           d.Err(),
				"Info":          second(d.Info()),
				"Handle":        second(d.Handle()),
				"UARID":         second(d.UARID()),
				"Alloc":         second(d.Alloc(8)),
				"WriteAt":       second(m.WriteAt([]byte("x"), 0)),
				"ReadAt":        second(m.ReadAt(make([]byte, 1), 0)),
				"Fill":          m.Fill(0, 1, 0),
				"Map":           second(m.Map(0)),
				"Launch":        second(dpatest.LaunchAdd(d, dpa.LaunchOptions{}, list, 1)),
				"Call":          second(dpatest.CallSum(soonish(t), d, list)),
				"NewThread":     second(d.NewThread(dpa.ThreadConfig{Func: dpatest.FuncOnWake()})),
				"NewCompletion": second(d.NewCompletion(dpa.CompletionConfig{})),
				"NewHashTable":  second(d.NewHashTable(1)),
				"Extend":        second(d.Extend(dev)),
				"syncevent.New": second(syncevent.New(dev, syncevent.Config{Publishers: syncevent.DPA, DPA: d})),
			} {
				require.ErrorIs(t, err, dpa.ErrFatal, call)
				require.ErrorIs(t, err, doca.ErrBadState, call)
				require.NotErrorIs(t, err, doca.ErrClosed, call)
				require.ErrorContains(t, err, "dpa.New", call)
			}
			for _, c := range all {
				require.NoError(t, c.Close(), "%v", c)
			}
			require.NoError(t, d.Close())
			require.ErrorIs(t, d.Err(), doca.ErrClosed)
			again := closed(t, must(dpa.New(dev, config(t)))(t))
			launched(t, must(dpatest.LaunchNothing(again, dpa.LaunchOptions{}))(t), nil)
		})
	}
}

// roleVariable says what another process does.
const roleVariable = "DPA_TEST_ROLE"

// play is a process in which kernels may run for a short time only.
func play(role string) int {
	if err := hang(role); err != nil {
		fmt.Println(err)
		return 1
	}
	return 0
}

//doca:ignore unclosed the process ends with what hangs
func hang(role string) error {
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	dev, err := doca.OpenDevice(doctest.DPU0)
	if err != nil {
		return err
	}
	d, err := dpa.New(dev, dpa.Config{App: dpatest.App()})
	if err != nil {
		return err
	}
	m, err := d.Alloc(8)
	if err == nil {
		err = m.Fill(0, 8, 0)
	}
	if err != nil {
		return err
	}
	if role == "call" {
		_, err = dpatest.CallCallUntil(ctx, d, m.Addr())
	} else {
		var l *dpa.Launch
		if l, err = dpatest.LaunchUntil(d, dpa.LaunchOptions{}, m.Addr()); err == nil && role == "wait" {
			err = l.Wait(ctx)
		}
	}
	if role != "close" && !errors.Is(err, dpa.ErrFatal) {
		return fmt.Errorf("the end of the kernel was %w", err)
	}
	if err := dev.Shutdown(ctx); err != nil { // waits until the kernel is ended
		return err
	}
	if open := doca.OpenObjects(); len(open) > 0 {
		return fmt.Errorf("left open: %v", open)
	}
	return nil
}

// A kernel that runs too long is a fatal error, and does not keep the context open.
func TestKernelThatRunsTooLong(t *testing.T) {
	t.Parallel()
	for _, role := range []string{"wait", "close", "call"} {
		t.Run(role, func(t *testing.T) {
			t.Parallel()
			cmd := selfexec.Command(t)
			cmd.Env = append(os.Environ(), roleVariable+"="+role, "DOCA_EMU_DPA_MAX_RUN_TIME=300", "DOCA_PROVIDER=emulator", "TMPDIR="+t.TempDir())
			out, err := cmd.CombinedOutput()
			assert.NoError(t, err, string(out))
		})
	}
}
