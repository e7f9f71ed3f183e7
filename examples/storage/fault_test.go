package storage

import (
	"fmt"
	"net"
	"syscall"
	"testing"
	"time"

	"github.com/go-doca/go-doca/examples/storage/control"
	"github.com/go-doca/go-doca/internal/selfexec"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// endless is the arguments of an initiator that goes on until something ends it.
const endless = "--cpu 0 --run-limit-operation-count 2000000000 --execution-strategy read_write_data_validity_test"

// Whichever program is killed, at whichever stage: the others end with an error, and a new run works.
func TestKills(t *testing.T) {
	t.Parallel()
	stages := []string{"connected", "initialised", "running"}
	lines := map[string][3]string{ // what a program says when it has reached a stage
		"target":    {"Connected with the BlueField", "The data path has", "The storage is started"},
		"relay":     {"waiting for an initiator", "Stage 1: the data path has", "Stage 2: the data path threads run"},
		"initiator": {"Connected: the storage has", "The data path is initialised", "The storage is started"},
	}
	for who, says := range lines {
		for i, stage := range stages {
			t.Run(who+" "+stage, func(t *testing.T) {
				b := newBench(t)
				all := map[string]*program{"target": b.target(t, "--cpu 0")}
				all["relay"] = b.relay(t, "--cpu 0")
				all["initiator"] = b.initiator(t, endless+" --control-timeout 10")
				all[who].says(t, says[i])
				if stage == "running" {
					time.Sleep(20 * time.Millisecond) // some requests
				}
				all[who].signal(t, syscall.SIGKILL)
				for name, p := range all {
					if name != who {
						p.stopsByItself(t)
					}
				}
				b.works(t)
			})
		}
	}
}

// The same with the older variant, while requests are in flight.
func TestOlderKills(t *testing.T) {
	t.Parallel()
	const older = "--cpu 0 --older-messages "
	for _, who := range []string{"target", "relay", "initiator"} {
		t.Run(who, func(t *testing.T) {
			b := newBench(t)
			all := map[string]*program{"target": b.target(t, older)}
			all["relay"] = b.relay(t, older)
			all["initiator"] = b.initiator(t, older+"--operation write --validate-writes --run-limit-operation-count 2000000000")
			all["initiator"].says(t, "The storage is started")
			all[who].signal(t, syscall.SIGKILL)
			for name, p := range all {
				if name != who {
					p.stopsByItself(t)
				}
			}
			b.works(t)
		})
	}
}

// A program that is stopped, and so neither answers nor disappears: the initiator does not wait for ever, and the session is over for
// the others as well. An initiator that was stopped itself goes on.
func TestStops(t *testing.T) {
	t.Parallel()
	for _, who := range []string{"target", "relay", "initiator"} {
		t.Run(who, func(t *testing.T) {
			b := newBench(t)
			b.wrap = func(string) (command []string, env []string) {
				return nil, []string{"DOCA_EMU_RDMA_TIMEOUT=30000"} // the initiator is to notice it first
			}
			all := map[string]*program{"target": b.target(t, "--cpu 0")}
			all["relay"] = b.relay(t, "--cpu 0")
			all["initiator"] = b.initiator(t, endless+" --control-timeout 10")
			all["initiator"].says(t, "The storage is started")
			selfexec.Stop(t, all[who].cmd.Process)
			if who == "initiator" {
				time.Sleep(11 * time.Second) // longer than its limit
				all[who].signal(t, syscall.SIGCONT)
				all[who].signal(t, syscall.SIGINT)
				all[who].ends(t, 1, "| Stats\n", "EXCEPTION: interrupted")
				all["relay"].ends(t, 0)
				all["target"].ends(t, 0)
				return
			}
			all["initiator"].ends(t, 1, "none has ended in 10s: do the BlueField's program and the target still run?")
			if who == "target" {
				all["relay"].ends(t, 1, "the initiator has ended the connection")
			}
			all[who].signal(t, syscall.SIGCONT)
			all["relay"].stopsByItself(t)
			all["target"].stopsByItself(t)
			b.works(t)
		})
	}
}

// A second interrupt ends a program that waits for a peer which does not answer.
func TestSecondInterrupt(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	target, relay := b.target(t, "--cpu 0"), (*program)(nil)
	relay = b.relay(t, "--cpu 0")
	initiator := b.initiator(t, endless+" --control-timeout 1000")
	initiator.says(t, "The storage is started")
	selfexec.Stop(t, relay.cmd.Process)
	for initiator.signal(t, syscall.SIGINT); ; {
		select {
		case <-initiator.done:
		case <-time.After(100 * time.Millisecond):
			_ = initiator.cmd.Process.Signal(syscall.SIGINT) // it may have ended
			continue
		}
		break
	}
	assert.Equal(t, syscall.SIGINT, initiator.cmd.ProcessState.Sys().(syscall.WaitStatus).Signal())
	relay.signal(t, syscall.SIGCONT)
	relay.stopsByItself(t)
	target.stopsByItself(t)
	b.works(t)
}

// A second relay waits until the target serves again, and says so.
func TestSecondRelay(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	target := b.target(t, "--cpu 0")
	relay := b.relay(t, "--cpu 0")
	initiator := b.initiator(t, endless)
	initiator.says(t, "The storage is started")
	second := b.start(t, "dpu", "comch_to_rdma_zero_copy", "-d 03:00.1 -r b1:00.1 --cpu 0 --storage-server 127.0.0.1:"+b.port)
	second.says(t, "Nobody listens at 127.0.0.1:"+b.port)
	b.relay(t, "--cpu 0").ends(t, 1, "another server for this function has this name") // a third, in the place of the first
	initiator.signal(t, syscall.SIGINT)
	initiator.ends(t, 1, "interrupted")
	relay.ends(t, 0)
	target.ends(t, 0)
	again := b.start(t, "dpu", "target_rdma", "-d 03:00.1 --cpu 0 --listen-port "+b.port)
	second.says(t, "waiting for an initiator")
	b.start(t, "host", "initiator_comch", "-d b1:00.1 --cpu 0 --run-limit-operation-count 100 --execution-strategy read_throughput_test").ends(t, 0)
	second.ends(t, 0)
	again.ends(t, 0)
}

// Too few cores are an error that all three show.
func TestTooManyCores(t *testing.T) {
	t.Parallel()
	const args = " --execution-strategy read_throughput_test --run-limit-operation-count 100"
	t.Run("relay", func(t *testing.T) {
		b := newBench(t)
		target := b.target(t, "--cpu 0 --cpu 1")
		relay := b.relay(t, "--cpu 0")
		b.initiator(t, "--cpu 0 --cpu 1"+args).ends(t, 1, "the initiator wants 2 cores, the BlueField's program has 1: repeat --cpu there", "INVALID_VALUE")
		relay.ends(t, 1, "EXCEPTION: init storage request: DOCA_ERROR_INVALID_VALUE")
		target.ends(t, 1, "EXCEPTION: storage: the peer is gone")
		b.works(t)
	})
	t.Run("target", func(t *testing.T) {
		b := newBench(t)
		target := b.target(t, "--cpu 0")
		relay := b.relay(t, "--cpu 0 --cpu 1")
		b.initiator(t, "--cpu 0 --cpu 1"+args).ends(t, 1, "the initiator wants 2 cores, the target has 1: repeat --cpu there", "INVALID_VALUE")
		relay.ends(t, 1, "EXCEPTION: init storage request: the target at ")
		target.ends(t, 1, "EXCEPTION: init storage request")
		b.works(t)
	})
	t.Run("no such CPU", func(t *testing.T) {
		b := newBench(t)
		target, relay := b.target(t, "--cpu 0"), (*program)(nil)
		relay = b.relay(t, "--cpu 0")
		b.initiator(t, "--cpu 0 --cpu 1000"+args).ends(t, 1, "cannot run on CPU 1000") // before it connects
		relay.says(t, "waiting for an initiator")
		relay.signal(t, syscall.SIGINT)
		relay.ends(t, 1, "EXCEPTION: interrupted")
		target.stopsByItself(t)
		b.start(t, "dpu", "target_rdma", "-d 03:00.1 --cpu 1000 --listen-port 0").ends(t, 1, "cannot run on CPU 1000")
		b.relay(t, "--cpu 1000").ends(t, 1, "cannot run on CPU 1000")
	})
	t.Run("more cores than blocks", func(t *testing.T) {
		b := newBench(t)
		target := b.target(t, "--cpu 0 --block-count 1")
		relay := b.relay(t, "--cpu 0 --cpu 1")
		b.initiator(t, "--cpu 0 --cpu 1"+args).ends(t, 1, "too small for 2 cores", "INVALID_VALUE")
		relay.stopsByItself(t)
		target.stopsByItself(t)
	})
}

// The relay waits for a target without limit, and says so; the initiator does not wait for ever.
func TestWrongPort(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.port = fmt.Sprint(selfexec.DeadPort(t))
	relay := b.relay(t, "--cpu 0")
	relay.says(t, "Nobody listens at 127.0.0.1:"+b.port+" yet: is the target started, and the port right?")
	b.initiator(t, endless+" --control-timeout 1").ends(t, 1, `no program on the BlueField serves "doca_storage_comch" after 1s`)
	relay.signal(t, syscall.SIGTERM)
	relay.ends(t, 1, "EXCEPTION: interrupted")
	b.works(t)
}

// Something else than a target answers, or nothing does.
func TestNoTarget(t *testing.T) {
	t.Parallel()
	for name, answer := range map[string]string{"another protocol": "220 mail.example ESMTP\r\n", "silence": ""} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			l, err := net.Listen("tcp4", "127.0.0.1:0")
			require.NoError(t, err)
			defer l.Close()
			b.port = fmt.Sprint(l.Addr().(*net.TCPAddr).Port)
			relay := b.relay(t, "--cpu 0 --control-timeout 20")
			conn, err := l.Accept()
			require.NoError(t, err)
			defer conn.Close()
			initiator := b.initiator(t, endless+" --control-timeout 20") // the same; it is told the reason all the same
			_, err = conn.Write([]byte(answer))
			require.NoError(t, err)
			if answer == "" {
				relay.ends(t, 1, "has not answered the query storage request in 18s")
				initiator.ends(t, 1, "the BlueField has answered: ", "has not answered the query storage request in 18s")
			} else {
				relay.ends(t, 1, "malformed control message")
				initiator.stopsByItself(t)
			}
			b.works(t)
		})
	}
}

