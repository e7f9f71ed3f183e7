package storage

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var strategies = []string{"read_throughput_test", "write_throughput_test", "read_write_data_validity_test", "read_only_data_validity_test"}

// All strategies, with one core and with two, and blocks of two sizes.
func TestStrategies(t *testing.T) {
	t.Parallel()
	for _, size := range []int{4096, 65536} {
		plain := filepath.Join(t.TempDir(), "content")
		data := make([]byte, 128*size)
		for i := range data {
			data[i] = byte(i * i >> 8)
		}
		require.NoError(t, os.WriteFile(plain, data, 0o600))
		for cores, cpus := range []string{"--cpu 0", "--cpu 0 --cpu 1"} {
			for _, strategy := range strategies {
				t.Run(fmt.Sprintf("%s, %d cores, %d bytes", strategy, cores+1, size), func(t *testing.T) {
					b := newBench(t)
					target := b.target(t, fmt.Sprintf("%s --block-size %d --binary-content %s", cpus, size, plain))
					relay := b.relay(t, cpus)
					initiator := b.initiator(t, fmt.Sprintf("%s --execution-strategy %s --run-limit-operation-count 2000 --storage-plain-content %s", cpus, strategy, plain))
					initiator.ends(t, 0, "doca_storage_initiator_comch: v3.0.", "doca_storage_initiator_comch: {\n", "\texecution_strategy : "+strategy+",\n",
						"| Stats\n", fmt.Sprintf("| Operation count: %d\n", 2000*(cores+1)), "GiB/s\n", "MIOP/s\n", "| PE hit rate: ", "| \tMean: ")
					relay.ends(t, 0, "| Core: 0\n| Operation count: 2000\n| PE hit rate: ")
					target.ends(t, 0, "| Core: 0\n| Operation count: 2000\n")
				})
			}
		}
	}
}

// A file says by itself how it is cut into blocks, and the defaults do without a file.
func TestContents(t *testing.T) {
	t.Parallel()
	const size, count = 512, 40
	data := make([]byte, size*count)
	for i := range data {
		data[i] = byte(i)
	}
	header := binary.BigEndian.AppendUint64(nil, 0xDEADF00D1337FADE)
	header = binary.BigEndian.AppendUint32(header, size)
	header = binary.BigEndian.AppendUint32(header, count)
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(dir+"/c.sbc", append(header, data...), 0o600))
	require.NoError(t, os.WriteFile(dir+"/plain", data, 0o600))
	b := newBench(t)
	target := b.target(t, "--cpu 0 --binary-content "+dir+"/c.sbc --block-size 77")
	relay := b.relay(t, "--cpu 0 --cpu 1 --command-channel-name other")
	initiator := b.initiator(t, "--cpu 0 --execution-strategy read_only_data_validity_test --run-limit-operation-count 100 --storage-plain-content "+dir+
		"/plain --transaction-count 3 --blocks-per-io 4 --local-io-region-size 8192 --command-channel-name other")
	initiator.ends(t, 0, "the storage has 20480 bytes in blocks of 512", "| Operation count: 100\n")
	relay.ends(t, 0, "1 cores with 6 tasks each")
	target.ends(t, 0)
}

// A file of another size than the storage is an error of each test that looks at it, and no matter of the one that does not.
func TestContentOfAnotherSize(t *testing.T) {
	t.Parallel()
	file := t.TempDir() + "/short"
	require.NoError(t, os.WriteFile(file, make([]byte, 100), 0o600))
	for _, strategy := range strategies {
		t.Run(strategy, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			target := b.target(t, "--cpu 0")
			relay := b.relay(t, "--cpu 0")
			p := b.initiator(t, fmt.Sprintf("--cpu 0 --run-limit-operation-count 100 --execution-strategy %s --storage-plain-content %s", strategy, file))
			if strategy == "read_throughput_test" {
				p.ends(t, 0)
				return
			}
			p.ends(t, 1, "short has 100 bytes, the storage 524288: they must be the same")
			relay.stopsByItself(t)
			target.stopsByItself(t)
		})
	}
}

func TestJSONOutput(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	path := filepath.Join(t.TempDir(), "results")
	target, relay := b.target(t, "--cpu 0"), b.relay(t, "--cpu 0")
	b.initiator(t, "--cpu 0 --execution-strategy read_throughput_test --run-limit-operation-count 500 --live --json-output "+path).ends(t, 0, " IO/s, mean ")
	relay.ends(t, 0)
	target.ends(t, 0)
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	var res struct {
		Operations int `json:"operation_count"`
		Bytes      int
		Latency    map[string]float64 `json:"latency_microseconds"`
		Samples    []struct {
			Length float64 `json:"length_seconds"`
			Rate   float64 `json:"operations_per_second"`
		}
		Distribution []struct{ Percent, Microseconds float64 } `json:"latency_distribution"`
	}
	require.NoError(t, json.Unmarshal(text, &res), string(text))
	assert.Equal(t, 500, res.Operations)
	assert.Equal(t, 500*4096, res.Bytes)
	l := res.Latency
	assert.Len(t, l, 8)
	assert.Less(t, 0.0, l["min"])
	assert.LessOrEqual(t, l["min"], l["p50"]*1.001, "percentiles have three digits")
	assert.LessOrEqual(t, l["p50"], l["p99"])
	assert.LessOrEqual(t, l["p99"], l["p99.99"])
	assert.LessOrEqual(t, l["p99.99"], l["max"]*1.001)
	total := 0.0
	for _, s := range res.Samples {
		total += s.Length * s.Rate
	}
	assert.InDelta(t, 500, total, 0.01, "the samples have all operations")
	last := res.Distribution[len(res.Distribution)-1]
	assert.Equal(t, 100.0, last.Percent)
	assert.InEpsilon(t, l["max"], last.Microseconds, 0.002)
}

