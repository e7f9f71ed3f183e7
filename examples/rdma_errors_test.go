package examples

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const failed = "] Sample finished with errors\n"

// wantFailure waits for the end of a program that fails, and checks what it says.
func wantFailure(t *testing.T, d *dialogue, wants ...string) {
	t.Helper()
	d.end(t, 1)
	for _, want := range append(wants, failed) {
		assert.Contains(t, d.out.String(), want)
	}
}

// wantSuccess waits for the end of a program that succeeds, and checks what it says.
func wantSuccess(t *testing.T, d *dialogue, wants ...string) {
	t.Helper()
	d.end(t, 0)
	for _, want := range append(wants, finished) {
		assert.Contains(t, d.out.String(), want)
	}
}

func rdmaArguments(t *testing.T, built map[string]string) {
	t.Parallel()
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(dir+"/old", []byte("old"), 0o600))
	long := strings.Repeat("x", 257)
	for _, c := range []struct {
		program, args string
		status        int
		want          string
	}{
		{"rdma_send", "-h", 0, "-sat, --server-addr-type <IPv4|IPv6|GID>"},
		{"rdma_read_requester", "-h", 0, "-m, --remote-resource-descriptor-path <path>"},
		{"rdma_multi_conn_send", "-h", 0, "-nc, --num-connections"},
		{"rdma_send", "-v", 0, "DOCA Version: 3.0"},
		{"rdma_send", "", 1, "the mandatory flag -d, --device is missing"},
		{"rdma_send", "-d mlx5_9", 1, "mlx5_9"},
		{"rdma_send", "-d mlx5_0 -s " + long, 1, "-s: longer than 256 characters"},
		{"rdma_send_immediate", "-d mlx5_0 -s " + long, 1, "-s: longer than 256 characters"},
		{"rdma_multi_conn_send", "-d mlx5_0 --send-string " + long, 1, "--send-string: longer than 256 characters"},
		{"rdma_write_requester", "-d mlx5_0 -w " + long, 1, "-w: longer than 256 characters"},
		{"rdma_write_immediate_requester", "-d mlx5_0 -w " + long, 1, "-w: longer than 256 characters"},
		{"rdma_read_responder", "-d mlx5_0 -r " + long, 1, "-r: longer than 256 characters"},
		{"rdma_receive", "-d mlx5_0 -m /tmp/x", 1, "unknown flag -m"},
		{"rdma_send", "-d mlx5_0 -nc 2", 1, "unknown flag -nc"},
		{"rdma_multi_conn_receive", "-d mlx5_0 -nc 0", 1, "0 is below 1"},
		{"rdma_multi_conn_receive", "-d mlx5_0 -nc 9", 1, "-nc is at most 8"},
		{"rdma_send", "-d mlx5_0 -cm -lp 65536", 1, "-lp is at most 65535"},
		{"rdma_send", "-d mlx5_0 -cm -lp 0", 1, "0 is below 1"},
		{"rdma_send", "-d mlx5_0 -tt UD", 1, `"UD" is neither RC nor DC`},
		{"rdma_send", "-d mlx5_0 -tt DC -cm", 1, "transport DC does not connect by address"},
		{"rdma_multi_conn_send", "-d mlx5_0 -tt DC -nc 2", 1, "transport DC takes one connection"},
		{"rdma_send", "-d mlx5_0 -tt DC", 1, "DOCA_ERROR_NOT_SUPPORTED: Config.Transport"},
		{"rdma_send", "-d mlx5_0 -g 1000", 1, "DOCA_ERROR_INVALID_VALUE: Config.GIDIndex"},
		{"rdma_send", "-d mlx5_0 -g -1", 1, "-1 is below 0"},
		{"rdma_send", "-d mlx5_0 -cm -sat IPv5", 1, `"IPv5" is none of IPv4, IPv6 and GID`},
		{"rdma_send", "-d mlx5_0 -sa 127.0.0.1", 1, "-sa needs -cm"},
		{"rdma_send", "-d mlx5_0 -cm -sa here", 1, "DOCA_ERROR_INVALID_VALUE"},
		{"rdma_send", "-d mlx5_0 -cm -sa 127.0.0.1 -sat IPv6", 1, "DOCA_ERROR_INVALID_VALUE"},
		{"rdma_send", "-d mlx5_0 -cm -sa 127.0.0.1 -lp 7", 1, "refused"}, // nobody listens
		{"rdma_send", "-d mlx5_0 -ld " + dir + "/old", 1, "DOCA_ERROR_ALREADY_EXIST: " + dir + "/old: remove the file, or take another path"},
		{"rdma_send", "-d mlx5_0 -ld /nowhere/local", 1, "open /nowhere/local: no such file or directory: -ld names their file"},
		{"rdma_write_responder", "-d mlx5_0 -ld " + dir + "/new -m " + dir + "/old", 1, "DOCA_ERROR_ALREADY_EXIST: " + dir + "/old"},
		{"rdma_write_responder", "-d mlx5_0 -m " + dir + "/new -ld " + dir + "/old", 1, "DOCA_ERROR_ALREADY_EXIST: " + dir + "/old"},
	} {
		t.Run(c.program+" "+strings.ReplaceAll(c.args, dir, ""), func(t *testing.T) {
			cmd := exec.Command(built[c.program], strings.Fields(c.args)...)
			cmd.Env = append(os.Environ(), "DOCA_PROVIDER=emulator", "DOCA_EMU_RDMA_ADDRESS=none", "DOCA_EMU_RUNTIME_DIR="+filepath.Join(t.TempDir(), "run"))
			out, _ := cmd.CombinedOutput()
			assert.Equal(t, c.status, cmd.ProcessState.ExitCode(), string(out))
			assert.Contains(t, string(out), c.want)
			if c.status != 0 {
				assert.Contains(t, string(out), failed)
			}
			assert.NoFileExists(t, dir+"/new")
			old, err := os.ReadFile(dir + "/old")
			assert.NoError(t, err)
			assert.Equal(t, "old", string(old), "the file stays as it was")
		})
	}
}

