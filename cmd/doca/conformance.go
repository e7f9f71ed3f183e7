// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"os"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/spf13/cobra"

	"github.com/go-doca/go-doca/conformance"
	"github.com/go-doca/go-doca/generated/abi"
)

// conformanceFlags are the flags of doca conformance.
type conformanceFlags struct {
	match, device, output, file, listen, peer string
	gidIndex                                  int64
	list, isolate                             bool
	timeout                                   time.Duration
}

var conformanceFormats = []string{"text", "json", "junit", "html"}

func newConformance() *cobra.Command {
	var f conformanceFlags
	cmd := &cobra.Command{
		Use:   "conformance",
		Short: "Ask whether the installed DOCA follows the rules that the bindings rely on",
		Args:  noArgs,
		Long: `Ask whether the installed DOCA follows the rules that the bindings rely on.

Each case calls DOCA and compares the answers with a rule. The cases run in processes of their own: a crash or a hang is
the result of one case. What needs a device that is not there is skipped, with the reason.

Cases of two sides need both ends of a BlueField. The emulator has both. With a card, run the command on both machines,
one with --listen and the other with --peer; exactly these cases are then run. The connection is neither encrypted nor
authenticated: use it in a network that you trust.

Exit status: 0 if all has passed, is a known difference or was skipped; 1 if a rule does not hold, or the other machine has
gone before the end; 2 if there is no DOCA.`,
		Example: `  doca conformance                                  # all that can be asked on this machine
  doca conformance --match '^mmap/'                 # some of it
  doca conformance -o html --file report.html       # a page to read or send
  doca conformance --listen :7471                   # on the BlueField
  doca conformance --peer 192.0.2.2:7471            # on the host`,
	}
	flags := cmd.Flags()
	flags.StringVar(&f.match, "match", "", "run the cases whose names match this regular expression")
	flags.StringVar(&f.device, "device", "", "the device to use: a PCI address or a name; default: the first that can what a case needs")
	flags.StringVarP(&f.output, "output", "o", "text", strings.Join(conformanceFormats, ", "))
	flags.StringVar(&f.file, "file", "", "write the report, or the list, to this file")
	flags.StringVar(&f.listen, "listen", "", "wait at this address for the other machine")
	flags.StringVar(&f.peer, "peer", "", "address of the other machine, which listens")
	flags.Int64Var(&f.gidIndex, "gid-index", -1, "index of the GID for RDMA; -1: DOCA's choice")
	flags.BoolVar(&f.list, "list", false, "list the cases and run none")
	flags.BoolVar(&f.isolate, "isolate", true, "run the cases in processes of their own")
	flags.DurationVar(&f.timeout, "timeout", 20*time.Second, "longest time for one case")
	_ = cmd.RegisterFlagCompletionFunc("device", completeDevices)
	_ = cmd.RegisterFlagCompletionFunc("output", cobra.FixedCompletions(conformanceFormats, cobra.ShellCompDirectiveNoFileComp))
	cmd.RunE = func(cmd *cobra.Command, _ []string) error { return f.run(cmd) }
	return cmd
}

func (f *conformanceFlags) run(cmd *cobra.Command) error {
	match, err := regexp.Compile(f.match)
	switch {
	case err != nil:
		return usageError{fmt.Errorf("--match: %w", err)}
	case !slices.Contains(conformanceFormats, f.output):
		return usageError{fmt.Errorf("invalid argument %q for --output: want %s", f.output, strings.Join(conformanceFormats, ", "))}
	case f.listen != "" && f.peer != "":
		return usageError{errors.New("--listen and --peer: want one of them, for one machine waits for the other")}
	case f.timeout <= 0:
		return usageError{errors.New("--timeout: want a time above 0")}
	case f.gidIndex < -1 || f.gidIndex > math.MaxUint32:
		return usageError{fmt.Errorf("--gid-index: want -1, or an index from 0 to %d", uint32(math.MaxUint32))}
	case !slices.ContainsFunc(conformance.Cases(), func(c conformance.Case) bool { return match.MatchString(c.Name) }):
		return usageError{fmt.Errorf("--match: no case has a name like %q: doca conformance --list has them all", f.match)}
	case f.list && f.output != "text" && f.output != "json":
		return usageError{errors.New("--list has the forms text and json")}
	case f.list:
		return f.write(cmd.OutOrStdout(), func(out io.Writer) error { return f.printList(out, match) })
	}
	device, err := f.findDevice()
	if err != nil {
		return err
	}
	options := conformance.Options{Match: match, Device: device, Isolate: f.isolate, Timeout: f.timeout}
	if f.gidIndex >= 0 {
		index := uint32(f.gidIndex)
		options.GIDIndex = &index
	}
	if options.Peer, err = f.connect(cmd.Context(), cmd.ErrOrStderr()); err != nil {
		return errors.Join(cmd.Context().Err(), err) // an interrupt ends the wait, and is what to tell
	}
	report, err := conformance.Run(cmd.Context(), options)
	if err != nil && (report == nil || len(report.Results) == 0 || cmd.Context().Err() != nil) {
		return err
	}
	writeErr := f.write(cmd.OutOrStdout(), func(out io.Writer) error { return f.printReport(out, report) })
	if writeErr != nil && f.file != "" { // a report that took minutes is not lost for its file
		writeErr = errors.Join(writeErr, f.printReport(cmd.OutOrStdout(), report))
	}
	if err = errors.Join(err, writeErr); err != nil {
		return err
	}
	if report.Failed() {
		return exit{statusFailed}
	}
	return nil
}

