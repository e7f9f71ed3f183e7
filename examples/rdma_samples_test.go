package examples

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// An rdmaPair is two RDMA samples that belong together: one acts, the other one lets it. There are a Go and a C version of each.
type rdmaPair struct {
	acts, lets         string // directories of the examples
	resource           bool   // lets tells acts about its memory or event
	waits              bool   // lets waits for Enter until acts has finished
	connections        int
	actsArgs, letsArgs string
	actsWants          []string // parts of the output
	letsWants          []string
	immediate          bool // lets gets immediate data
}

const longestText = "0123456789abcdef"

var rdmaPairs = []rdmaPair{
	{acts: "rdma_send", lets: "rdma_receive", letsWants: []string{`] Got from sender: "Hi DOCA RDMA!"` + "\n"}},
	{acts: "rdma_send_immediate", lets: "rdma_receive_immediate", immediate: true, actsArgs: "--send-string " + strings.Repeat(longestText, 16),
		letsWants: []string{`] Got from sender: "` + strings.Repeat(longestText, 16) + `"` + "\n"}},
	{acts: "rdma_write_requester", lets: "rdma_write_responder", resource: true, waits: true,
		actsArgs: "-w " + strings.Repeat(longestText, 16), letsWants: []string{`] Requester has written: "` + strings.Repeat(longestText, 16) + `"` + "\n"}},
	{acts: "rdma_write_immediate_requester", lets: "rdma_write_immediate_responder", resource: true, immediate: true,
		actsArgs: "--write-string hello", letsWants: []string{`] Requester has written: "hello"` + "\n"}},
	{acts: "rdma_read_requester", lets: "rdma_read_responder", resource: true, waits: true,
		letsArgs: "-r " + strings.Repeat(longestText, 16), actsWants: []string{`] Read from responder: "` + strings.Repeat(longestText, 16) + `"` + "\n"}},
	{acts: "rdma_sync_event_requester", lets: "rdma_sync_event_responder", resource: true, waits: true},
	{acts: "rdma_multi_conn_send", lets: "rdma_multi_conn_receive", connections: 8,
		actsArgs: "-s hello", letsWants: []string{`"hello"` + "\n"}},
}

// rdmaModes are the ways to connect, as parameters of the client. Without any, the sides connect by files.
var rdmaModes = []struct {
	name       string
	actsServes bool
	args       string
}{
	{"files", false, ""},
	{"IPv4", false, "-sa 127.0.0.1"},
	{"IPv6", false, "--server-addr ::1 -sat IPv6"},
	{"GID", false, "-sa ::ffff:10.0.1.2 --server-addr-type GID"},
	{"the other side serves", true, "-sa 127.0.0.1 -sat IPv4"},
}

var rdmaPort atomic.Int32

// nextPort returns a port that no other test listens on.
func nextPort() string { return strconv.Itoa(13579 + int(rdmaPort.Add(1))) }

// rdmaFiles are the parameters of a side for the files in its directory, and the files that it must remove.
type rdmaFiles struct{ dir string }

func (f rdmaFiles) local() string    { return filepath.Join(f.dir, "local") }
func (f rdmaFiles) remote() string   { return filepath.Join(f.dir, "remote") }
func (f rdmaFiles) resource() string { return filepath.Join(f.dir, "resource") }

func (f rdmaFiles) args(resource bool) []string {
	args := []string{"-ld", f.local(), "--remote-descriptor-path", f.remote()}
	if resource {
		args = append(args, "-m", f.resource())
	}
	return args
}

// connectByFiles does what the user does: it copies the files, and presses Enter on both sides.
func connectByFiles(t *testing.T, p rdmaPair, acts, lets *dialogue, actsFiles, letsFiles rdmaFiles) {
	var fromActs, fromLets []byte
	for range max(p.connections, 1) {
		fromActs, fromLets = copyFiles(t, p, acts, lets, actsFiles, letsFiles, fromActs, fromLets)
		acts.enter()
		lets.enter()
	}
}

// copyFiles copies the files of both sides, once each has written others than before. A side that has written its file for the next
// connection has read its copy for the one before.
func copyFiles(t *testing.T, p rdmaPair, acts, lets *dialogue, actsFiles, letsFiles rdmaFiles, actsBefore, letsBefore []byte) (fromActs, fromLets []byte) {
	fromActs = acts.file(t, actsFiles.local(), actsBefore)
	fromLets = lets.file(t, letsFiles.local(), letsBefore)
	require.NoError(t, os.WriteFile(letsFiles.remote(), fromActs, 0o600))
	require.NoError(t, os.WriteFile(actsFiles.remote(), fromLets, 0o600))
	if p.resource {
		require.NoError(t, os.WriteFile(actsFiles.resource(), lets.file(t, letsFiles.resource(), nil), 0o600))
	}
	return fromActs, fromLets
}

