// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
)

func newManual() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "manual DIRECTORY",
		Short: "Write a page for each command, as Markdown or for man",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usageError{fmt.Errorf("want one directory")}
			}
			return nil
		},
	}
	man := cmd.Flags().Bool("man", false, "pages for man, in section 1")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := os.MkdirAll(args[0], 0o755); err != nil {
			return err
		}
		root := cmd.Root()
		root.InitDefaultCompletionCmd()
		root.DisableAutoGenTag = true // the pages do not change from day to day
		if *man {
			return doc.GenManTree(root, &doc.GenManHeader{Section: "1", Source: "go-doca"}, args[0])
		}
		return doc.GenMarkdownTree(root, args[0])
	}
	return cmd
}
