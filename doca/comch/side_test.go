package comch_test

import (
	"testing"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/comch"
	"github.com/go-doca/go-doca/doca/internal/doctest"
	"github.com/stretchr/testify/assert"
)

// A call that fails while a server or client is made is told, and leaves nothing open.
func TestCallsThatFail(t *testing.T) {
	l := newLink(t)
	open := len(doca.OpenObjects())
	for _, call := range []string{
		"doca_comch_cap_server_is_supported", "doca_comch_cap_get_max_msg_size", "doca_comch_server_create",
		"doca_comch_server_set_max_msg_size", "doca_comch_server_set_recv_queue_size", "doca_comch_server_task_send_set_conf",
		"doca_comch_server_event_msg_recv_register", "doca_comch_server_event_connection_status_changed_register",
		"doca_comch_server_event_consumer_register", "doca_ctx_set_user_data", "doca_ctx_set_state_changed_cb",
		"doca_pe_create", "doca_pe_connect_ctx", "doca_ctx_start",
	} {
		t.Run("Listen/"+call, func(t *testing.T) {
			doctest.Faults(t, "fail-call="+call+":1")
			_, err := comch.Listen(t.Context(), l.dpu, l.rep, l.name, comch.Config{})
			wantErr(t, err, doca.ErrDriver, call)
		})
	}
	srv := l.listen(t, comch.Config{})
	for _, call := range []string{
		"doca_comch_cap_client_is_supported", "doca_comch_consumer_cap_get_max_consumers", "doca_comch_client_create",
		"doca_comch_client_set_max_msg_size", "doca_comch_client_set_recv_queue_size", "doca_comch_client_task_send_set_conf",
		"doca_comch_client_event_msg_recv_register", "doca_comch_client_event_consumer_register", "doca_ctx_start",
	} {
		t.Run("Dial/"+call, func(t *testing.T) {
			doctest.Faults(t, "fail-call="+call+":1")
			_, err := comch.Dial(t.Context(), l.host, l.name, comch.Config{})
			wantErr(t, err, doca.ErrDriver, call)
		})
	}
	check(t, srv.Close())
	if n := len(doca.OpenObjects()); n != open {
		t.Errorf("%d objects are open, want %d: %v", n, open, doca.OpenObjects())
	}
}

// Engines of the program's own are shared, and stay open.
func TestSharedEngine(t *testing.T) {
	t.Parallel()
	l := newLink(t)
	pe := must(doca.NewProgressEngine(doca.EngineConfig{}))(t)
	cfg := comch.Config{Engine: pe}
	srv := l.listen(t, cfg)
	client, server := l.pair(t, srv, cfg)
	other, second := l.pair(t, srv, cfg)
	for range 10 {
		send(t, client, "a")
		send(t, other, "b")
		recv(t, second, "b")
		recv(t, server, "a")
		send(t, server, "c")
		recv(t, client, "c")
	}
	check(t, client.Close())
	wantEnd(t, server)
	send(t, second, "still here")
	recv(t, other, "still here")
	check(t, srv.Close())
	wantEnd(t, other)
	must(pe.Progress())(t)
	check(t, pe.Close())
}

// Closing the devices closes everything on them, with the engines.
func TestDeviceClose(t *testing.T) {
	t.Parallel()
	l := newLink(t)
	client, server := l.pair(t, l.listen(t, comch.Config{}), comch.Config{})
	check(t, l.dpu.Close())
	wantEnd(t, client)
	check(t, l.host.Close())
	_, err := client.Recv(t.Context())
	wantErr(t, err, doca.ErrClosed)
	_, err = server.Recv(t.Context())
	wantErr(t, err, doca.ErrClosed)
	_, err = client.Engine().Progress()
	wantErr(t, err, doca.ErrClosed)
	_, err = comch.Dial(t.Context(), l.host, l.name, comch.Config{})
	wantErr(t, err, doca.ErrClosed)
	_, err = comch.Listen(t.Context(), l.dpu, l.rep, l.name, comch.Config{})
	wantErr(t, err, doca.ErrClosed)
}

// A device that is lost ends its connections; both sides can be closed.
func TestLostDevice(t *testing.T) {
	l := newLink(t)
	client, server := l.pair(t, l.listen(t, comch.Config{}), comch.Config{})
	doctest.Faults(t, "lose-device=1")
	if err := client.Send(long(t), []byte("the last")); err == nil {
		_, err = client.Recv(long(t))
		if err == nil {
			t.Error("Recv on a lost device succeeded")
		}
	}
	if err := client.Send(long(t), []byte("x")); err == nil {
		t.Error("Send on a lost device succeeded")
	}
	check(t, client.Close())
	if _, err := server.Recv(long(t)); err == nil {
		_, err = server.Recv(long(t))
		if err == nil {
			t.Error("Recv from a lost device succeeded")
		}
	}
	check(t, server.Close())
}

// TestEngineOfAConnection: the close of a producer or consumer on a connection's own engine leaves the connection as it is, and what else
// is on the engine.
func TestEngineOfAConnection(t *testing.T) {
	t.Parallel()
	client, server := newPair(t, comch.Config{})
	for _, c := range []*comch.Conn{client, server} {
		other := must(c.NewProducer(comch.ProducerConfig{Engine: c.Engine()}))(t)
		for _, size := range []int{0, 64} { // without buffers of its own, and with some
			p := must(c.NewProducer(comch.ProducerConfig{Engine: c.Engine(), BufferSize: size}))(t)
			check(t, p.Close())
			check(t, p.Close())
		}
		consumer := must(c.NewConsumer(nil, comch.ConsumerConfig{Engine: other.Engine(), BufferSize: 64}))(t)
		check(t, consumer.Close())
		assert.Equal(t, doca.StateRunning, other.State())
		assert.Equal(t, doca.StateRunning, c.State())
	}
	send(t, client, "still there")
	recv(t, server, "still there")
	last := must(client.NewProducer(comch.ProducerConfig{Engine: client.Engine()}))(t)
	check(t, client.Close())
	assert.Equal(t, doca.StateClosed, last.State(), "the engine closes what is on it")
	check(t, last.Close())
}
