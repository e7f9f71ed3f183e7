// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-doca/go-doca/internal/selfexec"
)

// machineVariable has the address that a process connects to as a machine of its own.
const machineVariable = "CONFORMANCE_MACHINE"

// Two machines that see one side of the BlueField each run the cases of two sides.
func TestTwoMachines(t *testing.T) {
	t.Parallel()
	for _, isolate := range []bool{true, false} {
		t.Run(fmt.Sprint("isolate ", isolate), func(t *testing.T) {
			t.Parallel()
			reports := runMachines(t, "dpu", "host", isolate, "")
			want := 0
			for _, c := range Cases() {
				if c.Peer != nil {
					want++
				}
			}
			for _, report := range reports {
				assert.Len(t, report.Results, want)
				assert.Equal(t, "emulator 3.0.0058", report.Peer)
				for _, r := range report.Results {
					assert.Equal(t, Passed, r.Status, "%s: %s: %s %s", r.Name, r.Asked, r.Got, r.Reason)
				}
			}
		})
	}
}

// A crash on one machine is the result of its case on both, and the others go on.
func TestTwoMachinesCrash(t *testing.T) {
	t.Parallel()
	for _, report := range runMachines(t, "dpu", "host", true, "1") {
		var statuses []Status
		for _, r := range report.Results {
			if r.Library == "bad" {
				statuses = append(statuses, r.Status)
			}
		}
		assert.Equal(t, []Status{Crashed, Passed, Crashed, Timeout, Passed}, statuses, "%v", report.Device)
	}
}

// runMachines runs two processes of this binary that are connected, and returns their reports.
func runMachines(t *testing.T, sideA, sideB string, isolate bool, bad string) [2]*Report {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	file, err := l.(*net.TCPListener).File()
	require.NoError(t, err)
	defer file.Close()
	address := l.Addr().String()
	require.NoError(t, l.Close())
	dir := t.TempDir()
	start := func(name, side string, extra ...*os.File) *exec.Cmd {
		cmd := selfexec.Command(t, "-test.run=^TestMachine$", "-test.v")
		cmd.Env = append(os.Environ(), machineVariable+"="+address, "MACHINE_REPORT="+dir+"/"+name, "DOCA_EMU_SIDE="+side,
			"MACHINE_LISTENS="+strconv.Itoa(len(extra)), "MACHINE_ISOLATES="+strconv.FormatBool(isolate), withBadCases+"="+bad)
		cmd.ExtraFiles = extra
		out := &tail{}
		cmd.Stdout, cmd.Stderr = out, out
		require.NoError(t, cmd.Start())
		t.Cleanup(func() {
			if t.Failed() {
				t.Log(name, out.String())
			}
		})
		return cmd
	}
	a, b := start("a", sideA, file), start("b", sideB)
	require.NoError(t, a.Wait())
	require.NoError(t, b.Wait())
	var reports [2]*Report
	for i, name := range []string{"a", "b"} {
		text, err := os.ReadFile(dir + "/" + name)
		require.NoError(t, err)
		require.NoError(t, json.Unmarshal(text, &reports[i]))
	}
	return reports
}

// TestMachine is one machine, in a process of its own.
func TestMachine(t *testing.T) {
	address := os.Getenv(machineVariable)
	if address == "" {
		return // not one of the processes that runMachines starts
	}
	options := Options{Isolate: os.Getenv("MACHINE_ISOLATES") == "true", Timeout: 30 * time.Second}
	if os.Getenv(withBadCases) != "" {
		options.Timeout = 6 * time.Second
	}
	var err error
	if os.Getenv("MACHINE_LISTENS") == "1" {
		l, err := net.FileListener(os.NewFile(3, "listener"))
		require.NoError(t, err)
		options.Peer, err = l.Accept()
		require.NoError(t, err)
		require.NoError(t, l.Close())
	} else {
		options.Peer, err = net.Dial("tcp", address)
		require.NoError(t, err)
	}
	report, err := Run(t.Context(), options)
	require.NoError(t, err)
	f, err := os.Create(os.Getenv("MACHINE_REPORT"))
	require.NoError(t, err)
	require.NoError(t, report.WriteJSON(f))
	require.NoError(t, f.Close())
}

// Machines that cannot be the two sides say so.
func TestGreeting(t *testing.T) {
	for _, tt := range []struct {
		name, hello, want string
	}{
		{"the same side", `{"protocol":1,"representors":true}`, "both have representors"},
		{"another protocol", `{"protocol":7}`, "version 7 of the protocol, this one 1"},
		{"no hello", `GET / HTTP/1.1`, "has not said hello"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a, b := net.Pipe()
			go func() {
				_, _ = readLine(b)
				_, _ = fmt.Fprintln(b, tt.hello)
			}()
			_, err := Run(t.Context(), Options{Peer: a})
			require.ErrorContains(t, err, tt.want)
		})
	}
}

// A machine that goes away is an error, and the report says which cases were not asked.
func TestMachineThatLeaves(t *testing.T) {
	t.Parallel()
	for _, isolate := range []bool{true, false} {
		t.Run(fmt.Sprint("isolate ", isolate), func(t *testing.T) {
			t.Parallel()
			l, err := net.Listen("tcp", "127.0.0.1:0")
			require.NoError(t, err)
			defer l.Close()
			own, err := net.Dial("tcp", l.Addr().String())
			require.NoError(t, err)
			other, err := l.Accept()
			require.NoError(t, err)
			go func() {
				_, _ = readLine(other)
				var cases []string
				for _, c := range Cases() {
					if c.Peer != nil && len(cases) < 3 {
						cases = append(cases, c.Name)
					}
				}
				text, _ := json.Marshal(hello{Protocol: protocol, Cases: cases})
				_, _ = fmt.Fprintf(other, "%s\n", text)
				other.Close()
			}()
			report, err := Run(t.Context(), Options{Peer: own, Isolate: isolate})
			require.ErrorContains(t, err, "3 of 3 cases were not asked")
			assert.NotEmpty(t, report.Results)
		})
	}
}

// A run ends with its ctx while the other machine says nothing.
func TestSilentMachine(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	a, b := net.Pipe()
	go func() {
		_, _ = readLine(b)
		cancel()
	}()
	_, err := Run(ctx, Options{Peer: a})
	require.Equal(t, context.Canceled, err)
}