// findDevice returns the PCI address of the device that the flag names. Where there is no DOCA, conformance.Run says so.
func (f *conformanceFlags) findDevice() (string, error) {
	if _, err := abi.Active(); err != nil || f.device == "" {
		return "", nil
	}
	found, err := findDevices([]string{f.device})
	if err != nil { // not a failure, which would say that a rule does not hold
		return "", usageError{fmt.Errorf("--device: %w", err)}
	}
	return found[0].PCIAddr, nil
}

// connect connects to the other machine, if there is to be one.
func (f *conformanceFlags) connect(ctx context.Context, log io.Writer) (net.Conn, error) {
	switch {
	case f.listen != "":
		l, err := new(net.ListenConfig).Listen(ctx, "tcp", f.listen)
		if err != nil {
			return nil, err
		}
		defer l.Close()
		defer context.AfterFunc(ctx, func() { l.Close() })()
		fmt.Fprintf(log, "doca: waiting at %s for the other machine\n", l.Addr())
		return l.Accept()
	case f.peer != "":
		return dialPatiently(ctx, f.peer)
	}
	return nil, nil
}

// dialPatiently tries for a while: the other machine may be started later.
func dialPatiently(ctx context.Context, address string) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	for {
		conn, err := new(net.Dialer).DialContext(ctx, "tcp", address)
		if err == nil {
			return conn, nil
		}
		select {
		case <-ctx.Done():
			return nil, err
		case <-time.After(200 * time.Millisecond):
		}
	}
}

// write has content write to the file that the flag names, or else to out.
func (f *conformanceFlags) write(out io.Writer, content func(io.Writer) error) error {
	if f.file == "" {
		return content(out)
	}
	file, err := os.Create(f.file)
	if err != nil {
		return err
	}
	kept := &output{Writer: file}
	if err = content(kept); err == nil {
		err = kept.err
	}
	return errors.Join(err, file.Close())
}

func (f *conformanceFlags) printReport(out io.Writer, report *conformance.Report) error {
	switch f.output {
	case "json":
		return report.WriteJSON(out)
	case "junit":
		return report.WriteJUnit(out)
	case "html":
		return report.WriteHTML(out)
	}
	return report.WriteText(out)
}

// listed is a case as --list prints it.
type listed struct {
	Name    string             `json:"name"`
	Library string             `json:"library"`
	Rule    string             `json:"rule"`
	Source  conformance.Source `json:"source"`
	Needs   []conformance.Need `json:"needs,omitempty"`
	Sides   int                `json:"sides"`
}

func (f *conformanceFlags) printList(out io.Writer, match *regexp.Regexp) error {
	list := []listed{}
	for _, c := range conformance.Cases() {
		if !match.MatchString(c.Name) {
			continue
		}
		l := listed{Name: c.Name, Library: c.Library, Rule: c.Rule, Source: c.Source, Needs: append(slices.Clone(c.Needs), c.PeerNeeds...), Sides: 1}
		if c.Peer != nil {
			l.Sides = 2
		}
		list = append(list, l)
	}
	if f.output == "json" {
		enc := json.NewEncoder(out)
		enc.SetIndent("", "  ")
		return enc.Encode(list)
	}
	t := newTable(out, "library", "case", "sides", "rule")
	for _, l := range list {
		t.AppendRow(table.Row{l.Library, l.Name, l.Sides, l.Rule})
	}
	t.Render()
	return nil
}
