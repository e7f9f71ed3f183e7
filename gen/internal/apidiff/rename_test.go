package apidiff

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-doca/go-doca/gen/internal/ledger"
)

// renames are the pairs of a report, those of prefixes among them.
func renames(r *Report) []string {
	var out []string
	for _, c := range r.Changes {
		switch {
		case c.Symbol == Prefix:
			for _, m := range c.Members {
				out = append(out, m.Old+" -> "+m.New)
			}
		case c.Was != "":
			out = append(out, c.Was+" -> "+c.Name)
		}
	}
	slices.Sort(out)
	return out
}

// names are those of the changes of a kind.
func names(r *Report, k Kind) []string {
	var out []string
	for _, c := range r.Changes {
		if c.Has(k) {
			out = append(out, c.Name)
		}
	}
	slices.Sort(out)
	return out
}

func TestRenames(t *testing.T) {
	t.Parallel()
	x := func(name string) string {
		return fn("doca_error_t "+name+"(struct doca_x *x, uint32_t n)", "func F() (err error)")
	}
	for name, c := range map[string]struct{ old, new, want []string }{
		"abbreviated": {
			[]string{x("doca_x_get_result_length"), x("doca_x_with_buffer")},
			[]string{x("doca_x_get_result_len"), x("doca_x_with_buf")},
			[]string{"doca_x_get_result_length -> doca_x_get_result_len", "doca_x_with_buffer -> doca_x_with_buf"},
		},
		"the best one": {
			[]string{x("doca_x_dev_read_length")},
			[]string{x("doca_x_dev_post_buf_read_length"), x("doca_x_dev_read_len"), x("doca_x_dev_post_read_length")},
			[]string{"doca_x_dev_read_length -> doca_x_dev_read_len"},
		},
		"two equally good ones": {
			[]string{x("doca_x_task_send_recv_alloc")},
			[]string{x("doca_x_task_send_recv_alloc_one"), x("doca_x_task_send_recv_alloc_two")},
			nil,
		},
		"opposites": {
			[]string{x("doca_x_task_memcpy_get_src"), x("doca_x_task_wait_gt_set_conf"), x("doca_x_conn_start_all_now")},
			[]string{x("doca_x_task_memcpy_get_dst"), x("doca_x_task_wait_eq_set_conf"), x("doca_x_conn_stop_all_now")},
			nil,
		},
		"another word, once": {
			[]string{x("doca_x_task_memcpy_get_colour")}, []string{x("doca_x_task_memcpy_get_weight")}, nil,
		},
		"another word, again and again": {
			[]string{x("doca_x_add_publisher_location_dpu"), x("doca_x_add_subscriber_location_dpu"), x("doca_x_to_dpu")},
			[]string{x("doca_x_add_publisher_location_remote_pci"), x("doca_x_add_subscriber_location_remote_pci"), x("doca_x_to_remote_pci")},
			[]string{"doca_x_add_publisher_location_dpu -> doca_x_add_publisher_location_remote_pci",
				"doca_x_add_subscriber_location_dpu -> doca_x_add_subscriber_location_remote_pci", "doca_x_to_dpu -> doca_x_to_remote_pci"},
		},
		"another signature": {
			[]string{fn("void doca_x_create(struct doca_x *x)", "-")},
			[]string{fn("doca_error_t doca_x_completion_create(uint32_t a, const char *name, struct doca_completion **out)", "-")},
			nil,
		},
		"another kind": {
			[]string{x("doca_x_get_result_length")},
			[]string{"doca_x.h | doca_x_get_result_len | object | - | x: - | struct doca_x_get_result_len"},
			nil,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := Compare(made(t, c.old...), made(t, c.new...))
			assert.Equal(t, c.want, renames(r))
			assert.Len(t, names(r, Removed), len(c.old)-len(c.want))
			assert.Len(t, names(r, Added), len(c.new)-len(c.want))
		})
	}
}