// Something else than a relay connects to the target.
func TestNoRelay(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	target := b.target(t, "--cpu 0")
	conn, err := net.Dial("tcp4", "127.0.0.1:"+b.port)
	require.NoError(t, err)
	defer conn.Close()
	_, err = conn.Write([]byte("GET / HTTP/1.1\r\n\r\n"))
	require.NoError(t, err)
	target.ends(t, 1, "malformed control message")
}

// Programs that speak different variants do not understand each other, and say so.
func TestOldPeer(t *testing.T) {
	t.Parallel()
	for older, args := range map[string][3]string{"target": {"--older-messages"}, "relay": {1: "--older-messages"}, "initiator": {2: "--older-messages --operation read"}} {
		t.Run(older, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			all := []*program{b.target(t, "--cpu 0 "+args[0])}
			all = append(all, b.relay(t, "--cpu 0 --command-channel-name x --control-timeout 10 "+args[1]),
				b.initiator(t, endless+" --command-channel-name x --control-timeout 10 "+args[2]))
			said := ""
			for _, p := range all {
				p.stopsByItself(t)
				said += p.output()
			}
			assert.Contains(t, said, "do both sides speak the same variant of the protocol?")
			b.works(t)
		})
	}
}

// The port is taken.
func TestPortInUse(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	first := b.target(t, "--cpu 0")
	b.start(t, "dpu", "target_rdma", "-d 03:00.0 --cpu 0 --listen-port "+b.port).ends(t, 1, "address already in use")
	first.signal(t, syscall.SIGINT)
	first.ends(t, 1, "EXCEPTION: interrupted")
}

