package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// prefix is the SDK that this program belongs to, in whose directory tools it is.
type prefix string

// ownPrefix finds the SDK from where the program really is, for it may have been called by a link.
func ownPrefix() (prefix, error) {
	program, err := os.Executable()
	if err != nil {
		return "", err
	}
	if program, err = filepath.EvalSymlinks(program); err != nil {
		return "", err
	}
	p := prefix(filepath.Dir(filepath.Dir(program)))
	if _, err := os.Stat(filepath.Join(p.include(), "doca_dpa_dev.h")); err != nil {
		return "", fmt.Errorf("%s is in no SDK: make sdk installs it with one (%w)", program, err)
	}
	return p, nil
}

func (p prefix) include() string { return filepath.Join(string(p), "include") }
func (p prefix) lib() string     { return filepath.Join(string(p), "lib") }

// internal is the directory of what is no part of DOCA's API.
func (p prefix) internal() string { return filepath.Join(string(p), "lib", "dpacc") }

// sanitizers are the flags of an SDK that was made with sanitizers.
func (p prefix) sanitizers() (flags []string, err error) {
	text, err := os.ReadFile(filepath.Join(p.lib(), "pkgconfig", "doca-dpa.pc"))
	if err != nil {
		return nil, err
	}
	for line := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(line, "Cflags:"); ok {
			for _, word := range strings.Fields(rest) {
				if strings.HasPrefix(word, "-fsanitize") {
					flags = append(flags, word, "-fno-sanitize-recover=all", "-g", "-fno-omit-frame-pointer")
				}
			}
		}
	}
	return flags, nil
}
