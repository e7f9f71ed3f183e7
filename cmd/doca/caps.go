// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/go-doca/go-doca/cmd/doca/internal/measure"
	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/bind"
	"github.com/go-doca/go-doca/generated/abi"
	"github.com/go-doca/go-doca/generated/comch"
	"github.com/go-doca/go-doca/generated/common"
	"github.com/go-doca/go-doca/generated/compress"
	"github.com/go-doca/go-doca/generated/dma"
	"github.com/go-doca/go-doca/generated/dpa"
	"github.com/go-doca/go-doca/generated/erasurecoding"
	"github.com/go-doca/go-doca/generated/rdma"
	"github.com/go-doca/go-doca/generated/syncevent"
	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/spf13/cobra"
)

type query = abi.Query[*common.Devinfo]

// capabilities are the questions that there are for a device, library by library.
var capabilities = []struct {
	library string
	queries []query
}{
	{"common", common.Queries},
	{"sync_event", syncevent.Queries},
	{"dma", dma.Queries},
	{"comch", comch.Queries},
	{"rdma", append(rdmaByTransport(), rdma.Queries...)},
	{"dpa", dpa.Queries},
	{"compress", compress.Queries},
	{"erasure_coding", erasurecoding.Queries},
}

// rdmaByTransport are questions that are asked for each transport.
func rdmaByTransport() []query {
	var list []query
	for _, t := range []struct {
		name string
		kind rdma.TransportType
	}{{"rc", rdma.TransportTypeRc}, {"dc", rdma.TransportTypeDc}} {
		list = append(list,
			query{Name: "doca_rdma_cap_transport_type_is_supported " + t.name, Ask: func(of *common.Devinfo) (any, error) {
				return true, rdma.CapTransportTypeIsSupported(of, t.kind)
			}},
			query{Name: "doca_rdma_cap_task_receive_get_max_dst_buf_list_len " + t.name, Ask: func(of *common.Devinfo) (any, error) {
				return rdma.CapTaskReceiveGetMaxDstBufListLen(of, t.kind)
			}})
	}
	return list
}

// capsReport is what doca caps prints. The answers of a capability are in the order of the devices.
type capsReport struct {
	Provider     string       `json:"provider"`
	Version      string       `json:"version"`
	Devices      []string     `json:"devices"`
	Capabilities []capability `json:"capabilities"`

	columns []any // what the table calls the devices
}

type capability struct {
	Library  string   `json:"library"`
	Function string   `json:"function"` // of C, with its argument if there is one
	Name     string   `json:"name"`
	Unit     string   `json:"unit,omitempty"`
	Answers  []answer `json:"answers"`
}

// answer is a value, or why there is none. A capability that DOCA says no to is false.
type answer struct {
	Value any    `json:"value"`
	Error string `json:"error,omitempty"`
}

func newCaps() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "caps [DEVICE]...",
		Short: "Show what the devices can do, library by library, side by side",
		Long: `Show what the devices can do, library by library, side by side. A device is a PCI address, the name of an RDMA device or of
a network interface; without one, all are asked.

"no" and "-" mean that the device or the library lacks it; "missing" means that the installed release lacks the question.`,
		ValidArgsFunction: completeDevices,
	}
	out := outputFlag(cmd)
	library := cmd.Flags().String("library", "", "only this library, such as dma")
	_ = cmd.RegisterFlagCompletionFunc("library", cobra.FixedCompletions(libraryNames(), cobra.ShellCompDirectiveNoFileComp))
	cmd.RunE = func(cmd *cobra.Command, names []string) error {
		if *library != "" && !slices.Contains(libraryNames(), *library) {
			return usageError{fmt.Errorf("there is no library %q: want one of %s", *library, strings.Join(libraryNames(), ", "))}
		}
		r, err := lookAtCaps(names, *library)
		if err != nil {
			return err
		}
		return out.print(cmd.OutOrStdout(), r, r.table)
	}
	return cmd
}

func libraryNames() []string {
	var names []string
	for _, l := range capabilities {
		names = append(names, l.library)
	}
	return names
}

