package apidiff

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-doca/go-doca/gen/internal/ledger"
)

var update = flag.Bool("update", false, "write the golden files")

// sample compares the two ledgers of testdata, which have all kinds of changes.
func sample(t testing.TB) *Report {
	t.Helper()
	read := func(name string) (*Input, error) {
		return (&Opener{Temp: t.TempDir()}).Open(filepath.Join("testdata", name))
	}
	old, err := read("old.txt")
	require.NoError(t, err)
	new, err := read("new.txt")
	require.NoError(t, err)
	r, err := CompareInputs(old, new, true)
	require.NoError(t, err)
	return r
}

func TestGolden(t *testing.T) {
	r := sample(t)
	for _, format := range Formats {
		var b, again bytes.Buffer
		require.NoError(t, Writer(format)(&b, r))
		require.NoError(t, Writer(format)(&again, sample(t)))
		require.Equal(t, b.String(), again.String())
		file := filepath.Join("testdata", "report."+format)
		if *update {
			require.NoError(t, os.WriteFile(file, b.Bytes(), 0o644))
		}
		want, err := os.ReadFile(file)
		require.NoError(t, err)
		assert.True(t, string(want) == b.String(), "%s differs from the report: go test ./gen/internal/apidiff -run Golden -update, and look at git diff", file)
	}
	assert.Nil(t, Writer("pdf"))
}

// The sample has each kind, but for the one that ledgers cannot have.
func TestSampleHasAllKinds(t *testing.T) {
	t.Parallel()
	r := sample(t)
	for _, k := range Kinds {
		if k != Docs {
			assert.NotZero(t, r.Summary.Kinds[k], k)
		}
	}
}

func TestJSONIsWhatItSays(t *testing.T) {
	t.Parallel()
	r := sample(t)
	var b bytes.Buffer
	require.NoError(t, WriteJSON(&b, r))
	var again Report
	require.NoError(t, json.Unmarshal(b.Bytes(), &again))
	assert.Equal(t, *r, again)
}

func TestHTMLNeedsNothing(t *testing.T) {
	t.Parallel()
	evil := made(t, fn("void doca_x_go(int a)", "func Go(a int32)"))
	evil.Symbols[0].Name, evil.Symbols[0].C = "<script>alert(1)</script>", `"><img src=x onerror=alert(1)>`
	var b bytes.Buffer
	require.NoError(t, WriteHTML(&b, Compare(evil, made(t))))
	assert.NotContains(t, b.String(), "<script>alert")
	assert.NotContains(t, b.String(), "<img")
	assert.NotRegexp(t, regexp.MustCompile(`(src|href)="?(https?:)?//|@import|url\(`), b.String())
	assert.Equal(t, 1, strings.Count(b.String(), "<script>"))
}

func TestFormsWithoutChanges(t *testing.T) {
	t.Parallel()
	for _, format := range Formats {
		var b bytes.Buffer
		require.NoError(t, Writer(format)(&b, Compare(made(t), made(t))))
		want := "No difference."
		if format == "json" {
			want = `"changes": []` // not null, which programs cannot go through
		}
		assert.Contains(t, b.String(), want)
	}
}

// A comment on GitHub has a limit: what breaks comes first, and the rest is counted.
func TestMarkdownFits(t *testing.T) {
	t.Parallel()
	var old, new []string
	for i := range 600 {
		n := strings.Repeat("q", i%7) + strings.Repeat("z", i/7)
		old = append(old, fn("void doca_x_"+n+"(struct doca_x *x, uint32_t len)", "func F"+n+"(x *X)"))
		new = append(new, fn("void doca_x_"+n+"(struct doca_x *x, uint64_t len)", "func F"+n+"(x *X, y int)"))
	}
	for i := range 300 {
		new = append(new, fn("void doca_new_"+strings.Repeat("n", i+1)+"(int a)", "-"))
	}
	var b bytes.Buffer
	require.NoError(t, WriteMarkdown(&b, Compare(made(t, old...), made(t, new...))))
	length := len([]rune(b.String()))
	assert.LessOrEqual(t, length, mostMarkdown)
	assert.Greater(t, length, mostMarkdown*9/10)
	assert.True(t, strings.Contains(b.String(), "of 600 breaking, 300 of 300 compatible additions are not shown"))
	assert.Equal(t, strings.Count(b.String(), "<details"), strings.Count(b.String(), "</details>"))
	assert.Zero(t, strings.Count(b.String(), "```")%2)
}

