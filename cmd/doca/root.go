// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/go-doca/go-doca/generated/abi"
)

// The exit statuses of all commands.
const (
	statusOK       = 0
	statusFailed   = 1 // the command failed, or found what deserves a warning
	statusUnusable = 2 // nothing will work, or the command line is wrong
)

// exit is the error of a command that has printed its findings: it only sets the exit status.
type exit struct{ status int }

func (e exit) Error() string { return fmt.Sprintf("exit status %d", e.status) }

// usageError is an error of the command line.
type usageError struct{ error }

// run runs a command line and returns its exit status.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	root := newRoot()
	root.SetArgs(args)
	root.SetIn(stdin)
	out := &output{Writer: stdout}
	root.SetOut(out)
	root.SetErr(stderr)
	err := root.ExecuteContext(ctx)
	if out.err != nil { // what was found is not where it should be
		err = fmt.Errorf("the output is lost: %w", out.err)
	}
	if ctx.Err() != nil && errors.Is(err, context.Canceled) { // by a signal
		err = errors.New("interrupted")
	}
	var silent exit
	var usage usageError
	var missing *abi.ProviderError
	switch {
	case err == nil:
		return statusOK
	case errors.As(err, &silent):
		return silent.status
	case errors.As(err, &usage):
		fmt.Fprintf(stderr, "doca: %v\nSee doca --help.\n", err)
		return statusUnusable
	}
	fmt.Fprintf(stderr, "doca: %v\n", err)
	if errors.As(err, &missing) {
		return statusUnusable
	}
	return statusFailed
}

func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:           "doca",
		Short:         "See, check, measure and prove DOCA on this machine",
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          noArgs,
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
		Long: `See, check, measure and prove DOCA on this machine.

The installed SDK is used if there is one, else the emulator. DOCA_PROVIDER=sdk or DOCA_PROVIDER=emulator overrides the
choice.

Exit status: 0 is success; 1 is a failure or a warning; 2 means that nothing will work or that the command line is wrong.`,
	}
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return usageError{err} })
	root.AddCommand(newDevices())
	root.AddCommand(newCaps())
	root.AddCommand(newDoctor())
	root.AddCommand(newEmulator())
	root.AddCommand(newBench())
	root.AddCommand(newManual())
	root.AddCommand(newConformance())
	root.InitDefaultCompletionCmd()
	root.InitDefaultHelpCmd()
	for _, c := range root.Commands() {
		switch c.Name() {
		case "help": // it takes any word for none otherwise
			c.Args = helpArgs
		case "completion": // and this one for a shell
			c.Args, c.RunE = noArgs, func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
			for _, shell := range c.Commands() {
				shell.Args = noArgs
			}
		}
	}
	return root
}

// helpArgs takes the words of a command.
func helpArgs(cmd *cobra.Command, args []string) error {
	of, rest, err := cmd.Root().Find(args)
	if err == nil && len(rest) > 0 {
		err = fmt.Errorf("unknown command %q for %q", rest[0], of.CommandPath())
	}
	if err != nil {
		return usageError{err}
	}
	return nil
}

// noArgs is cobra.NoArgs as an error of the command line, which calls a word a command only where there are some.
func noArgs(cmd *cobra.Command, args []string) error {
	switch {
	case len(args) == 0:
		return nil
	case cmd.HasAvailableSubCommands():
		return usageError{fmt.Errorf("unknown command %q for %q", args[0], cmd.CommandPath())}
	}
	return usageError{fmt.Errorf("%s takes no argument, but there is %q", cmd.CommandPath(), args[0])}
}
