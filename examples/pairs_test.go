package examples

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A pair is two programs that talk to each other, a server and a client. There are a Go and a
// C version of each.
type pair struct {
	name           string
	server, client string                                    // directories of the examples
	hostServes     bool                                      // the server is the host's program, not the DPU's
	sources        []string                                  // of both in C, below emulator/sdktest
	run            func(t *testing.T, server, client string) // nil: runPair
	serverArgs     string
	clientArgs     string
	serverWants    []string // parts of the output
	clientWants    []string
}

const finished = "] Sample finished successfully\n"

var pairs = []pair{
	{
		name:   "comch_ctrl_path",
		server: "comch_ctrl_path_server", client: "comch_ctrl_path_client",
		sources:    []string{"comch_common.c", "sample.c"},
		serverArgs: "-t from_the_server -p 0000:03:00.0 --rep-pci b1:00.0", clientArgs: "--text from_the_client",
		serverWants: []string{"] Starting the sample\n", "] Message received: 'from_the_client'\n", finished},
		clientWants: []string{"] Starting the sample\n", "] Message received: 'from_the_server'\n", finished},
	},
	{
		name:   "comch_data_path_high_speed",
		server: "comch_data_path_high_speed_server", client: "comch_data_path_high_speed_client",
		sources:    []string{"comch_data_path_common.c", "comch_common.c", "sample.c"},
		serverArgs: "-t from_the_server -p 03:00.1 -r b1:00.1", clientArgs: "-t from_the_client -p 0000:b1:00.1",
		serverWants: []string{"] Message received: 'from_the_client'\n", finished},
		clientWants: []string{"] Message received: 'from_the_server'\n", finished},
	},
	{
		name:   "secure_channel",
		server: "secure_channel", client: "secure_channel",
		sources:    []string{"secure_channel_control.c", "secure_channel_threads.c", "sample.c"},
		serverArgs: "-s 1024 -n 3000 -p 03:00.0 -r b1:00.0", clientArgs: "--msg-size 65535 --num-msgs 20 --pci-addr b1:00.0",
		serverWants: []string{"] Producer sent 3000 messages in approximately ", "] Consumer received 20 messages in approximately "},
		clientWants: []string{"] Producer sent 20 messages in approximately ", "] Consumer received 3000 messages in approximately "},
	},
	{
		name:   "sync_event",
		server: "sync_event_local_pci", client: "sync_event_remote_pci",
		sources:    []string{"sync_event_common.c", "comch_common.c", "sample.c"},
		serverArgs: "-d 03:00.0 -r b1:00.0", clientArgs: "--pci-addr 0000:b1:00.0",
		serverWants: []string{"] Starting the sample\n", "] Done\n", finished},
		clientWants: []string{"] Starting the sample\n", "] Done\n", finished},
	},
	{
		name:   "sync_event with additions",
		server: "sync_event_remote_pci", client: "sync_event_local_pci",
		sources:    []string{"sync_event_common.c", "comch_common.c", "sample.c"},
		serverArgs: "-d 03:00.0 -r b1:00.0 --atomic", clientArgs: "--pci-addr 0000:b1:00.0 --atomic",
		serverWants: []string{"] Starting the sample\n", "] Done\n", finished},
		clientWants: []string{"] Starting the sample\n", "] Done\n", finished},
	},
	{
		name:   "sync_event with tasks",
		server: "sync_event_local_pci", client: "sync_event_remote_pci",
		sources:    []string{"sync_event_common.c", "comch_common.c", "sample.c"},
		serverArgs: "-d 03:00.0 -r b1:00.0 --async --atomic --async-num-tasks 4", clientArgs: "--pci-addr 0000:b1:00.0 --async --atomic",
		serverWants: []string{"] Starting the sample\n", "] Done\n", finished},
		clientWants: []string{"] Starting the sample\n", "] Done\n", finished},
	},
	{
		name:   "sync_event with tasks on one side",
		server: "sync_event_remote_pci", client: "sync_event_local_pci",
		sources:    []string{"sync_event_common.c", "comch_common.c", "sample.c"},
		serverArgs: "-d 03:00.0 -r b1:00.0", clientArgs: "--pci-addr 0000:b1:00.0 --async",
		serverWants: []string{"] Starting the sample\n", "] Done\n", finished},
		clientWants: []string{"] Starting the sample\n", "] Done\n", finished},
	},
	{
		name:   "dma_copy",
		server: "dma_copy_host", client: "dma_copy_dpu", hostServes: true,
		sources: []string{"dma_common.c", "sample.c"},
		run:     runDMACopies,
	},
}

// programs has the programs in one language: for each pair the paths of the server and the
// client.
type programs map[string][2]string

func buildGo(t *testing.T) programs {
	dir := t.TempDir()
	args, built := []string{"build", "-o", dir}, programs{}
	for _, p := range pairs {
		args = append(args, "./"+p.server, "./"+p.client)
		built[p.name] = [2]string{filepath.Join(dir, p.server), filepath.Join(dir, p.client)}
	}
	out, err := exec.Command("go", args...).CombinedOutput()
	require.NoError(t, err, string(out))
	return built
}