// Files that do not belong together.
func rdmaFilesMixed(t *testing.T, built map[string]string) {
	t.Parallel()
	flip := func(b []byte) []byte { return append(b[:len(b)-1:len(b)-1], b[len(b)-1]^1) }
	for name, c := range map[string]struct {
		change func(details, resource []byte) (newDetails, newResource []byte)
		wants  []string
	}{
		"no details":           {func(_, r []byte) ([]byte, []byte) { return nil, r }, []string{"no such file or directory: -re names their file"}},
		"no resource":          {func(d, _ []byte) ([]byte, []byte) { return d, nil }, []string{"no such file or directory: -m names its file"}},
		"empty details":        {func(_, r []byte) ([]byte, []byte) { return []byte{}, r }, []string{"connect on rdma connection", "DOCA_ERROR_INVALID_VALUE"}},
		"empty resource":       {func(d, _ []byte) ([]byte, []byte) { return d, []byte{} }, []string{"import memory", "DOCA_ERROR_INVALID_VALUE"}},
		"altered details":      {func(d, r []byte) ([]byte, []byte) { return flip(d), r }, []string{"connect on rdma connection", "DOCA_ERROR_INVALID_VALUE"}},
		"altered resource":     {func(d, r []byte) ([]byte, []byte) { return d, flip(r) }, []string{"import memory", "DOCA_ERROR_INVALID_VALUE"}},
		"truncated details":    {func(d, r []byte) ([]byte, []byte) { return d[:len(d)-1], r }, []string{"connect on rdma connection", "DOCA_ERROR_INVALID_VALUE"}},
		"truncated resource":   {func(d, r []byte) ([]byte, []byte) { return d, r[:len(r)-1] }, []string{"import memory", "DOCA_ERROR_INVALID_VALUE"}},
		"details for resource": {func(d, _ []byte) ([]byte, []byte) { return d, d }, []string{"import memory", "DOCA_ERROR_INVALID_VALUE"}},
		"resource for details": {func(_, r []byte) ([]byte, []byte) { return r, r }, []string{"connect on rdma connection", "DOCA_ERROR_INVALID_VALUE"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			run := filepath.Join(t.TempDir(), "run")
			a, b := rdmaFiles{t.TempDir()}, rdmaFiles{t.TempDir()}
			acts := startDialogue(t, run, built["rdma_write_requester"], append([]string{"-d", "mlx5_0"}, a.args(true)...)...)
			lets := startDialogue(t, run, built["rdma_write_responder"], append([]string{"-d", "mlx5_1"}, b.args(true)...)...)
			acts.file(t, a.local(), nil)
			details, resource := c.change(lets.file(t, b.local(), nil), lets.file(t, b.resource(), nil))
			if details != nil {
				require.NoError(t, os.WriteFile(a.remote(), details, 0o600))
			}
			if resource != nil {
				require.NoError(t, os.WriteFile(a.resource(), resource, 0o600))
			}
			acts.enter()
			wantFailure(t, acts, c.wants...)
			assert.NoFileExists(t, a.local())
			require.NoError(t, lets.cmd.Process.Signal(syscall.SIGINT))
			wantFailure(t, lets, "interrupted")
			assert.NoFileExists(t, b.local())
			assert.NoFileExists(t, b.resource())
			assert.NoDirExists(t, run)
		})
	}
}

