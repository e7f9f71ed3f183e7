package examples

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestDPAPrograms(t *testing.T) {
	t.Parallel()
	for name, cases := range map[string][]struct {
		args   string
		status int
		want   []string
	}{
		"dpa_kernel_launch": {
			{"", 0, []string{"The kernel waits for the event", "Hello from kernel", "The kernel has ended",
				"8 threads have added up 10000 numbers: 333283335000", "Sample finished successfully"}},
			{"--pf-device mlx5_9", 1, []string{"DOCA_ERROR_NOT_FOUND", "Sample finished with errors"}},
		},
		"dpa_ping_pong": {
			{"", 0, []string{"100 messages there and back", "Sample finished successfully"}},
			{"-pf_dev mlx5_0 -rdma_dev mlx5_0 -g 0", 0, []string{"100 messages there and back"}},
			{"--pf-device mlx5_0 --rdma-device mlx5_1 --gid-index 1", 0, []string{"100 messages there and back"}},
			{"--pf-device mlx5_9", 1, []string{"DOCA_ERROR_NOT_FOUND", "Sample finished with errors"}},
			{"--gid-index 1000", 1, []string{"DPAConfig.GIDIndex", "Sample finished with errors"}},
		},
		"dpa_initiator_target": {
			{"", 0, []string{"All 4 values arrived in order", "Sample finished successfully"}},
			{"-pf_dev mlx5_0 -g 0", 0, []string{"All 4 values arrived in order"}},
			{"--pf-device mlx5_0 --rdma-device mlx5_1", 0, []string{"All 4 values arrived in order"}},
			{"--rdma-device mlx5_9", 1, []string{"DOCA_ERROR_NOT_FOUND", "Sample finished with errors"}},
		},
		"dpa_msgq_echo": {
			{"-n 20000", 0, []string{"20000 messages there and back, "}},
			{"-n 1000 -window 1 -p 03:00.1", 0, []string{"1000 messages there and back, "}},
			{"-n 3000 -window 1000 -copy 4096", 0, []string{"3000 messages there and back, "}},
			{"-n 0", 1, []string{"give -n of at least 1"}},
			{"-copy 7", 1, []string{"-copy that is a multiple of 8"}},
			{"-p 99:00.0", 1, []string{"this machine has 0000:03:00.0"}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			program := build(t, name)
			for _, c := range cases {
				status, out := run(t, program, c.args)
				assert.Equal(t, c.status, status, out)
				for _, want := range c.want {
					assert.Contains(t, out, want)
				}
				assert.NotContains(t, out, "leak")
			}
		})
	}
}