// startRDMA starts both samples of a pair on the devices mlx5_0 and mlx5_1, and lets them connect.
func startRDMA(t *testing.T, p rdmaPair, actsProgram, letsProgram string, actsServes bool, client string) (acts, lets *dialogue) {
	runtimeDir := filepath.Join(t.TempDir(), "run")
	t.Cleanup(func() { assert.NoDirExists(t, runtimeDir, "the programs leave their directory") })
	actsArgs, letsArgs := append([]string{"-d", "mlx5_0"}, strings.Fields(p.actsArgs)...), append([]string{"--device", "mlx5_1"}, strings.Fields(p.letsArgs)...)
	if p.connections > 0 {
		n := strconv.Itoa(p.connections)
		actsArgs, letsArgs = append(actsArgs, "-nc", n), append(letsArgs, "--num-connections", n)
	}
	if client == "" {
		actsFiles, letsFiles := rdmaFiles{t.TempDir()}, rdmaFiles{t.TempDir()}
		acts = startDialogue(t, runtimeDir, actsProgram, append(actsArgs, actsFiles.args(p.resource)...)...)
		lets = startDialogue(t, runtimeDir, letsProgram, append(letsArgs, letsFiles.args(p.resource)...)...)
		t.Cleanup(func() {
			assert.NoFileExists(t, actsFiles.local())
			assert.NoFileExists(t, letsFiles.local())
			assert.False(t, p.resource && exists(letsFiles.resource()), "the responder leaves its descriptor")
		})
		connectByFiles(t, p, acts, lets, actsFiles, letsFiles)
		return acts, lets
	}
	port := nextPort()
	common := []string{"-cm", "-lp", port}
	clientArgs := append([]string{"--use-rdma-cm", "--listen-port", port}, strings.Fields(client)...)
	listens := func(d *dialogue) func() bool {
		return func() bool { return strings.Contains(d.out.String(), "isten") }
	}
	if actsServes {
		acts = startDialogue(t, runtimeDir, actsProgram, append(actsArgs, common...)...)
		acts.until(t, listens(acts))
		lets = startDialogue(t, runtimeDir, letsProgram, append(letsArgs, clientArgs...)...)
	} else {
		lets = startDialogue(t, runtimeDir, letsProgram, append(letsArgs, common...)...)
		lets.until(t, listens(lets))
		acts = startDialogue(t, runtimeDir, actsProgram, append(actsArgs, clientArgs...)...)
	}
	if p.resource {
		lets.enter() // to send the descriptor
	}
	return acts, lets
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// immediates are what the receiver prints, by whether the sender and the receiver are in C. The versions send different numbers. Go
// prints them in this machine's byte order, C in the network's.
var immediates = map[[2]bool]string{{false, false}: "32", {false, true}: "0x20000000", {true, false}: "2018915346"}

// inC reports whether a program is one that buildRDMAInC has built.
func inC(program string) bool { return strings.HasPrefix(filepath.Base(program), "DPU_") }

// runRDMA runs a pair in all modes.
func runRDMA(t *testing.T, p rdmaPair, actsProgram, letsProgram string) {
	for _, mode := range rdmaModes {
		t.Run(mode.name, func(t *testing.T) {
			t.Parallel()
			acts, lets := startRDMA(t, p, actsProgram, letsProgram, mode.actsServes, mode.args)
			acts.end(t, 0)
			if p.waits {
				lets.enter()
			}
			lets.end(t, 0)
			for d, wants := range map[*dialogue][]string{acts: p.actsWants, lets: p.letsWants} {
				for _, want := range append(wants, "] Starting the sample\n", finished) {
					assert.Contains(t, d.out.String(), want)
				}
			}
			if p.immediate {
				assert.Contains(t, lets.out.String(), "] Immediate data: "+immediates[[2]bool{inC(actsProgram), inC(letsProgram)}]+"\n")
			}
			if p.connections > 1 {
				assert.Equal(t, p.connections, strings.Count(lets.out.String(), p.letsWants[0]), &lets.out)
			}
		})
	}
}

func runRDMAPairs(t *testing.T, acts, lets map[string]string) {
	for _, p := range rdmaPairs {
		t.Run(p.acts+", "+p.lets, func(t *testing.T) { runRDMA(t, p, acts[p.acts], lets[p.lets]) })
	}
}

// buildRDMAInC builds the C versions of the same programs.
func buildRDMAInC(t *testing.T, programs map[string]string) map[string]string {
	cc, built := compileC(t), map[string]string{}
	for name := range programs {
		built[name] = cc("DPU", name, []string{"rdma_common.c", "rdma_connect.c", "sample.c"})
	}
	return built
}

// buildRDMA builds the Go versions. It returns the path of each by its name.
func buildRDMA(t *testing.T) map[string]string {
	dir := t.TempDir()
	args, built := []string{"build", "-o", dir}, map[string]string{}
	for _, p := range rdmaPairs {
		for _, name := range []string{p.acts, p.lets} {
			args = append(args, "./"+name)
			built[name] = filepath.Join(dir, name)
		}
	}
	out, err := exec.Command("go", args...).CombinedOutput()
	require.NoError(t, err, string(out))
	return built
}

// TestRDMASamples runs every pair: Go with Go, and with C. C with C is what make sdktest runs.
func TestRDMASamples(t *testing.T) {
	t.Parallel()
	inGo := buildRDMA(t)
	t.Run("arguments", func(t *testing.T) { rdmaArguments(t, inGo) })
	t.Run("files that do not belong together", func(t *testing.T) { rdmaFilesMixed(t, inGo) })
	t.Run("old details", func(t *testing.T) { rdmaOldDetails(t, inGo) })
	t.Run("wrong peer", func(t *testing.T) { rdmaWrongPeer(t, inGo) })
	t.Run("killed peer", func(t *testing.T) { rdmaKilled(t, inGo, inGo, true) })
	t.Run("a requester that has left", func(t *testing.T) { rdmaRequesterLeft(t, inGo) })
	t.Run("Go and Go", func(t *testing.T) { runRDMAPairs(t, inGo, inGo) })
	needC(t)
	inC := buildRDMAInC(t, inGo)
	t.Run("C peer killed", func(t *testing.T) { rdmaKilled(t, inC, inGo, true) })
	t.Run("peer of C killed", func(t *testing.T) { rdmaKilled(t, inGo, inC, false) })
	t.Run("Go acts, C lets", func(t *testing.T) { runRDMAPairs(t, inGo, inC) })
	t.Run("C acts, Go lets", func(t *testing.T) { runRDMAPairs(t, inC, inGo) })
}