// channel is a library whose names begin with doca_<p>_, in the style of Comch.
func channel(p, sz string, more ...string) []string {
	up := strings.ToUpper(p)
	h := "doca_" + p + ".h"
	lines := []string{
		h + " | doca_" + p + "_server | object | - | " + p + ": type Server | struct doca_" + p + "_server",
		h + " | doca_" + p + "_kind | enum | - | " + p + ": type Kind | enum doca_" + p + "_kind",
		h + " | DOCA_" + up + "_KIND_A | enumerator | - | " + p + ": const KindA Kind | enum doca_" + p + "_kind: 0",
	}
	for _, f := range []string{"create", "destroy", "start", "stop", "reset"} {
		lines = append(lines, fmt.Sprintf("%s | doca_%s_%s | function | stable | %s: func %s(s *Server) (err error) | int doca_%s_%s(struct doca_%s_server *s)", h, p, f, p, f, p, f, p))
	}
	lines = append(lines, fmt.Sprintf("%s | doca_%s_size | function | stable | %s: func Size() (n %s) | int doca_%s_size(%s *n)", h, p, p, sz, p, sz))
	return append(lines, more...)
}

func TestPrefix(t *testing.T) {
	t.Parallel()
	old := channel("cc", "uint64_t", "doca_cc.h | doca_cc_send_task | object | - | cc: type SendTask | struct doca_cc_send_task",
		"doca_cc.h | doca_cc_send_task_go | function | stable | cc: func SendTaskGo(t *SendTask) | void doca_cc_send_task_go(struct doca_cc_send_task *t)")
	new := channel("comch", "uint32_t", "doca_comch.h | doca_comch_task_send | object | - | comch: type TaskSend | struct doca_comch_task_send",
		"doca_comch.h | doca_comch_task_send_go | function | stable | comch: func TaskSendGo(t *TaskSend) | void doca_comch_task_send_go(struct doca_comch_task_send *t)")
	r := Compare(made(t, old...), made(t, new...))
	var titles []string
	for _, c := range r.Changes {
		titles = append(titles, fmt.Sprint(c.Kinds, " ", c.title()))
	}
	assert.Equal(t, []string{
		"[renamed] doca_cc_ -> doca_comch_",
		"[renamed signature] doca_cc_size -> doca_comch_size (function)",
		"[renamed] doca_cc_send_task -> doca_comch_task_send (object)",
		"[renamed] doca_cc_send_task_go -> doca_comch_task_send_go (function)",
	}, titles)
	assert.Len(t, r.Changes[0].Members, 7)
	assert.Equal(t, "Import comch instead of cc. The Go names in the package are the same. Other changes are listed separately.", r.Changes[0].Means)
	assert.Empty(t, r.Notes)
}

