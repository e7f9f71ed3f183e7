//go:build !race && !asan

package rdma_test

const raceEnabled = false
