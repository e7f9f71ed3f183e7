// SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A generated package that can tell something of a device is asked.
func TestEveryLibraryIsAsked(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("../../generated/*/library.go")
	require.NoError(t, err)
	names := libraryNames()
	for i, name := range names {
		names[i] = strings.ReplaceAll(name, "_", "")
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		if strings.Contains(string(text), "\nvar Queries = ") {
			assert.Contains(t, names, filepath.Base(filepath.Dir(file)))
		}
	}
}

func TestCapabilityNames(t *testing.T) {
	t.Parallel()
	for _, want := range []capability{
		{"dma", "doca_dma_cap_task_memcpy_is_supported", "task memcpy", "", nil},
		{"dma", "doca_dma_cap_task_memcpy_get_max_buf_size", "task memcpy max buf size", "bytes", nil},
		{"comch", "doca_comch_consumer_cap_is_supported", "consumer", "", nil},
		{"rdma", "doca_rdma_cap_get_gid_table_size", "gid table size", "", nil},
		{"rdma", "doca_rdma_cap_task_remote_net_sync_event_get_is_supported", "task remote net sync event get", "", nil},
		{"rdma", "doca_rdma_cap_transport_type_is_supported rc", "transport type rc", "", nil},
		{"dpa", "doca_dpa_cap_is_supported", "supported", "", nil},
		{"erasure_coding", "doca_ec_cap_task_galois_mul_is_supported", "task galois mul", "", nil},
		{"common", "doca_devinfo_rep_cap_is_filter_all_supported", "devinfo rep filter all", "", nil},
		{"sync_event", "doca_sync_event_cap_task_get_is_supported", "task get", "", nil},
	} {
		assert.Equal(t, want, describe(want.Library, want.Function))
	}
}
