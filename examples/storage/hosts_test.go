package storage

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-doca/go-doca/internal/slowlink"
)

// newHosts makes a bench with the target on another host: in another network namespace. The cable between them delays and
// loses packets as slow says; nil is for none.
func newHosts(t *testing.T, slow *slowlink.Config) (b *bench, slowLink *slowlink.Link) {
	if os.Getuid() != 0 {
		t.Skip("another host needs root, for a network namespace")
	}
	if _, err := exec.LookPath("ip"); err != nil {
		t.Skip("another host needs ip (iproute2), for a network namespace")
	}
	near, far := fmt.Sprintf("gostor%d%sa", os.Getpid(), t.Name()), fmt.Sprintf("gostor%d%sb", os.Getpid(), t.Name())
	ip := func(args string) error {
		out, err := exec.Command("ip", strings.Fields(args)...).CombinedOutput()
		if err != nil {
			return fmt.Errorf("ip %s: %w: %s", args, err, out)
		}
		return nil
	}
	for _, ns := range []string{near, far} {
		if err := ip("netns add " + ns); err != nil {
			t.Skipf("no network namespaces here: %v", err)
		}
		t.Cleanup(func() { _ = ip("netns del " + ns) })
	}
	if slow == nil {
		require.NoError(t, ip("link add va netns "+near+" type veth peer name vb netns "+far))
	} else {
		link, err := slowlink.New([2]string{near, far}, [2]string{"va", "vb"}, *slow)
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, link.Close()) })
		slowLink = link
	}
	for _, args := range []string{
		"-n " + near + " addr add 10.77.0.1/24 dev va", "-n " + far + " addr add 10.77.0.2/24 dev vb",
		"-n " + near + " link set va up", "-n " + far + " link set vb up", "-n " + near + " link set lo up", "-n " + far + " link set lo up",
	} {
		require.NoError(t, ip(args))
	}
	b = newBench(t)
	b.host = "10.77.0.2"
	b.wrap = func(program string) ([]string, []string) {
		if program == "target_rdma" {
			return []string{"ip", "netns", "exec", far}, []string{"DOCA_EMU_RUNTIME_DIR=" + b.dir + "-far", "DOCA_EMU_RDMA_ADDRESS=10.77.0.2"}
		}
		return []string{"ip", "netns", "exec", near}, []string{"DOCA_EMU_RDMA_ADDRESS=10.77.0.1"}
	}
	return b, slowLink
}

// link cuts the network, and joins it again.
func (b *bench) link(t *testing.T, state string) {
	t.Helper()
	command, _ := b.wrap("initiator_comch")
	command = append(command, "ip", "link", "set", "va", state)
	out, err := exec.Command(command[0], command[1:]...).CombinedOutput()
	require.NoError(t, err, string(out))
}

// The target is on another host: RDMA goes over the network.
func TestOtherHost(t *testing.T) {
	t.Parallel()
	b, _ := newHosts(t, nil)
	b.works(t)
	t.Run("cut", func(t *testing.T) {
		target := b.target(t, "--cpu 0")
		relay := b.relay(t, "--cpu 0")
		initiator := b.initiator(t, endless)
		initiator.says(t, "The storage is started")
		b.link(t, "down")
		target.ends(t, 1, "EXCEPTION: storage: the peer is gone: the BlueField at 10.77.0.1:", " cannot be reached any more")
		relay.ends(t, 1, "EXCEPTION: storage: the peer is gone: the target at 10.77.0.2:", " cannot be reached any more")
		initiator.stopsByItself(t)
		b.link(t, "up")
	})
	b.works(t)
}

// The network between the target and the others is slow, and loses packets. Nothing is lost but time.
func TestSlowNetwork(t *testing.T) {
	t.Parallel()
	const loseEach, operations, size, packet = 100, 4000, 1024, 1500
	b, link := newHosts(t, &slowlink.Config{Delay: 5 * time.Millisecond, LoseEach: loseEach})
	for older, args := range map[string][2]string{
		"":                  {"--block-size 1024", "--execution-strategy read_write_data_validity_test"},
		"--older-messages ": {"", "--operation write --validate-writes --buffer-size 1024"},
	} {
		carried, _ := link.Carried()
		lost := link.Lost()
		target := b.target(t, older+"--cpu 0 --cpu 1 "+args[0])
		relay := b.relay(t, older+"--cpu 0 --cpu 1")
		initiator := b.initiator(t, fmt.Sprintf("%s--cpu 0 --cpu 1 --run-limit-operation-count %d %s", older, operations/2, args[1]))
		initiator.ends(t, 0, fmt.Sprintf("| Operation count: %d\n", operations))
		relay.ends(t, 0)
		target.ends(t, 0)
		now, delayed := link.Carried()
		assert.Equal(t, now, delayed, "all packets are on their way for as long as the delay")
		assert.GreaterOrEqual(t, now-carried, int64(operations*size/packet), "the blocks come by this network")
		assert.GreaterOrEqual(t, link.Lost()-lost, (now-carried)/loseEach-2, "of each direction, every so many packets are lost")
	}
}
