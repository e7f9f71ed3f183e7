// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
	"time"

	"github.com/go-doca/go-doca/cmd/doca/internal/measure"
	"github.com/go-doca/go-doca/doca"
	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/spf13/cobra"
)

// benchReport is what doca bench prints.
type benchReport struct {
	Provider string        `json:"provider"`
	Version  string        `json:"version"`
	Library  string        `json:"library"`
	Peer     string        `json:"peer,omitempty"`
	Rows     []measure.Row `json:"rows"`
}

// measured are the libraries. A library that needs a peer has a serving side, in another process or on another machine.
var measured = []struct {
	name, what string
	needsPeer  bool
	measure    func(context.Context, measure.Plan, *measure.Link, func(measure.Row)) error
}{
	{"dma", "copies within this machine; with --peer, from the memory of the other side of the PCI bus", false, measure.DMA},
	{"comch", "round trips of control messages, and messages by the fast path, from a host to its DPU", true, measure.Comch},
	{"rdma", "writes to the memory of a peer, and reads of it", true, measure.RDMA},
}

func newBench() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "bench",
		Short: "Measure rate and latency, by size and window",
		Long: `Measure rate and latency, by size and window. A window is how many operations are submitted together; the latency is that
of a whole window, from its submission to the end of its last operation.

Comch and RDMA have two sides. Without --peer, both are processes on this machine, as the emulator allows. On two
machines, or on a host and its DPU, run "doca bench --listen ADDRESS" on the one and "doca bench LIBRARY --peer ADDRESS"
on the other. For Comch the listening side is the DPU. Whoever can reach the address can use the listening side's memory
for the measurement; listen where only you can.`,
		Args: noArgs,
	}
	listen := cmd.Flags().String("listen", "", "serve those who measure, at this TCP `address`, until interrupted")
	device := cmd.Flags().String("device", "", "the local device: a PCI address or a name")
	_ = cmd.RegisterFlagCompletionFunc("device", completeDevices)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if *listen == "" {
			return cmd.Help()
		}
		if _, err := doca.Provider(); err != nil { // or each who measures would be told
			return err
		}
		if *device != "" {
			if _, err := findDevices([]string{*device}); err != nil {
				return err
			}
		}
		return measure.Listen(cmd.Context(), *listen, *device,
			func(at net.Addr) { fmt.Fprintf(cmd.OutOrStdout(), "listening at %v\n", at) },
			func(err error) { fmt.Fprintln(cmd.ErrOrStderr(), "doca:", err) })
	}
	for i := range measured {
		cmd.AddCommand(newBenchOf(i))
	}
	cmd.AddCommand(newBenchServe())
	return cmd
}

// newBenchServe is the serving side in a process of its own: it speaks by standard input and output.
func newBenchServe() *cobra.Command {
	return &cobra.Command{
		Use:    "serve",
		Hidden: true,
		Args:   noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			rw := struct {
				io.Reader
				io.Writer
			}{cmd.InOrStdin(), cmd.OutOrStdout()}
			return measure.Serve(cmd.Context(), measure.NewLink(rw, func() error { return nil }), "")
		},
	}
}

func newBenchOf(i int) *cobra.Command {
	what := measured[i]
	cmd := &cobra.Command{
		Use:   what.name,
		Short: "Measure " + what.what,
		Args:  noArgs,
	}
	out := outputFlag(cmd)
	sizes := cmd.Flags().StringSlice("size", []string{"64", "4K", "64K", "1M"}, "bytes of an operation; K and M are binary")
	windows := cmd.Flags().IntSlice("window", []int{1, 32}, "how many operations are submitted together")
	length := cmd.Flags().Duration("time", 300*time.Millisecond, "how long to measure each row")
	device := cmd.Flags().String("device", "", "the local device: a PCI address or a name")
	peer := cmd.Flags().String("peer", "", "the TCP `address` of a doca bench --listen")
	svg := cmd.Flags().String("svg", "", "a `file` for a picture")
	_ = cmd.RegisterFlagCompletionFunc("device", completeDevices)
	cmd.RunE = func(cmd *cobra.Command, _ []string) (err error) {
		plan := measure.Plan{Windows: *windows, Time: *length, Device: *device}
		for _, text := range *sizes {
			size, err := bytesOf(text)
			if err != nil {
				return usageError{err}
			}
			plan.Sizes = append(plan.Sizes, size)
		}
		if err := plan.Check(); err != nil {
			return usageError{err}
		}
		provider, err := doca.Provider()
		if err != nil {
			return err
		}
		var link *measure.Link
		switch {
		case *peer != "":
			link, err = measure.Dial(cmd.Context(), *peer)
		case what.needsPeer:
			link, err = measure.Start(cmd.Context(), "bench", "serve")
		}
		if err != nil {
			return err
		}
		if link != nil {
			defer func() {
				err = errors.Join(err, link.Close())
				if ended := cmd.Context().Err(); err != nil && ended != nil { // which has ended the serving side, or the link
					err = ended
				}
			}()
		}
		r := &benchReport{Provider: provider.Name, Version: provider.Version, Library: what.name, Peer: *peer, Rows: []measure.Row{}}
		if err := what.measure(cmd.Context(), plan, link, func(row measure.Row) { r.Rows = append(r.Rows, row) }); err != nil {
			return err
		}
		err = out.print(cmd.OutOrStdout(), r, r.table)
		if *svg != "" {
			err = errors.Join(err, measure.Draw(*svg, fmt.Sprintf("doca bench %s: %s %s", what.name, r.Provider, r.Version), r.Rows))
		}
		return err
	}
	return cmd
}

// bytesOf reads 64, 4K or 1M.
func bytesOf(text string) (int, error) {
	digits, shift := text, 0
	switch {
	case strings.HasSuffix(text, "K"):
		digits, shift = text[:len(text)-1], 10
	case strings.HasSuffix(text, "M"):
		digits, shift = text[:len(text)-1], 20
	}
	n, err := strconv.ParseUint(digits, 10, 63-shift)
	if err != nil || n == 0 {
		return 0, fmt.Errorf("size %q: want a number such as 64, 4K or 1M", text)
	}
	return int(n) << shift, nil
}

func (r *benchReport) table(w io.Writer) {
	t := newTable(w, "OPERATION", "SIZE", "WINDOW", "OPERATIONS/S", "GB/S", "P50", "P90", "P99", "P99.9", "MAX", "C OPERATIONS/S", "GO BY C")
	for _, row := range r.Rows {
		inC, by := "", "" // where there is a loop in C
		if row.C > 0 {
			inC, by = fmt.Sprintf("%.0f", row.C), fmt.Sprintf("%.2f", row.PerSecond/row.C)
		}
		t.AppendRow(table.Row{row.Operation, measure.SizeText(row.Size), row.Window, fmt.Sprintf("%.0f", row.PerSecond), fmt.Sprintf("%.3f", row.BytesPerSecond/1e9),
			span(row.Latency.P50), span(row.Latency.P90), span(row.Latency.P99), span(row.Latency.P999), span(row.Latency.Max), inC, by})
	}
	t.Render()
	if r.Provider != "sdk" {
		fmt.Fprintf(w, "These are the numbers of the %s on this machine, not those of a device.\n", r.Provider)
	}
}

// span is a time with three digits or so.
func span(ns int64) string {
	d := time.Duration(ns)
	switch {
	case d < 10*time.Microsecond:
		return d.String()
	case d < 10*time.Millisecond:
		return d.Round(100 * time.Nanosecond).String()
	}
	return d.Round(100 * time.Microsecond).String()
}
