package main

import (
	"bufio"
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/go-doca/go-doca/doca"
)

const fileSize = 256 << 20

// file runs the DMA Copy application as two processes: the host's has the file, the DPU's gets
// it.
func file(ctx context.Context, program string) (err error) {
	dev, rep, err := bothSides()
	if err != nil {
		return err
	}
	if dev == nil {
		fmt.Println("file:    run examples/dma_copy on the DPU and on the host: see docs/dma-copy.md")
		return nil
	}
	dpu, host := dev.Info().PCIAddr, rep.Info().PCIAddr
	if err := dev.Close(); err != nil { // each of the two processes opens its own
		return err
	}
	dir, err := os.MkdirTemp("", "go-doca-demo")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	from, to := filepath.Join(dir, "on-the-host"), filepath.Join(dir, "on-the-dpu")
	if err := fill(from); err != nil {
		return err
	}
	provider, err := doca.Provider()
	if err != nil {
		return err
	}
	fmt.Printf("file:    256 MiB from the host's directory to the DPU's, with DMA: two processes of examples/dma_copy\n")
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var both sync.WaitGroup
	var failed [2]error
	for i, side := range []struct {
		name string
		args []string
	}{
		{"DPU", []string{"-p", dpu, "-r", host, "-f", to, "--timeout", "30"}},
		{"host", []string{"-p", host, "-f", from, "--timeout", "30"}},
	} {
		cmd := exec.CommandContext(ctx, program, side.args...)
		cmd.Env = append(os.Environ(), "DOCA_PROVIDER="+provider.Name, "DOCA_EMU_RUNTIME_DIR="+filepath.Join(dir, "run"))
		both.Go(func() {
			if failed[i] = show(cmd, side.name); failed[i] != nil {
				cancel()
			}
		})
	}
	both.Wait()
	if err := errors.Join(failed[:]...); err != nil {
		return err
	}
	return compare(from, to)
}

// show runs one side and prints its output. Only the host shows a progress bar: two in one
// terminal would overwrite each other.
func show(cmd *exec.Cmd, side string) error {
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if side == "host" {
		cmd.Stderr = os.Stderr
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	for lines := bufio.NewScanner(out); lines.Scan(); {
		line := lines.Text() // [time][process][DOCA][level][file:line][function] text
		if at := strings.LastIndex(line, "] "); at >= 0 {
			line = line[at+2:]
		}
		fmt.Printf("  %-5s  %s\n", side+":", line)
	}
	if err := cmd.Wait(); err != nil {
		return fmt.Errorf("%s: %w %s", side, err, stderr.Bytes())
	}
	return nil
}

// fill creates a file in which no two parts are alike.
func fill(path string) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	part := make([]byte, step)
	_, _ = rand.Read(part) // it never fails
	for n := 0; n < fileSize; n += step {
		part[n/step]++
		if _, err := f.Write(part); err != nil {
			return errors.Join(err, f.Close())
		}
	}
	return f.Close()
}

func compare(a, b string) error {
	begin := time.Now()
	x, err := os.Open(a)
	if err != nil {
		return err
	}
	defer x.Close()
	y, err := os.Open(b)
	if err != nil {
		return err
	}
	defer y.Close()
	p, q := make([]byte, step), make([]byte, step)
	for n := 0; n < fileSize; n += step {
		if _, err := io.ReadFull(x, p); err != nil {
			return err
		}
		if _, err := io.ReadFull(y, q); err != nil {
			return err
		}
		if !bytes.Equal(p, q) {
			return errors.New("the file on the DPU differs from the one on the host")
		}
	}
	if n, err := y.Read(q); n != 0 || !errors.Is(err, io.EOF) {
		return errors.New("the file on the DPU is longer than the one on the host")
	}
	fmt.Printf("file:    compared byte by byte in %.1f s: no difference\n", time.Since(begin).Seconds())
	return nil
}