// faulty makes one of the programs a faulty one.
func (b *bench) faulty(program, faults string) {
	b.wrap = func(name string) (command []string, env []string) {
		if name == program {
			env = []string{"DOCA_EMU_FAULTS=" + faults}
		}
		return nil, env
	}
}

// A relay that cannot close what it has, at the end, says so to the initiator, whose results are not lost.
func TestRelayCannotClose(t *testing.T) {
	t.Parallel()
	for variant, args := range map[string]string{
		"":                  "--execution-strategy read_throughput_test",
		"--older-messages ": "--operation read",
	} {
		t.Run(variant, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			b.faulty("comch_to_rdma_zero_copy", "fail-call=doca_pe_destroy:1")
			target := b.target(t, variant+"--cpu 0")
			relay := b.relay(t, variant+"--cpu 0")
			initiator := b.initiator(t, variant+"--cpu 0 --run-limit-operation-count 100 "+args)
			initiator.ends(t, 1, "| Stats\n", "| Operation count: 100\n", "EXCEPTION: the BlueField has answered: ", "doca_pe_destroy: DOCA_ERROR_DRIVER")
			relay.ends(t, 1, "doca_pe_destroy: DOCA_ERROR_DRIVER", "| Operation count: 100\n")
			target.ends(t, 0)
		})
	}
}

