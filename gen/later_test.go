package main

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// What 3.1 and 3.2 have added is all that differs: 20 functions, three values and a type.
func TestDiffOfAdditions(t *testing.T) {
	t.Parallel()
	status, out, errOut := gen("diff", "-format", "json", reference, newest)
	require.Zero(t, status, errOut)
	var r struct {
		Summary struct{ Breaking, Addition, Compatible int }
		Changes []struct {
			Name, Header, Class string
			Members             []struct{ New, Note string }
		}
	}
	require.NoError(t, json.Unmarshal([]byte(out), &r))
	assert.Zero(t, r.Summary.Breaking)
	have := map[string][]string{}
	for _, c := range r.Changes {
		assert.Equal(t, "addition", c.Class, c.Name)
		if len(c.Members) == 0 {
			have[c.Header] = append(have[c.Header], c.Name)
		}
		for _, m := range c.Members {
			have[c.Header] = append(have[c.Header], m.New+" "+m.Note)
		}
		slices.Sort(have[c.Header])
	}
	assert.Equal(t, map[string][]string{
		"doca_ctx.h": {"doca_ctx_profiler_set_max_nranges"},
		"doca_dev.h": {
			"doca_devinfo_get_data_direct_pci_dev", "doca_devinfo_get_iface_index", "doca_devinfo_get_pci_func_type", "doca_devinfo_get_sf_index",
			"doca_devinfo_get_uplink_ib_port", "doca_devinfo_rep_get_data_direct_pci_dev", "doca_devinfo_rep_get_host_index", "doca_devinfo_rep_get_ib_port",
			"doca_devinfo_rep_get_iface_index", "doca_devinfo_rep_get_pf_index", "doca_devinfo_rep_get_pf_vuid", "doca_devinfo_rep_get_sf_index",
			"doca_devinfo_rep_get_total_vfs", "doca_devinfo_rep_get_vf_index",
		},
		"doca_dma.h":   {"doca_dma_get_ordered_completions", "doca_dma_set_ordered_completions"},
		"doca_error.h": {"DOCA_ERROR_DEVICE_FATAL_ERROR = 31, added"},
		"doca_mmap.h":  {"doca_mmap_cap_get_max_export_access_token_size", "doca_mmap_get_mkey", "doca_mmap_set_export_access_token"},
		"doca_pe.h":    {"DOCA_TASK_SUBMIT_FLAG_RANGE_PROFILING_PROCESSED = 8, added", "DOCA_TASK_SUBMIT_FLAG_RANGE_PROFILING_REQUESTED = 4, added"},
		"doca_types.h": {"doca_ip"},
	}, have)
}
