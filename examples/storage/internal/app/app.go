// Package app has what the programs of the storage applications share: how they begin and end, and the parameters that all have.
package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/examples/internal/argp"
	"github.com/go-doca/go-doca/examples/internal/docalog"
	"github.com/go-doca/go-doca/examples/storage/control"
)

// ErrInterrupted means that a signal has ended the program's work. What was in flight was carried out.
// It is [context.Canceled] to errors.Is, for who uses a package as a library.
var ErrInterrupted error = interrupted{}

type interrupted struct{}

func (interrupted) Error() string { return "interrupted" }

func (interrupted) Unwrap() error { return context.Canceled }

// Place adds the parameters for where a program runs, which all have.
func Place(p *argp.Parser, device *string, cpus *[]int) {
	p.String(device, argp.Param{Short: "d", Long: "device", Argument: "<device>", Mandatory: true, Help: "Device: a PCI address, or the name of an IB device or a network interface"})
	var cpu int
	p.Int(&cpu, 0, argp.Param{Long: "cpu", Argument: "<number>", Mandatory: true, Repeatable: true, Help: "CPU of a worker; repeat it for more workers", Set: func(string) error {
		*cpus = append(*cpus, cpu)
		return nil
	}})
}

// Timeout adds the parameter for the limit of each step of the control path, in seconds.
func Timeout(p *argp.Parser, d *time.Duration) {
	var seconds int
	p.Int(&seconds, 1, argp.Param{Long: "control-timeout", Argument: "<seconds>", Help: "Limit of each step of the control path (default 5; 10 with --older-messages)", Set: func(string) error {
		*d = time.Duration(seconds) * time.Second
		return nil
	}})
}

// Channel adds the parameter for the name of the BlueField's server, and the one for the variant of the messages.
func Channel(p *argp.Parser, name *string, older *bool) {
	p.String(name, argp.Param{Long: "command-channel-name", Argument: "<name>", Help: "Name of the server on the BlueField (default doca_storage_comch; storage_zero_copy_comch with --older-messages)"})
	Older(p, older)
}

// Older adds the parameter for the variant of the messages.
func Older(p *argp.Parser, older *bool) {
	p.Bool(older, argp.Param{Long: "older-messages", Help: "Speak as the zero_copy applications of DOCA 3.0 to 3.2 do"})
}

// Defaults sets what the command line has not.
func Defaults(channel *string, timeout *time.Duration, older bool) {
	name, limit := "doca_storage_comch", control.DefaultTimeout
	if older {
		name, limit = "storage_zero_copy_comch", 10*time.Second
	}
	if *channel == "" {
		*channel = name
	}
	if *timeout == 0 {
		*timeout = limit
	}
}

// Field is a line of the configuration that a program prints.
type Field struct {
	Name  string
	Value any
}

// Main parses the arguments, prints the program's version and configuration, and runs it. It returns the exit status. The first
// interrupt ends run's context, a second one the program.
func Main(p *argp.Parser, name string, config func() []Field, run func(context.Context) error) int {
	err := p.Parse(os.Args[1:], os.Stdout)
	if errors.Is(err, argp.ErrDone) {
		return 0
	}
	docalog.Setup(os.Stdout, os.Stderr, p.LogLevel)
	if err == nil {
		err = docalog.SDK(p.SDKLogLevel)
	}
	if err == nil {
		err = announce(os.Stdout, name, config())
	}
	if err == nil {
		ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
		context.AfterFunc(ctx, stop)
		err = run(ctx)
		stop()
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "EXCEPTION: %s\n", strings.ReplaceAll(err.Error(), "\n", "; "))
		return 1
	}
	return 0
}

func announce(out io.Writer, name string, fields []Field) error {
	info, err := doca.Provider()
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "%s: v%s\n%s: {\n", name, info.Version, name)
	for _, f := range fields {
		fmt.Fprintf(out, "\t%s : %v,\n", f.Name, f.Value)
	}
	fmt.Fprintln(out, "}")
	return nil
}

// OpenDevice opens the device that an identifier names: a PCI address (7 or 12 characters), an IB device or an interface.
func OpenDevice(id string) (*doca.Device, error) {
	if strings.Contains(id, ":") {
		return doca.OpenDevice(id)
	}
	dev, err := doca.OpenDeviceByIbdev(id)
	if errors.Is(err, doca.ErrNotFound) {
		if byName, err := doca.OpenDeviceByInterface(id); err == nil {
			return byName, nil
		}
	}
	return dev, err
}