// A library whose names have gained a word is one change, though other libraries begin as it did; what has changed besides is
// told by itself. So it is the other way round.
func TestPrefixGainsAWord(t *testing.T) {
	t.Parallel()
	line := func(library, header, name, params, goName string) string {
		return fmt.Sprintf("%s.h | %s | function | stable | %s: func %s() (err error) | doca_error_t %s(%s)", header, name, library, goName, name, params)
	}
	var old, new []string
	for i := range 60 {
		rest := fmt.Sprintf("%s_%s", strings.Repeat("a", i%9+1), strings.Repeat("b", i+1))
		params := "struct doca_tele *t"
		old = append(old, line("tele", "doca_tele", "doca_tele_"+rest, params, "F"+fmt.Sprint(i)))
		if i == 7 {
			params = "struct doca_tele_exporter *t, uint32_t more"
		} else {
			params = "struct doca_tele_exporter *t"
		}
		new = append(new, line("teleexporter", "doca_tele_exporter", "doca_tele_exporter_"+rest, params, "F"+fmt.Sprint(i)))
	}
	old = append(old, "doca_tele.h | doca_tele | object | - | tele: type Tele | struct doca_tele",
		line("tele", "doca_tele", "doca_tele_ipfix_only", "void", "IpfixOnly"), line("telediag", "doca_tele_diag", "doca_tele_diag_start", "void", "Start"))
	new = append(new, "doca_tele_exporter.h | doca_tele_exporter | object | - | teleexporter: type Tele | struct doca_tele_exporter",
		line("telediag", "doca_tele_diag", "doca_tele_diag_start", "void", "Start"), line("telediag", "doca_tele_diag", "doca_tele_diag_stop", "void", "Stop"))
	for name, c := range map[string]struct {
		old, new []string
		want     []string
	}{
		"gains": {old, new, []string{"prefix doca_tele_exporter_ was doca_tele_: 60", "renamed signature doca_tele_exporter_", "removed doca_tele_ipfix_only", "added doca_tele_diag_stop"}},
		"loses": {new, old, []string{"prefix doca_tele_ was doca_tele_exporter_: 60", "renamed signature doca_tele_", "removed doca_tele_diag_stop", "added doca_tele_ipfix_only"}},
	} {
		t.Run(name, func(t *testing.T) {
			r := Compare(made(t, c.old...), made(t, c.new...))
			var have []string
			for _, ch := range r.Changes {
				switch {
				case ch.Symbol == Prefix:
					have = append(have, fmt.Sprintf("prefix %s was %s: %d", ch.Name, ch.Was, len(ch.Members)))
				case ch.Has(Renamed):
					have = append(have, joined(ch.Kinds)+" "+ch.Name[:len(ch.Name)-len("aaaaaaaa_bbbbbbbb")])
				default:
					have = append(have, joined(ch.Kinds)+" "+ch.Name)
				}
			}
			assert.ElementsMatch(t, c.want, have)
			assert.NotContains(t, strings.Join(r.Notes, "\n"), "tele is only")
		})
	}
}

// A prefix that is still there, or that was there already, was not renamed.
func TestNoPrefix(t *testing.T) {
	t.Parallel()
	left := "doca_cc.h | doca_cc_left | object | - | cc: type Left | struct doca_cc_left"
	before := "doca_comch.h | doca_comch_left | object | - | comch: type Left | struct doca_comch_left"
	for _, c := range [][2][]string{
		{channel("cc", "int", left), channel("comch", "int", left)},
		{channel("cc", "int", before), channel("comch", "int", before)},
	} {
		r := Compare(made(t, c[0]...), made(t, c[1]...))
		assert.NotContains(t, names(r, Renamed), "doca_comch_")
	}
}

func TestMissingLibraryIsNoted(t *testing.T) {
	t.Parallel()
	r := Compare(made(t, channel("cc", "int")...), made(t, fn("void doca_x_go(int a)", "-")))
	assert.Equal(t, []string{"library cc is only in OLD: if NEW was made without it, symbols that are reported as removed may still exist",
		"library x is only in NEW"}, r.Notes)
}

// random makes a ledger out of few words, so that there is much to be confused.
func random(rnd *rand.Rand, n int) *ledger.Ledger {
	some := []string{"get", "set", "src", "dst", "len", "length", "buf", "buffer", "task", "x", "cc", "comch", "a", "b"}
	typs := []string{"int", "size_t", "struct doca_x *", "const char *", "enum doca_k", "doca_h_t"}
	kinds := []ledger.Kind{ledger.Function, ledger.Function, ledger.Function, ledger.Object, ledger.Macro, ledger.Typedef, ledger.Struct, ledger.Enumerator, ledger.Enum, ledger.Callback}
	l := &ledger.Ledger{Version: "1.0"}
	seen := map[string]bool{}
	for range n {
		name := "doca"
		for range 2 + rnd.IntN(4) {
			name += "_" + some[rnd.IntN(len(some))]
		}
		s := ledger.Symbol{Header: "doca_x.h", Name: name, Kind: kinds[rnd.IntN(len(kinds))], Library: some[9+rnd.IntN(3)], Stability: "stable"}
		params := []string{}
		for i := range rnd.IntN(4) {
			params = append(params, fmt.Sprintf("%s p%d", typs[rnd.IntN(len(typs))], i))
		}
		switch s.Kind {
		case ledger.Function:
			s.C = "void " + name + "(" + strings.Join(params, ", ") + ")"
			if rnd.IntN(2) == 0 {
				s.Go = "func " + strings.ReplaceAll(name, "_", "") + "(a int)"
			}
		case ledger.Typedef:
			s.C = "typedef " + typs[rnd.IntN(len(typs))] + " " + name
		case ledger.Struct:
			s.C = "struct " + name + " { " + strings.Join(params, "; ") + " } size 8"
		case ledger.Enumerator:
			s.C = "enum " + some[rnd.IntN(4)] + ": " + fmt.Sprint(rnd.IntN(5))
		case ledger.Callback:
			s.Name += "(cb)"
		default:
			s.C = fmt.Sprint(rnd.IntN(3))
		}
		if key := string(s.Kind) + s.Name; !seen[key] {
			seen[key] = true
			l.Symbols = append(l.Symbols, s)
		}
	}
	return l
}