// What is cut is what weighs least, whatever its library is called; and each library is told of.
func TestMarkdownShowsTheWorstOfEachLibrary(t *testing.T) {
	t.Parallel()
	var old, new []string
	line := func(library, name, params, goForm string) string {
		return fmt.Sprintf("doca_%s.h | doca_%s_%s | function | stable | %s: %s | void doca_%s_%s(%s)", library, library, name, library, goForm, library, name, params)
	}
	for i := range 600 {
		n := strings.Repeat("q", i%7) + strings.Repeat("z", i/7)
		old = append(old, line("aa", n, "struct doca_x *x", "-"))
		new = append(new, line("aa", n, "struct doca_y *y, int a", "-"))
	}
	for _, library := range []string{"mm", "zz"} {
		old = append(old, line(library, "gone", "int a", "func Gone(a int32)"), line(library, "stays", "int a", "func Stays(a int32)"))
		new = append(new, line(library, "stays", "int a", "func Stays(a int32)"))
	}
	old = append(old, line("only", "first", "int a", "func First(a int32)"))
	new = append(new, line("latest", "second", "float f", "func Second(f float32)"))
	var b bytes.Buffer
	require.NoError(t, WriteMarkdown(&b, Compare(made(t, old...), made(t, new...))))
	text := b.String()
	assert.LessOrEqual(t, len([]rune(text)), mostMarkdown)
	for _, want := range []string{
		"| mm | 1 (1) | 0 | 0 | 1 removed |\n| only | 1 (1) | 0 | 0 | only in OLD, 1 removed |\n| zz | 1 (1) | 0 | 0 | 1 removed |\n| aa | 600 (0) | 0 | 0 | 600 with another signature |\n| latest | 0 (0) | 1 | 0 | only in NEW |",
		"- **removed** `doca_mm_gone`", "- **removed** `doca_zz_gone`", "- **removed** `doca_only_first`",
		"<b>Breaking</b>: mm (1)</summary>", " of 600 shown)</summary>",
	} {
		assert.Contains(t, text, want)
	}
	assert.Regexp(t, `\*\*Cut to the length of a comment:\*\* \d+ of 603 breaking, 1 of 1 compatible additions are not shown`, text)
}

func TestHighlight(t *testing.T) {
	t.Parallel()
	a, b := highlight("void f(size_t n, int b)", "void f(uint32_t n, int b)")
	assert.Equal(t, []span{{"void f(", false}, {"size_t", true}, {" n, int b)", false}}, a)
	assert.Equal(t, []span{{"void f(", false}, {"uint32_t", true}, {" n, int b)", false}}, b)
	a, b = highlight("", "int x")
	assert.Empty(t, a)
	assert.Equal(t, []span{{"int x", false}}, b)
	a, _ = highlight(strings.Repeat("a ", 5000), strings.Repeat("b ", 5000))
	assert.Equal(t, []span{{strings.Repeat("a ", 5000), false}}, a)
}

