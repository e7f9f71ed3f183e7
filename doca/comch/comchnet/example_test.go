package comchnet_test

import (
	"context"
	"fmt"
	"io"
	"log"
	"net/http"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/comch"
	"github.com/go-doca/go-doca/doca/comch/comchnet"
)

// A DPU serves HTTP to its host. Here both are one program.
func Example() {
	ctx := context.Background()

	// On the DPU.
	dpu, err := doca.OpenDevice("03:00.0")
	if err != nil {
		log.Fatal(err)
	}
	defer dpu.Close()
	rep, err := dpu.OpenRepresentor("b1:00.0")
	if err != nil {
		log.Fatal(err)
	}
	listener, err := comchnet.Listen(ctx, dpu, rep, "comchnet-example", comch.Config{})
	if err != nil {
		log.Fatal(err)
	}
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, "%s from %s\n", r.URL.Path, r.Host)
	})}
	go server.Serve(listener)
	defer server.Close()

	// On the host.
	host, err := doca.OpenDevice("b1:00.0")
	if err != nil {
		log.Fatal(err)
	}
	defer host.Close()
	dialer := &comchnet.Dialer{Device: host}
	client := &http.Client{Transport: &http.Transport{DialContext: dialer.DialContext}}
	resp, err := client.Get("http://comchnet-example/hello")
	if err != nil {
		log.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s", text)
	// Output: /hello from comchnet-example
}