func lookAtCaps(names []string, library string) (*capsReport, error) {
	provider, err := doca.Provider()
	if err != nil {
		return nil, err
	}
	devices, err := findDevices(names)
	if err != nil {
		return nil, err
	}
	r := &capsReport{Provider: provider.Name, Version: provider.Version, Devices: []string{}, Capabilities: []capability{}}
	at := map[string]int{} // devices at an address
	for _, d := range devices {
		at[d.PCIAddr]++
	}
	for _, d := range devices {
		r.Devices = append(r.Devices, d.PCIAddr)
		column := d.PCIAddr
		if at[d.PCIAddr] > 1 {
			column += " " + d.Ibdev
		}
		r.columns = append(r.columns, column)
	}
	for _, l := range capabilities {
		if library != "" && l.library != library {
			continue
		}
		for _, q := range l.queries {
			c := describe(l.library, q.Name)
			for _, d := range devices {
				c.Answers = append(c.Answers, ask(d, q))
			}
			r.Capabilities = append(r.Capabilities, c)
		}
	}
	return r, nil
}

// findDevices returns the devices with these names, or all.
func findDevices(names []string) ([]doca.DeviceInfo, error) {
	all, err := doca.Devices()
	if err != nil || len(names) == 0 {
		return all, err
	}
	var found []doca.DeviceInfo
	for _, name := range names {
		i := 0
		for i < len(all) && !measure.Named(all[i], name) {
			i++
		}
		if i == len(all) {
			return nil, fmt.Errorf("there is no device %s: doca devices lists them", name)
		}
		found = append(found, all[i])
	}
	return found, nil
}

func ask(d doca.DeviceInfo, q query) answer {
	var a answer
	err := bind.WithDevinfo(d, func(raw *common.Devinfo) (err error) {
		a.Value, err = q.Ask(raw)
		return err
	})
	var symbol *abi.SymbolError
	switch {
	case err == nil:
	case errors.As(err, &symbol):
		a = answer{Error: "missing"}
	case errors.Is(err, doca.ErrNotSupported):
		if _, yesNo := a.Value.(bool); yesNo {
			a.Value = false
		} else {
			a.Value = nil
		}
	default:
		a = answer{Error: err.Error()}
	}
	return a
}

// describe makes a name and a unit of the words of the C function.
func describe(library, function string) capability {
	c := capability{Library: library, Function: function}
	name, argument, _ := strings.Cut(strings.TrimPrefix(function, "doca_"), " ")
	for _, prefix := range []string{library + "_", "ec_"} {
		name = strings.TrimPrefix(name, prefix)
	}
	words := strings.Split(name, "_")
	var kept []string
	for i, word := range words {
		last := i == len(words)-1
		switch {
		case word == "cap", word == "is", word == "supported" && last && len(kept) > 0:
		case word == "get" && !last && slices.Contains([]string{"max", "num", "gid"}, words[i+1]):
		default:
			kept = append(kept, word)
		}
	}
	c.Name = strings.TrimSpace(strings.Join(kept, " ") + " " + argument)
	switch {
	case strings.Contains(function, "_size") && !strings.Contains(function, "queue_size") && !strings.Contains(function, "table_size"),
		strings.HasSuffix(function, "_imm_data_len"), strings.HasSuffix(function, "_name_len"):
		c.Unit = "bytes"
	case strings.Contains(function, "list_len"):
		c.Unit = "buffers"
	case strings.Contains(function, "num_tasks"), strings.Contains(function, "send_tasks"), strings.Contains(function, "queue_size"):
		c.Unit = "tasks"
	}
	return c
}

func (r *capsReport) table(w io.Writer) {
	if len(r.Devices) == 0 {
		fmt.Fprintln(w, "no devices; doca doctor says why")
		return
	}
	header := append([]any{"LIBRARY", "CAPABILITY"}, r.columns...)
	t := newTable(w, append(header, "UNIT")...)
	last := ""
	for _, c := range r.Capabilities {
		row := table.Row{c.Library, c.Name}
		if c.Library == last {
			row[0] = ""
		}
		last = c.Library
		for _, a := range c.Answers {
			row = append(row, a.String())
		}
		t.AppendRow(append(row, c.Unit))
	}
	t.Render()
}

// String is the answer's cell.
func (a answer) String() string {
	switch v := a.Value.(type) {
	case bool:
		return map[bool]string{true: "yes", false: "no"}[v]
	case nil:
		if a.Error != "" {
			return a.Error
		}
		return "-"
	default:
		return fmt.Sprint(v)
	}
}
