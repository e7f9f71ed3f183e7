// Command grpc_over_comch serves gRPC and HTTP on a DPU, for its host, over DOCA Comch: no
// network, no TCP, and the usual Go packages on both sides. Start the server on the DPU,
//
//	grpc_over_comch -server -p 03:00.0 -r b1:00.0
//
// and the client on the host:
//
//	grpc_over_comch -client -p b1:00.0
//
// On a machine without DOCA both run on the emulator. The client checks the server's health
// with gRPC, gets a page with HTTP, and ends. An interrupt ends the server.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os/signal"
	"syscall"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/health"
	healthpb "google.golang.org/grpc/health/grpc_health_v1"

	"github.com/go-doca/go-doca/doca/comch"
	"github.com/go-doca/go-doca/doca/comch/comchnet"
	_ "github.com/go-doca/go-doca/emulator" // used where no SDK is installed
	"github.com/go-doca/go-doca/examples/internal/device"
)

func main() {
	var server, client bool
	var pci, rep, name string
	flag.BoolVar(&server, "server", false, "serve, on the DPU")
	flag.BoolVar(&client, "client", false, "call the server, from the host")
	for _, f := range []struct {
		to                        *string
		short, long, value, usage string
	}{
		{&pci, "p", "pci-addr", "03:00.0", "PCI device address"},
		{&rep, "r", "rep-pci", "b1:00.0", "PCI address of the host function that the server serves, as the host sees it"},
		{&name, "n", "name", "grpc_over_comch", "name of the service"},
	} {
		flag.StringVar(f.to, f.short, f.value, f.usage)
		flag.StringVar(f.to, f.long, f.value, "the same as -"+f.short)
	}
	flag.Parse()

	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends the program at once
	var err error
	switch {
	case server == client:
		err = errors.New("give either -server, on the DPU, or -client, on the host")
	case server:
		err = serve(ctx, pci, rep, name)
	default:
		err = call(ctx, pci, name)
	}
	if err != nil {
		log.Fatal(err)
	}
}

func serve(ctx context.Context, pci, rep, name string) (err error) {
	dev, err := device.Open(pci, comch.Supported)
	if err != nil {
		return err
	}
	// Closing the device closes everything made on it.
	defer func() { err = errors.Join(err, dev.Close()) }()
	representor, err := dev.OpenRepresentor(rep)
	if err != nil {
		return err
	}
	web, err := comchnet.Listen(ctx, dev, representor, name+".http", comch.Config{})
	if err != nil {
		return err
	}
	rpc, err := comchnet.Listen(ctx, dev, representor, name+".grpc", comch.Config{})
	if err != nil {
		return err
	}

	webServer := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, "Hello from %v\n", web.Addr())
	})}
	rpcServer := grpc.NewServer()
	healthpb.RegisterHealthServer(rpcServer, health.NewServer())

	ended := make(chan error, 2)
	go func() { ended <- webServer.Serve(web) }()
	go func() { ended <- rpcServer.Serve(rpc) }()
	log.Printf("serving at %v and %v", web.Addr(), rpc.Addr())
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	rpcServer.GracefulStop()
	return webServer.Shutdown(context.Background())
}

func call(ctx context.Context, pci, name string) (err error) {
	dev, err := device.Open(pci, comch.Supported)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, dev.Close()) }()
	dialer := &comchnet.Dialer{Device: dev}

	rpc, err := grpc.NewClient("passthrough:///"+name+".grpc",
		grpc.WithContextDialer(func(ctx context.Context, addr string) (net.Conn, error) {
			return dialer.DialContext(ctx, "comch", addr)
		}),
		grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		return err
	}
	defer rpc.Close()
	check, err := healthpb.NewHealthClient(rpc).Check(ctx, &healthpb.HealthCheckRequest{}, grpc.WaitForReady(true))
	if err != nil {
		return err
	}
	fmt.Println("gRPC:", check.GetStatus())

	web := &http.Client{Transport: &http.Transport{DialContext: dialer.DialContext}}
	defer web.CloseIdleConnections()
	resp, err := web.Get("http://" + name + ".http/")
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	page, err := io.ReadAll(resp.Body)
	fmt.Printf("HTTP: %s", page)
	return err
}