func checkProperties(t *testing.T, a, b *ledger.Ledger) {
	t.Helper()
	require.Empty(t, Compare(a, a).Changes)
	there, back := Compare(a, b), Compare(b, a)
	require.Equal(t, names(there, Added), names(back, Removed))
	require.Equal(t, names(there, Removed), names(back, Added))
	var turned []string
	for _, r := range renames(back) {
		x, y, _ := strings.Cut(r, " -> ")
		turned = append(turned, y+" -> "+x)
	}
	slices.Sort(turned)
	require.Equal(t, renames(there), turned)
	var first, again bytes.Buffer
	require.NoError(t, WriteText(&first, there))
	require.NoError(t, WriteText(&again, Compare(a, b)))
	require.Equal(t, first.String(), again.String())
}

// What is added one way is removed the other way, and a comparison with itself is empty.
func TestProperties(t *testing.T) {
	t.Parallel()
	for seed := range uint64(200) {
		rnd := rand.New(rand.NewPCG(seed, 1))
		checkProperties(t, random(rnd, 60), random(rnd, 60))
	}
}

// Thousands of names of few words, of which no one is on both sides, take seconds and not hours.
func TestMuchToCompare(t *testing.T) {
	t.Parallel()
	big := func(mark string) *ledger.Ledger {
		l := &ledger.Ledger{Version: "1.0"}
		for i := range 4000 {
			name := fmt.Sprintf("doca_%s_task_%d_get_%d_%s", mark, i%50, i, mark)
			l.Symbols = append(l.Symbols, ledger.Symbol{Header: "doca_x.h", Name: name, Kind: ledger.Function, Library: "x", Go: "func F(a int)",
				C: "doca_error_t " + name + "(struct doca_x *x, uint32_t a, uint32_t b, const char *name)"})
		}
		return l
	}
	r := Compare(big("left"), big("right"))
	assert.NotEmpty(t, r.Changes)
}

func FuzzCompare(f *testing.F) {
	f.Add(strings.Join(channel("cc", "int"), "\n"), strings.Join(channel("comch", "char"), "\n"))
	f.Add(strings.Join(enumLines("doca_k", "DOCA_K_A", 0), "\n"), strings.Join(enumLines("doca_k", "DOCA_K_A", 1), "\n"))
	f.Add(fn("void doca_x_a(int (*f)(char), ...)", "func A("), fn("int (*doca_x_a(void))(int[3])", "func A()()"))
	f.Add("a | s | struct | - | x: type S | struct s {", "a | s | struct | - | x: type S | } { ;; size")
	f.Fuzz(func(t *testing.T, old, new string) {
		head := "# DOCA 1.0: x\n"
		a, err := ledger.Read(strings.NewReader(head + old))
		if err != nil {
			return
		}
		b, err := ledger.Read(strings.NewReader(head + new))
		if err != nil {
			return
		}
		watchdog := time.AfterFunc(time.Minute, func() {
			debug.SetTraceback("all")
			panic("the comparison hangs: the stack says where")
		})
		defer watchdog.Stop()
		checkProperties(t, a, b)
	})
}
