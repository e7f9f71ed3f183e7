package comchnet_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/comch"
	"github.com/go-doca/go-doca/doca/comch/comchnet"
	"github.com/go-doca/go-doca/emulator"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// here returns the place that leak reports have for the line above that of its caller.
func here() string {
	_, file, line, _ := runtime.Caller(1)
	return fmt.Sprintf("%s:%d ", filepath.Base(file), line-1)
}

// What a stream consists of was created where the program has called Dial and Accept, buffers included.
func TestLeakSites(t *testing.T) {
	before := doca.OpenObjects()
	l := newLink(t)
	listener, err := comchnet.Listen(t.Context(), l.dpu, l.rep, l.name, comch.Config{})
	listened := here()
	require.NoError(t, err)
	waiting, err := comchnet.Dial(t.Context(), l.host, l.name, comch.Config{})
	waited := here()
	require.NoError(t, err)
	accepted, err := listener.Accept()
	got := here()
	require.NoError(t, err)
	client, err := comchnet.Dial(t.Context(), l.host, l.name, comch.Config{})
	dialed := here()
	require.NoError(t, err)
	defer func() { client.Close(); waiting.Close(); accepted.Close(); listener.Close() }()
	_, err = client.Write([]byte("x")) // so the server has it
	require.NoError(t, err)
	warm(t, waiting, accepted.(*comchnet.Conn))
	warm(t, accepted.(*comchnet.Conn), waiting)
	known := map[string]string{waited: "waiting", got: "accepted", dialed: "client", listened: "listener"}
	who := map[string]int{}
	for _, o := range doca.OpenObjects() {
		if strings.HasPrefix(o.Name, "device") || strings.HasPrefix(o.Name, "representor") || contains(before, o) {
			continue
		}
		place, _, _ := strings.Cut(o.Site, "(")
		if assert.Contains(t, known, place, "%s\n%s", o.Name, o.Stack) {
			kind, _, _ := strings.Cut(o.Name, "#")
			who[known[place]+" "+kind]++
		}
	}
	assert.Equal(t, map[string]int{
		"listener engine": 1, "listener comch server": 1, "listener comch connection": 1, // of the client that nobody has accepted
		"client engine": 1, "client comch client": 1,
		"waiting engine": 3, "waiting comch client": 1, "waiting consumer": 1, "waiting producer": 1, "waiting memory": 2, "waiting inventory": 2, "waiting buffer": 16,
		"accepted engine": 2, "accepted comch connection": 1, "accepted consumer": 1, "accepted producer": 1, "accepted memory": 2, "accepted inventory": 2, "accepted buffer": 16,
	}, who)
}

// So was what is left of buffers that could not all be made.
func TestLeakSitesAfterFaults(t *testing.T) { // alone, because of the faults
	client, server := pipe(t)
	limit(t, client, server)
	end, err := emulator.Faults{FailCalls: []emulator.CallFault{{Func: "doca_buf_inventory_create", N: 1}, {Func: "doca_mmap_destroy", N: 1}}}.Apply()
	require.NoError(t, err)
	defer end()
	go func() { _, _ = io.Copy(io.Discard, server) }()
	left := func() bool {
		return slices.ContainsFunc(doca.OpenObjects(), func(o doca.Object) bool { return strings.HasPrefix(o.Name, "memory") })
	}
	for !left() {
		_, err = client.Write(make([]byte, 64<<10))
		require.NoError(t, err)
	}
	assert.Eventually(t, func() bool { // for a moment, what is just being made has no place
		return left() && !slices.ContainsFunc(doca.OpenObjects(), func(o doca.Object) bool { return !strings.Contains(o.Site, "_test.go") })
	}, 20*time.Second, time.Millisecond)
}

func contains(list []doca.Object, o doca.Object) bool {
	for _, x := range list {
		if x.Name == o.Name {
			return true
		}
	}
	return false
}

// Where net/http dials and accepts by itself, the place is the nearest line of the program.
func TestLeakSitesOfHTTP(t *testing.T) {
	before := doca.OpenObjects()
	l := newLink(t)
	listener, err := comchnet.Listen(t.Context(), l.dpu, l.rep, l.name, comch.Config{})
	listened := here()
	require.NoError(t, err)
	srv := &http.Server{Handler: handler()}
	go srv.Serve(listener)
	defer srv.Close()
	dialer := &comchnet.Dialer{Device: l.host}
	var dialed string
	client := &http.Client{Transport: &http.Transport{DialContext: func(ctx context.Context, network, addr string) (net.Conn, error) {
		c, err := dialer.DialContext(ctx, network, addr)
		dialed = here()
		return c, err
	}}}
	defer client.CloseIdleConnections()
	resp, err := client.Get(l.url("/large"))
	require.NoError(t, err)
	_, err = io.Copy(io.Discard, resp.Body)
	require.NoError(t, err)
	resp.Body.Close()
	places := map[string]int{}
	for _, o := range doca.OpenObjects() {
		if strings.HasPrefix(o.Name, "device") || strings.HasPrefix(o.Name, "representor") || contains(before, o) {
			continue
		}
		place, _, _ := strings.Cut(o.Site, "(")
		places[place]++
	}
	assert.Len(t, places, 2)
	assert.Greater(t, places[dialed], 10)
	assert.Greater(t, places[listened], 10)
}