// Details of a connection that was made already, and those that the peer has not got.
func rdmaOldDetails(t *testing.T, built map[string]string) {
	t.Parallel()
	run := filepath.Join(t.TempDir(), "run")
	a, b := rdmaFiles{t.TempDir()}, rdmaFiles{t.TempDir()}
	acts := startDialogue(t, run, built["rdma_multi_conn_send"], append([]string{"-d", "mlx5_0", "-nc", "2"}, a.args(false)...)...)
	lets := startDialogue(t, run, built["rdma_multi_conn_receive"], append([]string{"-d", "mlx5_1", "-nc", "2"}, b.args(false)...)...)
	first := acts.file(t, a.local(), nil)
	require.NoError(t, os.WriteFile(a.remote(), lets.file(t, b.local(), nil), 0o600))
	acts.enter()
	acts.file(t, a.local(), first)
	acts.enter() // without having copied
	wantFailure(t, acts, a.remote()+" is still that of connection 1")

	require.NoError(t, os.WriteFile(b.remote(), first, 0o600))
	lets.enter()
	wantFailure(t, lets, "DOCA_ERROR_CONNECTION_ABORTED")
}

// Samples that do not belong together.
func rdmaWrongPeer(t *testing.T, built map[string]string) {
	t.Parallel()
	for _, c := range []struct {
		acts, lets          string
		actsFails, letFails bool
		waits               bool
		want                string
	}{
		{"rdma_write_requester", "rdma_read_responder", true, false, true, "DOCA_ERROR_IO_FAILED"},
		{"rdma_read_requester", "rdma_write_responder", true, false, true, "DOCA_ERROR_IO_FAILED"},
		{"rdma_sync_event_requester", "rdma_write_responder", true, false, true, "import"},
		{"rdma_write_requester", "rdma_sync_event_responder", true, false, true, "import memory"},
		{"rdma_send", "rdma_receive_immediate", false, true, false, "the message has no immediate data"},
		{"rdma_send_immediate", "rdma_receive", false, false, false, `Got from sender: "Hi DOCA RDMA!"`},
		{"rdma_send", "rdma_write_immediate_responder", false, true, false, "the requester has sent a message instead of writing"},
	} {
		t.Run(c.acts+" and "+c.lets, func(t *testing.T) {
			t.Parallel()
			run := filepath.Join(t.TempDir(), "run")
			a, b := rdmaFiles{t.TempDir()}, rdmaFiles{t.TempDir()}
			isRequester, isResponder := strings.HasSuffix(c.acts, "requester"), strings.HasSuffix(c.lets, "responder")
			acts := startDialogue(t, run, built[c.acts], append([]string{"-d", "mlx5_0"}, a.args(isRequester)...)...)
			lets := startDialogue(t, run, built[c.lets], append([]string{"-d", "mlx5_1"}, b.args(isResponder)...)...)
			copyFiles(t, rdmaPair{resource: isRequester}, acts, lets, a, b, nil, nil)
			lets.enter()
			if c.waits { // the requester may leave at once
				lets.until(t, func() bool { return strings.Contains(lets.out.String(), "Press Enter when the requester has finished") })
			}
			acts.enter()
			switch {
			case c.actsFails:
				wantFailure(t, acts, c.want)
				if c.waits {
					lets.enter()
				}
				wantSuccess(t, lets)
			case c.letFails:
				wantFailure(t, lets, c.want)
				wantSuccess(t, acts)
			default:
				wantSuccess(t, lets, c.want)
				wantSuccess(t, acts)
			}
		})
	}
}

