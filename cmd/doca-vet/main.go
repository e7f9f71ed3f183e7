// Command doca-vet finds mistakes in programs that use go-doca: see docs/vet.md in the repository.
//
//	doca-vet ./...
//	go vet -vettool=$(which doca-vet) ./...
//
// "doca-vet help" lists the analyzers, and "doca-vet help unclosed" says more of one.
package main

import (
	"encoding/json"
	"log"
	"os"
	"strings"

	"golang.org/x/tools/go/analysis/multichecker"

	"github.com/go-doca/go-doca/vet"
)

func main() {
	if last := len(os.Args) - 1; last > 0 && strings.HasSuffix(os.Args[last], ".cfg") {
		if err := reportAll(os.Args[last]); err != nil {
			log.Fatalf("doca-vet: %v", err)
		}
	}
	multichecker.Main(vet.Analyzers()...) // which serves go vet as well
}

// reportAll changes the file by which go vet says what to do with a package. Of a package that another one imports, go vet wants facts
// alone, and before Go 1.27 it keeps in its cache that there was nothing to report: asked for that package later, it would report nothing. So
// the packages of the user's module are always reported there. The file of Go 1.27 has other names for the module, and stays as it is.
func reportAll(file string) error {
	data, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	var cfg map[string]any
	if err := json.Unmarshal(data, &cfg); err != nil {
		return err
	}
	if main := cfg["ModulePath"] != "" && cfg["ModuleVersion"] == ""; cfg["VetxOnly"] != true || !main {
		return nil
	}
	cfg["VetxOnly"] = false
	if data, err = json.Marshal(cfg); err != nil {
		return err
	}
	return os.WriteFile(file, data, 0o600)
}