var making sync.Mutex

// installSDK installs the emulator as an SDK and returns where.
func installSDK(t *testing.T) string {
	prefix := t.TempDir()
	making.Lock() // two runs of make would write the same object files
	defer making.Unlock()
	out, err := exec.Command("make", "-s", "-C", "..", "sdk", "PREFIX="+prefix).CombinedOutput()
	require.NoError(t, err, string(out))
	return prefix
}

// compileC installs the emulator as an SDK. It returns a function that builds a C program for
// one side on that SDK, from emulator/sdktest unless the name is a path, and returns its path.
func compileC(t *testing.T) func(side, name string, sources []string) string {
	prefix := installSDK(t)
	run := func(name string, args ...string) string {
		cmd := exec.Command(name, args...)
		cmd.Env = append(os.Environ(), "PKG_CONFIG_PATH="+prefix+"/lib/pkgconfig")
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s\n%s", cmd, out)
		return string(out)
	}
	flags := strings.Fields(run("pkg-config", "--cflags", "--libs", "doca-comch", "doca-dma", "doca-rdma", "doca-argp", "doca-common"))
	flags = append(flags, "-std=gnu11", "-O1", "-pthread", "-DDOCA_ALLOW_EXPERIMENTAL_API", "-Wl,-rpath,"+prefix+"/lib")
	return func(side, name string, sources []string) string {
		path := filepath.Join(prefix, side+"_"+filepath.Base(name))
		args := []string{"-o", path, "-DDOCA_ARCH_" + side}
		for _, s := range append([]string{name + ".c"}, sources...) {
			if !filepath.IsAbs(s) {
				s = filepath.Join("../emulator/sdktest", s)
			}
			args = append(args, s)
		}
		run("cc", append(args, flags...)...)
		return path
	}
}

func buildC(cc func(side, name string, sources []string) string) programs {
	built := programs{}
	for _, p := range pairs {
		sides := [2]string{"DPU", "HOST"}
		if p.hostServes {
			slices.Reverse(sides[:])
		}
		built[p.name] = [2]string{cc(sides[0], p.server, p.sources), cc(sides[1], p.client, p.sources)}
	}
	return built
}

// needC skips a test if C programs cannot be built here.
func needC(t *testing.T) {
	if out, err := exec.Command("pkg-config", "--exists", "--print-errors", "json-c").CombinedOutput(); err != nil {
		t.Skipf("the C programs need pkg-config and json-c: %v %s", err, out)
	}
}

// TestPairs runs every pair: Go with Go, C with C, and either with the other.
func TestPairs(t *testing.T) {
	t.Parallel()
	inGo := buildGo(t)
	t.Run("arguments", func(t *testing.T) {
		t.Parallel()
		runArguments(t, inGo)
	})
	t.Run("Go server, Go client", func(t *testing.T) { runPairs(t, inGo, inGo) })
	t.Run("two devices at each address", func(t *testing.T) { runPairsOnSplitDevices(t, inGo) })
	needC(t)
	cc := compileC(t)
	t.Run("the C program of docs/migration.md", func(t *testing.T) { runMigrationC(t, cc) })
	inC := buildC(cc)
	t.Run("Go server, C client", func(t *testing.T) { runPairs(t, inGo, inC) })
	t.Run("C server, Go client", func(t *testing.T) { runPairs(t, inC, inGo) })
	t.Run("C server, C client", func(t *testing.T) { runPairs(t, inC, inC) })
}

func runPairs(t *testing.T, servers, clients programs) {
	for _, p := range pairs {
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			if p.run != nil {
				p.run(t, servers[p.name][0], clients[p.name][1])
				return
			}
			runPair(t, p, servers[p.name][0], clients[p.name][1])
		})
	}
}

// runPairsOnSplitDevices runs the pairs that use Comch where only the second device at a PCI address supports it.
func runPairsOnSplitDevices(t *testing.T, built programs) {
	for _, p := range pairs {
		if p.run == nil {
			t.Run(p.name, func(t *testing.T) {
				t.Parallel()
				runPair(t, p, built[p.name][0], built[p.name][1], "DOCA_EMU_SPLIT_DEVICES=1")
			})
		}
	}
	t.Run("application dma_copy", func(t *testing.T) {
		t.Parallel()
		program, dir := build(t, "dma_copy"), t.TempDir()
		require.NoError(t, os.WriteFile(filepath.Join(dir, "src"), []byte("hello"), 0o644))
		runPair(t, pair{
			serverArgs: "-p 03:00.0 -r b1:00.0 -f " + filepath.Join(dir, "dst"), clientArgs: "-p b1:00.0 -f " + filepath.Join(dir, "src"),
			serverWants: []string{"DMA copy was done Successfully"},
		}, program, program, "DOCA_EMU_SPLIT_DEVICES=1")
	})
}

