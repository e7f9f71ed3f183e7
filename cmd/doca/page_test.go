// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// docs/command.md shows what the command prints. A line of three dots stands for any lines.
func TestPage(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/command.md")
	require.NoError(t, err)
	program := filepath.Join(t.TempDir(), "doca")
	out, err := exec.Command("go", "build", "-o", program, ".").CombinedOutput()
	require.NoError(t, err, string(out))
	shown := 0
	for _, block := range strings.Split(string(page), "```console\n")[1:] {
		block, _, _ = strings.Cut(block, "```")
		for _, part := range strings.Split("\n"+block, "\n$ ")[1:] {
			line, want, _ := strings.Cut(part, "\n")
			words := strings.Fields(line)
			require.Equal(t, "doca", words[0])
			cmd := exec.Command(program, words[1:]...)
			if words[1] == "doctor" {
				if _, err := os.Stat("/opt/mellanox/doca"); err == nil {
					t.Log("an SDK is installed: doctor's page is not compared")
					continue
				}
				cmd.Env = without(os.Environ(), "DOCA_PROVIDER=")
			} else {
				cmd.Env = append(os.Environ(), "DOCA_PROVIDER=emulator")
			}
			var got bytes.Buffer
			cmd.Stdout = &got
			_ = cmd.Run() // doctor has warnings
			rest := got.String()
			for _, text := range strings.Split("\n"+strings.TrimSuffix(want, "\n"), "\n...") {
				i := strings.Index("\n"+rest, text)
				if !assert.GreaterOrEqual(t, i, 0, "%s: the page has, and the command has not:\n%s\nbut:\n%s", line, text, rest) {
					break
				}
				rest = rest[max(0, i+len(text)-1):]
			}
			shown++
		}
	}
	assert.GreaterOrEqual(t, shown, 3)
}

func without(env []string, prefix string) []string {
	var kept []string
	for _, v := range env {
		if !strings.HasPrefix(v, prefix) {
			kept = append(kept, v)
		}
	}
	return kept
}
