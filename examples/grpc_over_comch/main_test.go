package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// Two processes, as on a DPU and its host; the client may come first.
func TestTwoProcesses(t *testing.T) {
	program := filepath.Join(t.TempDir(), "grpc_over_comch")
	if out, err := exec.Command("go", "build", "-o", program).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	name := fmt.Sprintf("grpc-test-%d", os.Getpid())
	start := func(side string, args ...string) (*exec.Cmd, *strings.Builder) {
		cmd, out := exec.CommandContext(t.Context(), program, append(args, "-n", name)...), new(strings.Builder)
		cmd.Stdout, cmd.Stderr = out, out
		cmd.Env = append(os.Environ(), "DOCA_PROVIDER=emulator", "DOCA_EMU_SIDE="+side)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		return cmd, out
	}
	client, got := start("host", "-client", "--pci-addr", "b1:00.0")
	server, log := start("dpu", "-server", "-p", "03:00.0", "--rep-pci", "b1:00.0")
	if err := client.Wait(); err != nil {
		t.Errorf("client: %v", err)
	}
	if err := server.Process.Signal(syscall.SIGTERM); err != nil {
		t.Error(err)
	}
	if err := server.Wait(); err != nil {
		t.Errorf("server: %v\n%s", err, log)
	}
	want := "gRPC: SERVING\nHTTP: Hello from " + name + ".http@0000:03:00.0\n"
	if got.String() != want {
		t.Errorf("client's output:\n%swant:\n%s", got, want)
	}
}
