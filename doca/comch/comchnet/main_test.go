package comchnet_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/comch"
	"github.com/go-doca/go-doca/doca/comch/comchnet"
	"github.com/go-doca/go-doca/doca/internal/doctest"
	"github.com/go-doca/go-doca/emulator"
	"github.com/stretchr/testify/require"
)

func TestMain(m *testing.M) {
	if name := os.Getenv("COMCHNET_TEST_PEER"); name != "" {
		peer(name)
	}
	doctest.Main(m)
}

// link is both ends of a channel in one process, under a name that no other test has.
type link struct {
	dpu, host *doca.Device
	rep       *doca.Representor
	name      string
}

var names atomic.Int32

func newLink(t testing.TB) *link {
	t.Helper()
	l := &link{name: fmt.Sprintf("comchnet-%d-%d", os.Getpid(), names.Add(1))}
	var err error
	l.dpu, err = doca.OpenDevice("0000:03:00.0")
	require.NoError(t, err)
	l.host, err = doca.OpenDevice("0000:b1:00.0")
	require.NoError(t, err)
	l.rep, err = l.dpu.OpenRepresentor("0000:b1:00.0")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, l.close()) })
	return l
}

func (l *link) close() error {
	if err := l.host.Close(); err != nil {
		return err
	}
	return l.dpu.Close()
}

func (l *link) listen(t testing.TB) *comchnet.Listener {
	t.Helper()
	li, err := comchnet.Listen(t.Context(), l.dpu, l.rep, l.name, comch.Config{})
	require.NoError(t, err)
	return li
}

func (l *link) dial(t testing.TB) *comchnet.Conn {
	t.Helper()
	c, err := comchnet.Dial(t.Context(), l.host, l.name, comch.Config{})
	require.NoError(t, err)
	return c
}

// dialRaw is a client that need not keep to the protocol.
func (l *link) dialRaw(t testing.TB) *comch.Conn {
	t.Helper()
	c, err := comch.Dial(t.Context(), l.host, l.name, comch.Config{})
	require.NoError(t, err)
	return c
}

// pipe returns both ends of a stream. Closing the device closes what a test leaves.
func pipe(t testing.TB) (client, server *comchnet.Conn) {
	t.Helper()
	l := newLink(t)
	li := l.listen(t)
	client = l.dial(t)
	c, err := li.Accept()
	require.NoError(t, err)
	t.Cleanup(func() {
		client.Close()
		c.Close()
		require.NoError(t, li.Close())
	})
	return client, c.(*comchnet.Conn)
}

// want checks that err is of the type that net's errors have, and what it is.
func want(t testing.TB, err error, targets ...error) {
	t.Helper()
	var op *net.OpError
	require.ErrorAs(t, err, &op)
	for _, target := range targets {
		require.ErrorIs(t, err, target)
	}
}

// soon is how long a test waits for what should block to do so. If that is too short the test
// sees less, but does not fail.
const soon = 10 * time.Millisecond

// limit makes a test that hangs fail instead.
func limit(t testing.TB, conns ...net.Conn) {
	t.Helper()
	for _, c := range conns {
		require.NoError(t, c.SetDeadline(time.Now().Add(time.Minute)))
	}
}

