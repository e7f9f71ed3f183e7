package main

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/health"
	healthpb "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/status"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/comch"
	"github.com/go-doca/go-doca/doca/comch/comchnet"
)

func TestMain(m *testing.M) {
	os.Setenv("DOCA_PROVIDER", "emulator")
	os.Exit(m.Run())
}

// There are two processes, as on a DPU and its host. The client may come first.
func TestTwoProcesses(t *testing.T) {
	program := build(t)
	name := fmt.Sprintf("grpc-test-%d", os.Getpid())
	start := func(side string, args ...string) (*exec.Cmd, *strings.Builder) {
		cmd, out := exec.CommandContext(t.Context(), program, append(args, "-n", name)...), new(strings.Builder)
		cmd.Stdout, cmd.Stderr = out, out
		cmd.Env = append(os.Environ(), "DOCA_PROVIDER=emulator", "DOCA_EMU_SIDE="+side, "DOCA_EMU_COMCH_CONNECT_TIMEOUT=20000") // either may be first
		require.NoError(t, cmd.Start())
		return cmd, out
	}
	client, got := start("host", "-client", "--pci-addr", "b1:00.0")
	server, log := start("dpu", "-server", "-p", "03:00.0", "--rep-pci", "b1:00.0")
	assert.NoError(t, client.Wait())
	assert.NoError(t, server.Process.Signal(syscall.SIGTERM))
	assert.NoError(t, server.Wait(), log)
	assert.Equal(t, "gRPC: SERVING\nHTTP: Hello from "+name+".http@0000:03:00.0\n", got.String())
}

func build(t *testing.T) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), "grpc_over_comch")
	out, err := exec.Command("go", "build", "-o", program).CombinedOutput()
	require.NoError(t, err, string(out))
	return program
}

// gRPC says alike that its server was killed or has closed the connection, but for the text. The Conn says which.
func TestServerEnds(t *testing.T) {
	program := build(t)
	for how, want := range map[string]struct {
		end  comch.End
		text string
	}{
		"killed": {comch.EndBroken, "the peer has disappeared without closing the connection"},
		"closed": {comch.EndOrderly, "error reading from server: EOF"},
	} {
		t.Run(how, func(t *testing.T) {
			name := fmt.Sprintf("grpc-test-%s-%d", how, os.Getpid())
			host, err := doca.OpenDevice("b1:00.0")
			require.NoError(t, err)
			defer host.Close()
			var end func()
			if how == "killed" {
				server := exec.CommandContext(t.Context(), program, "-server", "-n", name)
				server.Env = append(os.Environ(), "DOCA_PROVIDER=emulator")
				require.NoError(t, server.Start())
				end = func() { server.Process.Kill(); server.Wait() }
			} else {
				dpu, err := doca.OpenDevice("03:00.0")
				require.NoError(t, err)
				defer dpu.Close()
				rep, err := dpu.OpenRepresentor("b1:00.0")
				require.NoError(t, err)
				listener, err := comchnet.Listen(t.Context(), dpu, rep, name+".grpc", comch.Config{})
				require.NoError(t, err)
				server := grpc.NewServer()
				healthpb.RegisterHealthServer(server, health.NewServer())
				go server.Serve(listener)
				end = server.Stop
			}
			defer end()
			conns := make(chan *comchnet.Conn, 100)
			dialer := &comchnet.Dialer{Device: host}
			client, err := grpc.NewClient("passthrough:///"+name+".grpc", grpc.WithTransportCredentials(insecure.NewCredentials()),
				grpc.WithContextDialer(func(ctx context.Context, addr string) (net.Conn, error) {
					c, err := dialer.DialContext(ctx, "comch", addr)
					if err == nil {
						conns <- c.(*comchnet.Conn)
					}
					return c, err
				}))
			require.NoError(t, err)
			defer client.Close()
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			watch, err := healthpb.NewHealthClient(client).Watch(ctx, &healthpb.HealthCheckRequest{}, grpc.WaitForReady(true))
			require.NoError(t, err)
			_, err = watch.Recv()
			require.NoError(t, err)
			conn := <-conns
			require.NoError(t, conn.Err())
			end()
			_, err = watch.Recv()
			require.Equal(t, codes.Unavailable, status.Code(err), "%v", err)
			require.ErrorContains(t, err, want.text)
			var peer *comch.PeerError
			require.ErrorAs(t, conn.Err(), &peer)
			require.Equal(t, want.end, peer.End)
		})
	}
}