// A program whose own task fails says that, though its peer has left for that reason.
func TestOwnTaskFails(t *testing.T) {
	t.Parallel()
	for name, says := range map[string]string{
		"target_rdma":             "send on rdma connection",
		"comch_to_rdma_zero_copy": "send on rdma connection",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			b.faulty(name, "fail-task=send:300")
			all := []*program{b.target(t, "--cpu 0")}
			all = append(all, b.relay(t, "--cpu 0"), b.initiator(t, endless))
			for _, p := range all {
				p.stopsByItself(t)
				if p.name == name {
					assert.Contains(t, p.output(), says)
					assert.Contains(t, p.output(), "DOCA_ERROR_IO_FAILED")
				}
			}
		})
	}
}

// When blocks cannot be moved, the target says why: the initiator knows a code alone.
func TestBlocksCannotBeMoved(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.faulty("target_rdma", "fail-task=read:1")
	target, relay := b.target(t, "--cpu 0"), (*program)(nil)
	relay = b.relay(t, "--cpu 0")
	b.initiator(t, endless).ends(t, 1, "DOCA_ERROR_IO_FAILED: the storage could not write 4096 bytes at ")
	relay.stopsByItself(t)
	target.stopsByItself(t)
	assert.Regexp(t, `Core 0 could not move blocks: .*DOCA_ERROR_IO_FAILED`, target.output())
}

// An interrupt of the initiator ends the session as its limit would: nothing in flight is lost, and the others succeed.
func TestInterruptInitiator(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	target := b.target(t, "--cpu 0 --cpu 1")
	relay := b.relay(t, "--cpu 0 --cpu 1")
	initiator := b.initiator(t, endless+" --cpu 1")
	initiator.says(t, "The storage is started")
	initiator.signal(t, syscall.SIGINT)
	initiator.ends(t, 1, "| Stats\n", "EXCEPTION: interrupted")
	relay.ends(t, 0)
	target.ends(t, 0)
}

// An interrupt while the data path is set up ends the session, too, and the initiator says what has ended it.
func TestInterruptInitiatorEarly(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	b.port = fmt.Sprint(l.Addr().(*net.TCPAddr).Port)
	relay := b.relay(t, "--cpu 0 --control-timeout 60")
	conn, err := l.Accept()
	require.NoError(t, err)
	target := control.NewPeer(control.OverTCP(conn, "the relay", control.Frames, patience), patience)
	defer target.Close()
	initiator := b.initiator(t, endless+" --control-timeout 60")
	query, err := target.RecvMessage(t.Context())
	require.NoError(t, err)
	answer := query.Response()
	answer.Storage = control.Storage{Size: 4096, BlockSize: 512}
	require.NoError(t, target.SendMessage(t.Context(), answer))
	_, err = target.RecvMessage(t.Context()) // init storage, which gets no answer
	require.NoError(t, err)
	initiator.signal(t, syscall.SIGINT)
	initiator.ends(t, 1, "EXCEPTION: interrupted\n")
	relay.ends(t, 1, "the initiator has ended the connection")
}

// An interrupt of the relay or the target ends the session with an error of all.
func TestInterruptOthers(t *testing.T) {
	t.Parallel()
	for _, who := range []string{"target", "relay"} {
		t.Run(who, func(t *testing.T) {
			b := newBench(t)
			all := map[string]*program{"target": b.target(t, "--cpu 0")}
			all["relay"] = b.relay(t, "--cpu 0")
			initiator := b.initiator(t, endless)
			initiator.says(t, "The storage is started")
			all[who].signal(t, syscall.SIGINT)
			all[who].ends(t, 1, "EXCEPTION: interrupted")
			initiator.stopsByItself(t)
			for _, p := range all {
				p.stopsByItself(t)
			}
			b.works(t)
		})
	}
}

// A second initiator is refused while the first one is served.
func TestSecondInitiator(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	target := b.target(t, "--cpu 0")
	relay := b.relay(t, "--cpu 0")
	first := b.initiator(t, endless)
	first.says(t, "The storage is started")
	b.initiator(t, endless+" --control-timeout 20").stopsByItself(t)
	relay.says(t, "Another initiator was refused")
	first.signal(t, syscall.SIGINT)
	first.ends(t, 1, "interrupted")
	relay.ends(t, 0)
	target.ends(t, 0)
}