// peer is what tests run in another process: "client" or "server", "-echo" if it sends back what it reads, "-end" if it
// does what its standard input says, and the name of the server; "tcp-echo" and an address; "http" and the name of the
// server, which also serves TCP and prints that address, then a line when it is asked for "/wait"; or "get" and a URL, whose body it reads.
func peer(what string) {
	side, name, _ := strings.Cut(what, " ")
	side, echo := strings.CutSuffix(side, "-echo")
	side, end := strings.CutSuffix(side, "-end")
	var c net.Conn
	var err error
	switch side {
	case "http":
		err = serveHTTP(name)
	case "get":
		err = get(name)
	case "tcp":
		c, err = net.Dial("tcp", name)
	default:
		c, err = connect(side, name)
	}
	if err == nil && echo {
		if _, err = io.Copy(c, c); err == nil {
			err = c.Close()
		}
		if err == nil {
			os.Exit(0)
		}
	} else if err == nil {
		c.Write([]byte("here"))
		for in := bufio.NewScanner(os.Stdin); end && in.Scan(); {
			switch conn := c.(*comchnet.Conn); in.Text() {
			case "CloseWrite":
				err = conn.CloseWrite()
			case "Close":
				err = conn.Close()
			case "close beneath":
				err = conn.Raw().Close()
			case "exit":
				os.Exit(0)
			}
			fmt.Println(err)
		}
		c.Read(make([]byte, 1))
	}
	fmt.Fprintln(os.Stderr, "peer:", err)
	os.Exit(1)
}

func connect(side, name string) (net.Conn, error) {
	if side == "client" {
		dev, err := doca.OpenDevice("0000:b1:00.0")
		if err != nil {
			return nil, err
		}
		return comchnet.Dial(context.Background(), dev, name, comch.Config{})
	}
	li, err := listen(name)
	if err != nil {
		return nil, err
	}
	return li.Accept()
}

func listen(name string) (net.Listener, error) {
	dev, err := doca.OpenDevice("0000:03:00.0")
	if err != nil {
		return nil, err
	}
	rep, err := dev.OpenRepresentor("0000:b1:00.0")
	if err != nil {
		return nil, err
	}
	return comchnet.Listen(context.Background(), dev, rep, name, comch.Config{})
}

// serveHTTP serves handler over Comch and TCP.
func serveHTTP(name string) error {
	overComch, err := listen(name)
	if err != nil {
		return err
	}
	overTCP, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	go http.Serve(overTCP, handler())
	fmt.Println(overTCP.Addr())
	return http.Serve(overComch, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/wait" {
			fmt.Println(r.URL.Path)
		}
		handler().ServeHTTP(w, r)
	}))
}

// get reads the body of a URL.
func get(url string) error {
	dev, err := doca.OpenDevice("0000:b1:00.0")
	if err != nil {
		return err
	}
	resp, err := (&link{host: dev}).client().Get(url)
	if err == nil {
		_, err = io.Copy(io.Discard, resp.Body)
	}
	return err
}

func random(n int) []byte {
	p := make([]byte, n)
	rand.NewChaCha8([32]byte{byte(n)}).Read(p)
	return p
}

// client is a http.Client that reaches the link's server by its name, as the URL's host.
func (l *link) client() *http.Client {
	d := &comchnet.Dialer{Device: l.host}
	return &http.Client{Transport: &http.Transport{DialContext: d.DialContext}}
}

// url is the URL of a path on the link's server.
func (l *link) url(path string) string { return "http://" + l.name + path }

// handler answers "hello"; for "/large" much more, and for "/forever" without an end. For "/wait" it answers nothing before the
// request is cancelled.
func handler() *http.ServeMux {
	mux := http.NewServeMux()
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "hello") })
	mux.HandleFunc("/large", func(w http.ResponseWriter, _ *http.Request) { w.Write(make([]byte, 16<<20)) })
	mux.HandleFunc("/forever", func(w http.ResponseWriter, _ *http.Request) {
		for err := error(nil); err == nil; {
			_, err = w.Write(make([]byte, 32<<10))
		}
	})
	mux.HandleFunc("/wait", func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	return mux
}

// loseSend has the next message or buffer that a side sends fail, and nothing else: if a task of the peer failed, the peer would go.
func loseSend(t *testing.T, c *comchnet.Conn) {
	t.Helper()
	on := emulator.Target{Device: c.Raw().Device().Info().PCIAddr}
	end, err := emulator.Faults{On: on, FailTasks: []emulator.TaskFault{{N: 1, Kind: "send"}}}.Apply()
	require.NoError(t, err)
	t.Cleanup(end)
}
