// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/go-doca/go-doca/cmd/doca/internal/doctor"
	"github.com/go-doca/go-doca/doca"
	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/spf13/cobra"
)

// machine is what doca devices prints.
type machine struct {
	Provider string   `json:"provider"`
	Version  string   `json:"version"`
	Path     string   `json:"path,omitempty"` // of the SDK
	Devices  []device `json:"devices"`
}

type device struct {
	PCI          string        `json:"pci"`
	Ibdev        string        `json:"ibdev,omitempty"`
	Interface    string        `json:"interface,omitempty"`
	MAC          string        `json:"mac,omitempty"`
	IPv4         string        `json:"ipv4,omitempty"`
	IPv6         string        `json:"ipv6,omitempty"`
	LID          uint16        `json:"lid,omitempty"`
	Rate         uint64        `json:"bits_per_second,omitempty"`
	VHCAID       uint16        `json:"vhca_id,omitempty"`
	Representors []representor `json:"representors"`
	Problem      string        `json:"problem,omitempty"` // why it could not be opened
}

type representor struct {
	PCI       string `json:"pci"`
	VUID      string `json:"vuid,omitempty"`
	Interface string `json:"interface,omitempty"`
	Function  string `json:"function"`
	Hotplug   bool   `json:"hotplug"`
	VHCAID    uint16 `json:"vhca_id,omitempty"`
}

func newDevices() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "devices",
		Short: "List the devices and their representors",
		Args:  noArgs,
	}
	out := outputFlag(cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		m, err := lookAtDevices()
		if err != nil {
			return err
		}
		return out.print(cmd.OutOrStdout(), m, m.table)
	}
	return cmd
}

// lookAtDevices opens each device for its representors: a host has none, and a device that cannot be opened has a
// problem.
func lookAtDevices() (*machine, error) {
	provider, err := doca.Provider()
	if err != nil {
		return nil, err
	}
	infos, err := doca.Devices()
	if err != nil {
		return nil, err
	}
	m := &machine{Provider: provider.Name, Version: provider.Version, Path: provider.Path, Devices: []device{}}
	for _, info := range infos {
		d := device{
			PCI: info.PCIAddr, Ibdev: info.Ibdev, Interface: info.Interface, MAC: info.MAC.String(),
			LID: info.LID, Rate: info.ActiveRate, VHCAID: info.VHCAID,
		}
		if info.IPv4.IsValid() {
			d.IPv4 = info.IPv4.String()
		}
		if info.IPv6.IsValid() {
			d.IPv6 = info.IPv6.String()
		}
		if d.Representors, err = representorsOf(info.PCIAddr); err != nil {
			d.Problem = err.Error()
		}
		m.Devices = append(m.Devices, d)
	}
	return m, nil
}

func representorsOf(pciAddr string) ([]representor, error) {
	list := []representor{}
	infos, err := doctor.Representors(pciAddr)
	if errors.Is(err, doca.ErrNotSupported) { // the host's side
		return list, nil
	}
	for _, r := range infos {
		list = append(list, representor{PCI: r.PCIAddr, VUID: r.VUID, Interface: r.Interface,
			Function: r.Function.String(), Hotplug: r.Hotplug, VHCAID: r.VHCAID})
	}
	return list, err
}

func (m *machine) table(w io.Writer) {
	if len(m.Devices) == 0 {
		fmt.Fprintln(w, "no devices; doca doctor says why")
		return
	}
	t := newTable(w, "DEVICE", "IBDEV", "INTERFACE", "MAC", "IP", "RATE", "VHCA", "REPRESENTOR OF")
	for _, d := range m.Devices {
		of := d.Problem
		for i, r := range d.Representors {
			if i > 0 {
				of += ", "
			}
			of += r.PCI + " " + r.Interface
		}
		ip := d.IPv4
		if ip == "" {
			ip = d.IPv6
		}
		t.AppendRow(table.Row{d.PCI, d.Ibdev, d.Interface, d.MAC, ip, rate(d.Rate), d.VHCAID, of})
	}
	t.Render()
}

// rate is a rate of bits with its unit.
func rate(bits uint64) string {
	if bits == 0 {
		return ""
	}
	return fmt.Sprintf("%g Gb/s", float64(bits)/1e9)
}

// completeDevices offers the PCI addresses, with the other names as descriptions.
func completeDevices(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	infos, err := doca.Devices()
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	var list []string
	for _, d := range infos {
		if !slices.Contains(args, d.PCIAddr) {
			list = append(list, d.PCIAddr+"\t"+strings.TrimPrefix(d.String(), d.PCIAddr+" "))
		}
	}
	return list, cobra.ShellCompDirectiveNoFileComp
}