// The two releases that this project knows, against what a person found between them.
func TestReleases(t *testing.T) {
	t.Parallel()
	read := func(name string) *ledger.Ledger {
		l, err := ledger.ReadFile(filepath.Join("..", "..", "..", "generated", "api", name))
		require.NoError(t, err)
		return l
	}
	r := Compare(read("2.5.txt"), read("3.0.txt"))
	is := map[string]Change{}
	for _, c := range r.Changes {
		is[c.Name] = c
	}
	was := map[string]string{}
	for _, p := range renames(r) {
		from, to, _ := strings.Cut(p, " -> ")
		was[to] = from
	}
	for to, from := range map[string]string{
		"doca_comch_server_task_send_set_conf":                       "doca_cc_server_send_task_set_conf",
		"doca_comch_server_task_send_alloc_init":                     "doca_cc_server_send_task_alloc_init",
		"doca_comch_task_send_as_task":                               "doca_cc_send_task_as_task",
		"doca_comch_server_event_connection_status_changed_register": "doca_cc_server_event_connection_register",
		"doca_comch_server_get_device_rep":                           "doca_cc_server_get_device_repr",
		"doca_comch_consumer_task_post_recv_alloc_init":              "doca_cc_consumer_post_recv_task_alloc_init",
		"doca_comch_producer_task_send_set_consumer_id":              "doca_cc_producer_send_task_set_consumer_id",
		"doca_comch_consumer_cap_get_max_num_tasks":                  "doca_cc_consumer_cap_get_max_log_num_tasks",
		"doca_comch_consumer_cap_is_supported":                       "doca_cc_cap_is_consumer_supported",
		"doca_comch_producer_cap_is_supported":                       "doca_cc_cap_is_producer_supported",
		"doca_comch_client_create":                                   "doca_cc_client_create",
		"doca_log_backend_create_with_buf":                           "doca_log_backend_create_with_buffer",
		"doca_log_backend_create_with_buf_sdk":                       "doca_log_backend_create_with_buffer_sdk",
		"doca_dpa_app_get_name":                                      "doca_dpa_app_name_get",
		"doca_rdma_task_read_get_result_len":                         "doca_rdma_task_read_get_result_length",
		"doca_sync_event_add_publisher_location_remote_pci":          "doca_sync_event_add_publisher_location_dpu",
		"doca_sync_event_add_subscriber_location_remote_pci":         "doca_sync_event_add_subscriber_location_dpu",
		"doca_sync_event_export_to_remote_pci":                       "doca_sync_event_export_to_dpu",
		"doca_sync_event_cap_is_export_to_remote_pci_supported":      "doca_sync_event_cap_is_export_to_dpu_supported",
		"doca_sync_event_get_dpa_handle":                             "doca_sync_event_export_to_dpa",
		"doca_sync_event_get_gpu_handle":                             "doca_sync_event_export_to_gpu",
		"DOCA_VERSION_MAJOR":                                         "DOCA_VER_MAJOR",
	} {
		assert.Equal(t, from, was[to], to)
	}
	for name, detail := range map[string]string{
		"doca_buf_arr_create":                         "parameter num_elem (size_t) is new, first",
		"doca_buf_arr_set_params":                     "parameter mmap (struct doca_mmap *) is new, second",
		"doca_buf_arr_get_dpa_handle":                 "parameter dpa_buf_arr is doca_dpa_dev_buf_arr_t *, was struct doca_dpa_dev_buf_arr **",
		"doca_rdma_get_dpa_handle":                    "parameter dpa_rdma is doca_dpa_dev_rdma_t *, was struct doca_dpa_dev_rdma **",
		"doca_rdma_connect":                           "parameter rdma_connection (struct doca_rdma_connection *) is new, last",
		"doca_rdma_export":                            "parameter rdma_connection (struct doca_rdma_connection **) is new, last",
		"doca_rdma_task_send_allocate_init":           "parameter rdma_connection (struct doca_rdma_connection *) is new, second",
		"doca_rdma_task_atomic_cmp_swp_allocate_init": "parameter rdma_connection (struct doca_rdma_connection *) is new, second",
		"doca_dpa_create":                             "parameter app (struct doca_dpa_app *, second) is gone",
		"doca_dpa_dev_rdma_signal_set":                "parameter connection_id (uint32_t) is new, second",
		"doca_comch_server_task_send_set_conf":        "parameter num_send_tasks is uint32_t, was uint8_t",
		"doca_comch_cap_get_max_msg_size":             "parameter size is uint32_t *, was size_t *",
	} {
		assert.Equal(t, Breaking, is[name].Class, name)
		assert.Contains(t, is[name].Details, detail, name)
	}
	assert.Equal(t, []string{ForGo}, is["doca_rdma_set_grh_enabled"].Breaks) // bool and u8 are passed alike
	for _, name := range []string{"doca_rdma_get_grh_enabled", "doca_rdma_cap_get_gid_table_size", "doca_rdma_cap_get_gid",
		"doca_dpa_kernel_launch_update_set"} {
		assert.Equal(t, []Kind{Spelling}, is[name].Kinds, name)
	}
	assert.Contains(t, is["doca_error"].Members, Member{New: "DOCA_ERROR_AUTHENTICATION", Note: "= 28, added"})
	assert.Equal(t, Addition, is["doca_error"].Class)
	gone := names(r, Removed)
	for _, name := range []string{"doca_argp_get_grpc_addr", "doca_argp_set_grpc_program", "doca_devinfo_get_is_dpa_supported",
		"doca_dpa_dev_printf", "doca_dpa_dev_memcpy_nb", "doca_sync_event_task_wait_gt_set_conf"} {
		assert.Contains(t, gone, name)
	}
	come := names(r, Added)
	for _, name := range []string{"doca_ctx_flush_tasks", "doca_task_submit_ex", "doca_pe_set_event_mode", "doca_buf_set_data_len",
		"doca_buf_chain_list_tail", "doca_buf_inventory_expand", "doca_mmap_set_dpa_memrange", "doca_dma_get_gpu_handle",
		"doca_mmap_advise_create", "doca_comch_server_disconnect", "doca_rdma_connection_accept", "doca_rdma_addr_create",
		"doca_sync_event_task_wait_eq_set_conf", "doca_sync_event_set_doca_buf", "doca_dpa_rpc", "doca_dpa_thread_create",
		"doca_dpa_dev_post_memcpy", "doca_comch_msgq_create", "doca_argp_cmd_create"} {
		assert.Contains(t, come, name)
	}
	for _, c := range r.Changes { // the stable library that no one changed
		if c.Library == "dma" {
			assert.Equal(t, Addition, c.Class, c.Name)
		}
	}
}
