package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/go-doca/go-doca/gen/internal/check"
	"github.com/go-doca/go-doca/gen/internal/ledger"
	"github.com/go-doca/go-doca/gen/internal/model"
)

// errDiffers says that the check itself went well.
var errDiffers = errors.New("the SDK differs from the one that the bindings were generated from")

// checkSDK compares bindings with an installed SDK.
func checkSDK(fs *flag.FlagSet, args []string, out io.Writer) error {
	var src source
	fs.StringVar(&src.sdk, "sdk", "", "SDK prefix or header `directory` (default: $DOCA_SDK_DIR)")
	file := fs.String("ledger", "", "the `file` that lists the API of the bindings")
	bindings := fs.String("bindings", "", "`directory` of the bindings; its api/ has the ledger (default: generated in this module)")
	asJSON := fs.Bool("json", false, "print the report as JSON")
	verbose := fs.Bool("v", false, "list what the SDK has and the bindings do not know")
	if err := parse(fs, args); err != nil {
		return err
	}
	switch {
	case src.sdk == "" && os.Getenv("DOCA_SDK_DIR") == "": // the reference headers are no SDK that bindings could fit
		return wrongCall(fs, "name the SDK with -sdk or in DOCA_SDK_DIR")
	case *file != "" && *bindings != "":
		return wrongCall(fs, "-ledger and -bindings exclude each other")
	}
	dir, release, done, err := src.headers()
	if err != nil {
		return err
	}
	defer done()
	var others []*ledger.Ledger
	if *file == "" {
		if *file, err = newestLedger(*bindings); err != nil {
			return err
		}
		if others, err = ledger.ReadDir(filepath.Dir(*file)); err != nil {
			return err
		}
		if release != "" { // its version header is that of an older one
			others = nil
		}
	}
	l, err := ledger.ReadFile(*file)
	if err != nil {
		return err
	}
	const limit = 10 * time.Minute
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	r, err := check.Run(ctx, check.Config{Ledger: l, Others: others, SDK: dir, Sonames: sonames(l)})
	if err != nil {
		return err
	}
	if release != "" { // it was put together in a directory that is about to go
		r.SDK = release
		if r.Include, err = src.dir(); err != nil {
			return err
		}
	}
	if *asJSON {
		enc := json.NewEncoder(out)
		enc.SetIndent("", "  ")
		err = enc.Encode(r)
	} else {
		err = r.Print(out, *verbose)
	}
	if err == nil && len(r.Differences) > 0 {
		err = errDiffers
	}
	return err
}

// newestLedger is the ledger of the latest version in the api directory of some bindings.
func newestLedger(bindings string) (string, error) {
	if bindings == "" {
		root, _, err := moduleOf(".")
		if err != nil {
			return "", err
		}
		bindings = filepath.Join(root, "generated")
	}
	found, err := filepath.Glob(filepath.Join(bindings, "api", "[0-9]*.txt"))
	if err != nil {
		return "", err
	}
	if len(found) == 0 {
		return "", fmt.Errorf("no ledger api/<version>.txt in %s: name it with -ledger", bindings)
	}
	return slices.MaxFunc(found, func(a, b string) int { return ledger.Compare(filepath.Base(a), filepath.Base(b)) }), nil
}

// sonames are the shared libraries of a ledger's packages, as far as it does not name others; what is
// linked into device code has none.
func sonames(l *ledger.Ledger) map[string]string {
	var headers []string
	for _, s := range l.Symbols {
		if !slices.Contains(headers, s.Header) {
			headers = append(headers, s.Header)
		}
	}
	all := map[string]string{}
	for _, sp := range model.Plan(headers) {
		if strings.Contains(sp.Soname, ".so") {
			all[sp.Name] = sp.Soname
		}
	}
	return all
}