// The older variant of the messages.
func TestOlderMessages(t *testing.T) {
	t.Parallel()
	for cores, cpus := range []string{"--cpu 0", "--cpu 0 --cpu 1"} {
		for _, operation := range []string{"--operation read", "--operation write", "--operation write --validate-writes"} {
			for _, size := range []int{4096, 65536} {
				t.Run(fmt.Sprintf("%s, %d cores, %d bytes", operation, cores+1, size), func(t *testing.T) {
					t.Parallel()
					b := newBench(t)
					target := b.target(t, "--older-messages "+cpus)
					relay := b.relay(t, "--older-messages "+cpus)
					initiator := b.initiator(t, fmt.Sprintf("--older-messages %s %s --run-limit-operation-count 2000 --per-cpu-buffer-count 16 --buffer-size %d", cpus, operation, size))
					initiator.ends(t, 0, "command_channel_name : storage_zero_copy_comch,\n", "control_timeout : 10s,\n", fmt.Sprintf("| Operation count: %d\n", 2000*(cores+1)))
					relay.ends(t, 0, "Stage 1: the data path is configured", "Stage 2: ", "Stage 3: ")
					target.ends(t, 0, fmt.Sprintf("%d buffers of %d bytes", 16*(cores+1), size))
				})
			}
		}
	}
}

// Wrong data is found, and all programs end as they should.
func TestWrongData(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	data := make([]byte, 128*4096)
	require.NoError(t, os.WriteFile(dir+"/there", data, 0o600))
	data[100*4096+5] = 1
	require.NoError(t, os.WriteFile(dir+"/expected", data, 0o600))
	b := newBench(t)
	target := b.target(t, "--cpu 0 --binary-content "+dir+"/there")
	relay := b.relay(t, "--cpu 0")
	initiator := b.initiator(t, "--cpu 0 --execution-strategy read_only_data_validity_test --storage-plain-content "+dir+"/expected")
	initiator.ends(t, 1, "Test failed!!\n", "EXCEPTION: storage: wrong data: byte 409605 of the storage is 0x00 and should be 0x01")
	relay.stopsByItself(t)
	target.stopsByItself(t)
	b.works(t)
}