// rdmaKilled kills peers at all stages. The survivors, in Go or C, end with errors; those in Go say why.
func rdmaKilled(t *testing.T, victims, survivors map[string]string, inGo bool) {
	t.Parallel()
	var gone, aborted []string
	if inGo {
		gone = []string{"the peer has closed the connection or has disappeared: DOCA_ERROR_NOT_CONNECTED"}
		aborted = []string{"DOCA_ERROR_CONNECTION_ABORTED"}
	}
	listening := func(t *testing.T, run, program string, args ...string) (*dialogue, string) {
		port := nextPort()
		d := startDialogue(t, run, survivors[program], append([]string{"-d", "mlx5_1", "-cm", "-lp", port}, args...)...)
		d.until(t, func() bool { return strings.Contains(d.out.String(), "isten") })
		return d, port
	}
	dialing := func(t *testing.T, run, program, port string) *dialogue {
		d := startDialogue(t, run, victims[program], "-d", "mlx5_0", "-cm", "-sa", "127.0.0.1", "-lp", port)
		d.until(t, func() bool {
			out := d.out.String()
			return strings.Contains(out, "Connected") || strings.Contains(out, "established")
		})
		return d
	}
	t.Run("before it sends", func(t *testing.T) {
		t.Parallel()
		run := filepath.Join(t.TempDir(), "run")
		lets, port := listening(t, run, "rdma_receive")
		dialing(t, run, "rdma_write_responder", port).kill() // it waits for Enter
		wantFailure(t, lets, gone...)
	})
	if inGo {
		t.Run("one of two before it sends", func(t *testing.T) {
			t.Parallel()
			run := filepath.Join(t.TempDir(), "run")
			lets, port := listening(t, run, "rdma_multi_conn_receive", "-nc", "3")
			one := dialing(t, run, "rdma_write_responder", port)
			two := dialing(t, run, "rdma_write_responder", port)
			wantSuccess(t, dialing(t, run, "rdma_send", port))
			one.kill()
			wantFailure(t, lets, append(gone, `Got from sender: "Hi DOCA RDMA!"`)...)
			two.enter()
			wantFailure(t, two)
		})
	}
	t.Run("before it tells its memory", func(t *testing.T) {
		t.Parallel()
		run := filepath.Join(t.TempDir(), "run")
		acts, port := listening(t, run, "rdma_read_requester")
		dialing(t, run, "rdma_read_responder", port).kill()
		wantFailure(t, acts, gone...)
	})
	t.Run("before it gets the memory", func(t *testing.T) {
		t.Parallel()
		run := filepath.Join(t.TempDir(), "run")
		lets, port := listening(t, run, "rdma_write_immediate_responder")
		acts := dialing(t, run, "rdma_write_immediate_requester", port)
		acts.kill()
		<-acts.ended
		lets.enter()
		wantFailure(t, lets, gone...)
	})
	byFiles := func(t *testing.T) (acts, lets *dialogue) {
		run := filepath.Join(t.TempDir(), "run")
		a, b := rdmaFiles{t.TempDir()}, rdmaFiles{t.TempDir()}
		acts = startDialogue(t, run, survivors["rdma_send"], append([]string{"-d", "mlx5_0"}, a.args(false)...)...)
		lets = startDialogue(t, run, victims["rdma_receive"], append([]string{"-d", "mlx5_1"}, b.args(false)...)...)
		copyFiles(t, rdmaPair{}, acts, lets, a, b, nil, nil)
		return acts, lets
	}
	t.Run("before it connects by files", func(t *testing.T) {
		t.Parallel()
		acts, lets := byFiles(t)
		lets.kill()
		<-lets.ended
		acts.enter()
		wantFailure(t, acts, aborted...)
	})
	t.Run("while the sender waits for it", func(t *testing.T) {
		t.Parallel()
		acts, lets := byFiles(t)
		acts.enter()
		time.Sleep(50 * time.Millisecond) // it sends meanwhile, or finds the peer gone later
		lets.kill()
		wantFailure(t, acts)
	})
}

// A responder ends without Enter when its requester has left.
func rdmaRequesterLeft(t *testing.T, built map[string]string) {
	t.Parallel()
	p := rdmaPairs[2]
	t.Run("the user waits", func(t *testing.T) {
		t.Parallel()
		acts, lets := startRDMA(t, p, built[p.acts], built[p.lets], false, "-sa 127.0.0.1")
		wantSuccess(t, acts)
		wantSuccess(t, lets, append(p.letsWants, "The requester has left")...)
	})
	t.Run("no user", func(t *testing.T) {
		t.Parallel()
		acts, lets := startRDMA(t, p, built[p.acts], built[p.lets], true, "-sa 127.0.0.1")
		require.NoError(t, lets.in.Close())
		wantSuccess(t, acts)
		wantSuccess(t, lets, p.letsWants...)
	})
}
