// Command bench measures the Go packages against the same work in C, in one process and on the same implementation of DOCA, and
// writes what it has found as JSON. Run it with make bench, which prints the table. docs/performance.md says what is measured and how.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"log"
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/go-doca/go-doca/bench/result"
	"github.com/go-doca/go-doca/doca"
)

func main() {
	log.SetFlags(0)
	if how := os.Getenv(target); how != "" {
		if err := serveWrites(how); err != nil {
			log.Fatal("the target of the writes: ", err)
		}
		return
	}
	out := flag.String("o", "", "the `file` to write, as JSON; none for standard output")
	only := flag.String("rows", ".", "a regular `expression`: the rows that are measured, by group and name")
	var p plan
	flag.IntVar(&p.turns, "turns", 41, "the number of turns of each side")
	flag.DurationVar(&p.turn, "turn", 20*time.Millisecond, "about how long a turn takes")
	cpu := flag.String("profile", "", "a `file` for a CPU profile of Go's side of the rows; nothing is measured then")
	flag.Parse()
	wanted, err := regexp.Compile(*only)
	if err != nil || flag.NArg() > 0 || p.turns < 1 || p.turn <= 0 {
		flag.Usage()
		os.Exit(2)
	}
	rows := slices.DeleteFunc(allRows(), func(r row) bool { return !wanted.MatchString(r.title()) })
	if *cpu != "" {
		err = profile(*cpu, rows, time.Second)
	} else {
		run := describe(p)
		run.Memory = memoryTable()
		for _, row := range rows {
			row.with(func(sides []side) { run.Rows = append(run.Rows, p.measure(row, sides)...) })
		}
		err = write(*out, run)
	}
	if err != nil {
		log.Fatal(err)
	}
}

// describe says what is measured where.
func describe(p plan) result.Run {
	provider, err := doca.Provider()
	if err != nil {
		log.Fatal(err)
	}
	return result.Run{
		Date: time.Now().UTC().Truncate(time.Second), Commit: commit(), Go: runtime.Version(), CPU: processor(), Cores: runtime.NumCPU(),
		Provider: fmt.Sprint(provider), Turns: p.turns, Turn: p.turn,
	}
}

func write(path string, run result.Run) error {
	text, err := json.MarshalIndent(run, "", "\t")
	if err != nil {
		return err
	}
	text = append(text, '\n')
	if path == "" {
		_, err = os.Stdout.Write(text)
		return err
	}
	return os.WriteFile(path, text, 0o644)
}

// commit returns the commit that the tree is at, or "" outside a repository.
func commit() string {
	id, err := exec.Command("git", "rev-parse", "--short", "HEAD").Output()
	if err != nil {
		return ""
	}
	name := strings.TrimSpace(string(id))
	if exec.Command("git", "diff", "--quiet", "HEAD").Run() != nil {
		name += "-dirty"
	}
	return name
}

// processor returns the name of the processor as Linux has it, or its architecture.
func processor() string {
	text, _ := os.ReadFile("/proc/cpuinfo")
	if m := regexp.MustCompile(`(?m)^model name\s*: (.*)$`).FindSubmatch(text); m != nil {
		return string(m[1])
	}
	return runtime.GOARCH
}