func runPair(t *testing.T, p pair, server, client string, env ...string) {
	dir := filepath.Join(t.TempDir(), "run")
	start := func(program, args string) (*exec.Cmd, *bytes.Buffer) {
		var out bytes.Buffer
		cmd := exec.Command(program, strings.Fields(args)...)
		cmd.Env = append(os.Environ(), "DOCA_PROVIDER=emulator", "DOCA_EMU_RUNTIME_DIR="+dir, "DOCA_EMU_COMCH_CONNECT_TIMEOUT=20000",
			"GOGC=1") // leaks are reported at collections
		cmd.Env = append(cmd.Env, env...)
		cmd.Stdout, cmd.Stderr = &out, &out
		require.NoError(t, cmd.Start())
		time.AfterFunc(time.Minute, func() { _ = cmd.Process.Kill() })
		return cmd, &out
	}
	s, serverOut := start(server, p.serverArgs)
	c, clientOut := start(client, p.clientArgs)
	assert.NoError(t, s.Wait(), "server:\n%s", serverOut)
	assert.NoError(t, c.Wait(), "client:\n%s", clientOut)
	for _, want := range p.serverWants {
		assert.Contains(t, serverOut.String(), want, "server")
	}
	for _, want := range p.clientWants {
		assert.Contains(t, clientOut.String(), want, "client")
	}
	assert.NotContains(t, serverOut.String()+clientOut.String(), "leak")
	assert.NoDirExists(t, dir, "the programs leave their directory")
	left, err := filepath.Glob("/dev/shm/*doca*")
	require.NoError(t, err)
	assert.Empty(t, left, "the programs leave shared memory")
}

// runArguments runs each Go program by itself.
func runArguments(t *testing.T, built programs) {
	const errors = "Sample finished with errors"
	for _, c := range []struct {
		pair   string
		which  int // 0 is the server, 1 the client
		args   string
		status int
		want   string
	}{
		{"comch_ctrl_path", 0, "-h", 0, "Usage: doca_comch_ctrl_path_server [DOCA Flags] [Program Flags]"},
		{"comch_ctrl_path", 0, "-t " + strings.Repeat("x", 4081), 1, "longer than 4080"},
		{"comch_ctrl_path", 0, "-r 99:00.0", 1, errors},
		{"comch_ctrl_path", 0, "-p b1:00.0", 1, errors},
		{"comch_ctrl_path", 1, "-r b1:00.0", 1, "unknown flag -r"},
		{"comch_ctrl_path", 1, "-p 03:00.0", 1, errors},
		{"comch_ctrl_path", 1, "", 1, "comch_ctrl_path_sample_server"}, // there is no server
		{"comch_data_path_high_speed", 0, "--help", 0, "-r, --rep-pci"},
		{"comch_data_path_high_speed", 1, "", 1, "comch_data_path_sample_server"},
		{"secure_channel", 0, "-h", 0, "-n, --num-msgs"},
		{"secure_channel", 0, "-s 1 -n 1", 1, "mandatory"},
		{"secure_channel", 0, "-s 0 -n 1 -p 03:00.0", 1, "0 is below 1"},
		{"secure_channel", 0, "-s 65536 -n 1 -p 03:00.0", 1, "65535"},
		{"secure_channel", 0, "-s 1 -n 0 -p 03:00.0", 1, "0 is below 1"},
		{"secure_channel", 0, "-s 1 -n 1 -p 03:00.0", 1, "--rep-pci"},
		{"sync_event", 0, "-h", 0, "  --async-num-tasks"},
		{"sync_event", 0, "-r b1:00.0", 1, "mandatory"},
		{"sync_event", 0, "-d 03:00.0", 1, "--rep-pci"},
		{"sync_event", 0, "-d 03:00.0 --async-num-tasks 0", 1, "0 is below 1"},
		{"sync_event", 1, "-d b1:00.0", 1, "sync_event_cc"}, // there is no server
		{"dma_copy", 0, "-h", 0, "-d, --descriptor-path"},
		{"dma_copy", 0, "-p 99:00.0", 1, "0000:99:00.0"},
		{"dma_copy", 0, "-d /nowhere/desc", 1, "/nowhere/desc"},
		{"dma_copy", 0, "-t " + strings.Repeat("x", 4097), 1, "longer than 4096"},
		{"dma_copy", 1, "-h", 0, "-nd, --num-dst-buf"},
		{"dma_copy", 1, "-d /nowhere/desc", 1, "/nowhere/desc"},
		{"dma_copy", 1, "-nd 0", 1, "0 is below 1"},
	} {
		t.Run(fmt.Sprintf("%s %d %.40s", c.pair, c.which, c.args), func(t *testing.T) {
			cmd := exec.Command(built[c.pair][c.which], strings.Fields(c.args)...)
			cmd.Env = append(os.Environ(), "DOCA_PROVIDER=emulator", "DOCA_EMU_RUNTIME_DIR="+filepath.Join(t.TempDir(), "run"), "DOCA_EMU_COMCH_CONNECT_TIMEOUT=100")
			out, _ := cmd.CombinedOutput()
			assert.Equal(t, c.status, cmd.ProcessState.ExitCode(), string(out))
			assert.Contains(t, string(out), c.want)
		})
	}
}