func TestArguments(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(dir+"/short", make([]byte, 100), 0o600))
	require.NoError(t, os.WriteFile(dir+"/header", binary.BigEndian.AppendUint64(nil, 0xDEADF00D1337FADE), 0o600))
	for _, c := range []struct {
		name, args string
		status     int
		want       string
	}{
		{"initiator_comch", "-h", 0, "--execution-strategy <strategy>"},
		{"initiator_comch", "-d b1:00.0 --cpu 0", 1, "EXCEPTION: the mandatory flag --execution-strategy is missing"},
		{"initiator_comch", "-d b1:00.0 --cpu 0 --older-messages", 1, "EXCEPTION: the mandatory flag --operation is missing"},
		{"initiator_comch", "-d b1:00.0 --cpu 0 --older-messages --operation read --buffer-size 100", 1, "is no multiple of 64"},
		{"initiator_comch", "-d b1:00.0 --execution-strategy read_throughput_test", 1, "--cpu"},
		{"initiator_comch", "-d b1:00.0 --cpu 0 --execution-strategy dance", 1, "read_throughput_test"},
		{"initiator_comch", "-d b1:00.0 --cpu 0 --execution-strategy read_only_data_validity_test", 1, "needs --storage-plain-content"},
		{"initiator_comch", "-d nothing --cpu 0 --execution-strategy read_throughput_test", 1, "nothing"},
		{"initiator_comch", "-d b1:00.0 --cpu -1 --execution-strategy read_throughput_test", 1, "--cpu: -1 is below 0, the minimum"},
		{"initiator_comch", "-d b1:00.0 --cpu 0,1 --execution-strategy read_throughput_test", 1, "--cpu: 0,1 is not a number"},
		{"initiator_comch", "-d b1:00.0 --cpu 0 --execution-strategy read_throughput_test --control-timeout 1s", 1, "--control-timeout: 1s is not a number"},
		{"initiator_comch", "-d b1:00.0 --cpu 0 --older-messages --operation read --buffer-size 128kb", 1, "--buffer-size: 128kb is not a number"},
		{"initiator_comch", "-d b1:00.0 --cpu 0 --execution-strategy read_throughput_test --control-timeout 1", 1, `no program on the BlueField serves "doca_storage_comch" after 1s`},
		{"initiator_comch", "-d b1:00.0 --cpu 0 --execution-strategy read_throughput_test --json-output " + dir + "/no/results", 1, "/no/results: no such file or directory"},
		{"comch_to_rdma_zero_copy", "--help", 0, "--storage-server <ip:port>"},
		{"comch_to_rdma_zero_copy", "-d 03:00.0 -r b1:00.0 --cpu 0 --storage-server [::1]:5", 1, "is no IPv4 address with a port"},
		{"comch_to_rdma_zero_copy", "-d 03:00.0 -r b1:00.0 --cpu 0 --storage-server 127.0.0.1", 1, "is no IPv4 address with a port"},
		{"comch_to_rdma_zero_copy", "-d 03:00.0 -r 77:00.0 --cpu 0 --storage-server 127.0.0.1:5", 1, "77:00.0"},
		{"target_rdma", "-v", 0, "DOCA Version: 3.0"},
		{"target_rdma", "-d 03:00.0 --cpu 0 --listen-port 65536", 1, "is no port"},
		{"target_rdma", "-d 03:00.0 --cpu 0 --listen-port 80x", 1, "--listen-port: 80x is not a number"},
		{"target_rdma", "-d 03:00.0 --cpu 0 --listen-port 0 --binary-content " + dir + "/none", 1, "no such file"},
		{"target_rdma", "-d 03:00.0 --cpu 0 --listen-port 0 --binary-content " + dir + "/short", 1, "has 100 bytes of contents; 128 blocks of 4096 bytes are 524288"},
		{"target_rdma", "-d 03:00.0 --cpu 0 --listen-port 0 --binary-content " + dir + "/header", 1, "ends in its header"},
		{"target_rdma", "-d 03:00.0 --cpu 0 --listen-port 0 --block-count 7 --file " + dir + "/header", 1, "is no number of blocks of 4096 bytes"},
		{"target_rdma", "-d 03:00.0 --cpu 0 --listen-port 0 --file " + dir, 1, "is a directory"},
		{"target_rdma", "-d 03:00.0 --cpu 0 --listen-port 0 --block-count 2000000 --block-size 65536", 1, "more than 2147483648 bytes"},
	} {
		t.Run(fmt.Sprintf("%s %.60s", c.name, c.args), func(t *testing.T) {
			t.Parallel()
			side := "dpu"
			if c.name == "initiator_comch" {
				side = "host"
			}
			p := newBench(t).start(t, side, c.name, c.args)
			p.ends(t, c.status, c.want)
		})
	}
}

// The options that the flags set reach the program by a file as well.
func TestJSON(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	path := filepath.Join(t.TempDir(), "target.json")
	require.NoError(t, os.WriteFile(path, []byte(`{"doca_program_flags": {"device": "03:00.0", "cpu": [0, 1], "listen-port": 0, "block-count": 7}}`), 0o600))
	target := b.start(t, "dpu", "target_rdma", "--json "+path)
	target.says(t, `cpu_set : \[0 1\],\n(?s:.*)block_count : 7,\n(?s:.*)Waiting for the BlueField`)
	assert.NoError(t, target.cmd.Process.Signal(os.Interrupt))
	target.ends(t, 1, "EXCEPTION: interrupted")
}

// Several initiators, each with a BlueField of its own, are served by one target at the same time, and share its blocks.
func TestSessions(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	path := filepath.Join(t.TempDir(), "storage")
	target := b.target(t, "--cpu 0 --sessions 3 --file "+path)
	var relays, initiators []*program
	for i := range 2 {
		relays = append(relays, b.start(t, "dpu", "comch_to_rdma_zero_copy", fmt.Sprintf("-d 03:00.%d -r b1:00.%d --cpu %d --storage-server 127.0.0.1:%s", i, i, i, b.port)))
		initiators = append(initiators, b.start(t, "host", "initiator_comch",
			fmt.Sprintf("-d b1:00.%d --cpu %d --run-limit-operation-count 20000000 --execution-strategy read_write_data_validity_test", i, i)))
	}
	for i, p := range initiators {
		p.says(t, "The storage is started")
		if i > 0 {
			require.NoError(t, p.cmd.Process.Kill()) // it does no harm to the other one
			relays[i].stopsByItself(t)
		}
	}
	initiators[0].signal(t, syscall.SIGINT)
	initiators[0].ends(t, 1, "| Stats\n", "EXCEPTION: interrupted")
	relays[0].ends(t, 0)
	relay := b.relay(t, "--cpu 0") // the third
	b.initiator(t, "--cpu 0 --execution-strategy read_only_data_validity_test --run-limit-operation-count 128 --transaction-count 8 --storage-plain-content "+path).ends(t, 0, "| Operation count: 128\n")
	relay.ends(t, 0)
	target.ends(t, 1, "EXCEPTION: storage: the peer is gone") // of the second session
}
