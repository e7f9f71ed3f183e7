package model

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
)

// Print writes the model for people: each library's objects, tasks, events, capability
// queries and functions.
func Print(w io.Writer, m *Model) error {
	tw := tabwriter.NewWriter(w, 0, 8, 2, ' ', 0)
	fmt.Fprintf(tw, "DOCA %s\n", m.Newest())
	for _, l := range m.Libraries {
		fmt.Fprintf(tw, "\n%s (%s): bound %d, skipped %d\n", l.Name, l.Soname, l.Bound, len(l.Skipped))
		for _, o := range l.Objects {
			var can []string
			for _, p := range []struct{ verb, fn string }{
				{"create", o.Create}, {"destroy", o.Destroy}, {"as_ctx", o.AsCtx}, {"start", o.Start}, {"stop", o.Stop},
			} {
				if p.fn != "" {
					can = append(can, p.verb)
				}
			}
			fmt.Fprintf(tw, "object\t%s\t%s\t%s, %d set, %d get\n", o.CName, o.GoName, strings.Join(can, " "), len(o.Setters), len(o.Getters))
		}
		for _, t := range l.Tasks {
			var bufs []string
			for _, b := range t.Buffers {
				bufs = append(bufs, b.GoName)
			}
			fmt.Fprintf(tw, "task\t%s\t%s\t%s\n", t.CName, t.GoName, strings.Join(bufs, " "))
		}
		for _, c := range l.Callbacks {
			fmt.Fprintf(tw, "callback\t%s(%s)\tKind%s\t%s\n", c.Func, c.Param, c.GoName, c.Type)
		}
		for _, s := range l.Capabilities {
			for _, q := range s.Queries {
				fmt.Fprintf(tw, "capability\t%s\t%s.%s\t%s\n", q.CName, s.GoName, q.GoName, q.Type.Name)
			}
		}
		for _, e := range l.Enums {
			fmt.Fprintf(tw, "enum\t%s\t%s\t%d values\n", e.CName, e.GoName, len(e.Consts))
		}
		for _, s := range l.Structs {
			fmt.Fprintf(tw, "%s\t%s\t%s\t%d members\n", s.Kind, s.CName, s.GoName, len(s.Fields)+len(s.Methods))
		}
		for _, t := range l.Typedefs {
			fmt.Fprintf(tw, "typedef\t%s\t%s\t%s\n", t.CName, t.GoName, t.Type.C)
		}
		for _, c := range l.Constants {
			fmt.Fprintf(tw, "constant\t%s\t%s\t%s\n", c.CName, c.GoName, c.Value)
		}
		for _, f := range l.Funcs {
			from := ""
			if f.Soname != l.Soname && f.Soname != "" {
				from = "\t" + f.Soname
			}
			fmt.Fprintf(tw, "function\t%s\t%s\t%s%s\n", f.CName, f.GoName, f.Stability, from)
		}
		for _, f := range l.DeviceFuncs {
			fmt.Fprintf(tw, "device function\t%s\t-\t%s\n", f.CName, f.Stability)
		}
		for _, s := range l.Skipped {
			fmt.Fprintf(tw, "skipped\t%s\t%s\t%s\n", s.Name, s.Kind, s.Reason)
		}
	}
	for _, n := range m.Notes {
		fmt.Fprintf(tw, "note: %s\n", n)
	}
	return tw.Flush()
}
