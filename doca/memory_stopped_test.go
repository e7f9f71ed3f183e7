package doca_test

import (
	"bufio"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/dma"
	"github.com/go-doca/go-doca/internal/selfexec"
)

func init() {
	programs["write"] = func() { // to memory of another process, until that is gone
		if err := writeUntilGone(os.Getenv("DOCA_TEST_DESCRIPTOR")); err != nil {
			fmt.Println(err)
		}
	}
}

func writeUntilGone(desc string) error {
	raw, err := hex.DecodeString(desc)
	if err != nil {
		return err
	}
	dev, err := doca.OpenDevice(dpu0)
	if err != nil {
		return err
	}
	defer dev.Close()
	pe, err := doca.NewProgressEngine(doca.EngineConfig{})
	if err != nil {
		return err
	}
	defer pe.Close()
	copier, err := dma.New(dev, pe, dma.Config{})
	if err != nil {
		return err
	}
	mem, err := doca.ImportMemory(dev, raw)
	if err != nil {
		return err
	}
	local, err := doca.NewMemory(mem.Len(), doca.MemoryConfig{Devices: []*doca.Device{dev}})
	if err != nil {
		return err
	}
	inv, err := doca.NewInventory(2)
	if err != nil {
		return err
	}
	defer inv.Close()
	src, err := inv.Buffer(local, 0, local.Len())
	if err != nil {
		return err
	}
	dst, err := inv.Buffer(mem, 0, mem.Len())
	if err != nil {
		return err
	}
	if err := src.SetData(0, local.Len()); err != nil {
		return err
	}
	for first := true; ; first = false {
		if _, err := copier.Copy(context.Background(), dst, src); err != nil {
			return nil
		}
		if first {
			fmt.Println("writing")
		}
	}
}

// startWriter starts a process that writes to a memory of this one all the time.
func startWriter(t testing.TB, desc []byte) *exec.Cmd {
	t.Helper()
	cmd := selfexec.Command(t)
	cmd.Env = append(os.Environ(), "DOCA_TEST_PROGRAM=write", fmt.Sprintf("DOCA_TEST_DESCRIPTOR=%x", desc), "DOCA_EMU_DMA_MAX_BUF_SIZE=0x4000000")
	cmd.Stderr = os.Stderr
	out := bufio.NewScanner(must(cmd.StdoutPipe())(t))
	check(t, cmd.Start())
	t.Cleanup(func() {
		if cmd.ProcessState == nil {
			cmd.Process.Kill()
			cmd.Wait()
		}
	})
	require.True(t, out.Scan())
	require.Equal(t, "writing", out.Text())
	return cmd
}

// stoppedWriter returns a memory that another process is writing to, and that process, which is stopped.
func stoppedWriter(t testing.TB, dev *doca.Device) (*doca.Memory, *exec.Cmd) {
	t.Helper()
	for range 50 { // it is in a write most of the time
		mem := must(doca.NewMemory(32<<20, doca.MemoryConfig{Devices: []*doca.Device{dev}, Access: doca.AccessLocalReadWrite | doca.AccessPCIReadWrite}))(t)
		cmd := startWriter(t, must(mem.ExportPCI(dev))(t))
		selfexec.Stop(t, cmd.Process)
		err := mem.Close()
		if err != nil {
			wantErr(t, err, doca.ErrInUse, "stopped in the middle of a write", "continue or kill that process, then call Close again", "DOCA's log names it")
			return mem, cmd
		}
		check(t, cmd.Process.Kill())
		cmd.Wait()
	}
	t.Fatal("no process was stopped while it was writing")
	return nil, nil
}

// Close does not free memory that a stopped process is writing to. It ends, says why, and can be called
// again; Shutdown ends with its ctx.
func TestCloseWithStoppedWriter(t *testing.T) {
	t.Parallel()
	dev := must(doca.OpenDevice(host0))(t)
	defer dev.Close()
	for _, sig := range []syscall.Signal{syscall.SIGCONT, syscall.SIGKILL} {
		t.Run(sig.String(), func(t *testing.T) {
			mem, writer := stoppedWriter(t, dev)
			wantErr(t, mem.Close(), doca.ErrInUse)
			ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
			defer cancel()
			err := mem.Shutdown(ctx)
			wantErr(t, err, context.DeadlineExceeded, mem.String())
			wantErr(t, mem.Shutdown(t.Context()), doca.ErrInUse) // also of what has gone on
			_, err = mem.ExportPCI(dev)
			wantErr(t, err, doca.ErrClosed)
			check(t, writer.Process.Signal(sig))
			for err = mem.Close(); errors.Is(err, doca.ErrInUse); {
				err = mem.Close()
			}
			check(t, err)
			check(t, mem.Close())
			assert.Nil(t, mem.Bytes())
			writer.Wait()
		})
	}
}

// Device.Close fails with the memory, and a later one closes both.
func TestCloseOfDeviceWithStoppedWriter(t *testing.T) {
	t.Parallel()
	dev := must(doca.OpenDevice(host0))(t)
	defer dev.Close() // where there is no such writer
	mem, writer := stoppedWriter(t, dev)
	err := dev.Close()
	wantErr(t, err, doca.ErrInUse, mem.String())
	check(t, writer.Process.Kill())
	writer.Wait()
	check(t, dev.Close())
	check(t, mem.Close())
}
