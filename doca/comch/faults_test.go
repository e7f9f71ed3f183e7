package comch_test

import (
	"context"
	"testing"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/comch"
	"github.com/go-doca/go-doca/doca/internal/doctest"
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
		doctest.Faults(t, "fail-call="+call+":1")
		_, err := comch.Listen(t.Context(), l.dpu, l.rep, l.name, comch.Config{})
		wantErr(t, err, doca.ErrDriver, call)
	}
	srv := l.listen(t, comch.Config{})
	for _, call := range []string{
		"doca_comch_cap_client_is_supported", "doca_comch_consumer_cap_get_max_consumers", "doca_comch_client_create",
		"doca_comch_client_set_max_msg_size", "doca_comch_client_set_recv_queue_size", "doca_comch_client_task_send_set_conf",
		"doca_comch_client_event_msg_recv_register", "doca_comch_client_event_consumer_register", "doca_ctx_start",
	} {
		doctest.Faults(t, "fail-call="+call+":1")
		_, err := comch.Dial(t.Context(), l.host, l.name, comch.Config{})
		wantErr(t, err, doca.ErrDriver, call)
	}
	check(t, srv.Close())
	if n := len(doca.OpenObjects()); n != open {
		t.Errorf("%d objects are open, want %d: %v", n, open, doca.OpenObjects())
	}
}

// A close that fails is told, and the next one goes on.
func TestClosesThatFail(t *testing.T) {
	l := newLink(t)
	srv := l.listen(t, comch.Config{})
	for _, call := range []string{"doca_ctx_stop", "doca_comch_client_destroy", "doca_pe_destroy"} {
		client, server := l.pair(t, srv, comch.Config{})
		doctest.Faults(t, "fail-call="+call+":1")
		wantErr(t, client.Close(), doca.ErrDriver, call)
		wantErr(t, client.Send(t.Context(), []byte("x")), doca.ErrClosed)
		check(t, client.Close())
		wantEnd(t, server)
		check(t, server.Close())
	}
	client, server := l.pair(t, srv, comch.Config{})
	for _, code := range []string{"AGAIN", "IN_USE"} { // which mean that it may do later
		doctest.Faults(t, "fail-call=doca_comch_server_disconnect:1:"+code+",fail-call=doca_comch_server_disconnect:2:"+code)
		ended, cancel := context.WithCancel(t.Context())
		cancel()
		wantErr(t, server.Shutdown(ended), context.Canceled)
	}
	doctest.Faults(t, "fail-call=doca_comch_server_disconnect:1")
	wantErr(t, server.Close(), doca.ErrDriver, "doca_comch_server_disconnect")
	doctest.Faults(t, "fail-call=doca_comch_server_disconnect:1:AGAIN")
	check(t, server.Close())
	wantEnd(t, client)

	client, _ = l.pair(t, srv, comch.Config{})
	for _, call := range []string{"doca_ctx_stop", "doca_comch_server_destroy", "doca_pe_destroy"} {
		doctest.Faults(t, "fail-call="+call+":1")
		wantErr(t, srv.Close(), doca.ErrDriver, call)
	}
	check(t, srv.Close())
	wantEnd(t, client)
}

// A message that could not be handed over is told by what sends next, once; the connection
// goes on.
func TestTasksThatFail(t *testing.T) {
	client, server := newPair(t, comch.Config{MaxSendTasks: 2})
	for _, c := range [][2]*comch.Conn{{client, server}, {server, client}} {
		doctest.Faults(t, "fail-task=1")
		send(t, c[0], "lost")
		wantErr(t, c[0].Flush(long(t)), doca.ErrIOFailed, "could not be handed over")
		check(t, c[0].Flush(long(t)))
		send(t, c[0], "arrives")
		recv(t, c[1], "arrives")

		doctest.Faults(t, "fail-task=1")
		send(t, c[0], "lost, too")
		told := 0
		for range 4 { // with two tasks the first has ended by the time that the third is sent
			if err := c[0].Send(long(t), []byte("x")); err != nil {
				wantErr(t, err, doca.ErrIOFailed)
				told++
			}
		}
		if told != 1 {
			t.Errorf("the failure was told %d times", told)
		}
		doctest.Faults(t, "exhaust-pool=1")
		wantErr(t, c[0].Send(long(t), []byte("x")), doca.ErrNoMemory, "alloc_init")
		doctest.Faults(t, "fail-call=doca_comch_connection_update_info:1")
		_, err := c[0].Stats()
		wantErr(t, err, doca.ErrDriver, "update_info")
		doctest.Faults(t, "fail-call=doca_comch_connection_get_counter:2")
		_, err = c[0].Stats()
		wantErr(t, err, doca.ErrDriver, "get_counter")
	}
}

// A client that is connected and cannot tell its connection has none.
func TestConnectionThatCannotBeTold(t *testing.T) {
	l := newLink(t)
	srv := l.listen(t, comch.Config{})
	doctest.Faults(t, "fail-call=doca_comch_client_get_connection:1")
	client, server := l.pair(t, srv, comch.Config{})
	wantErr(t, client.Send(long(t), []byte("x")), doca.ErrNotConnected)
	check(t, client.Close())
	wantEnd(t, server)
}

// Tasks that take their time do not keep a connection from being closed.
func TestCloseWithTasksInFlight(t *testing.T) {
	client, server := newPair(t, comch.Config{})
	doctest.Faults(t, "delay=300ms")
	for _, c := range []*comch.Conn{client, server} {
		send(t, c, "on its way")
		wantErr(t, c.Flush(soon(t)), context.DeadlineExceeded)
	}
	check(t, client.Close())
	check(t, server.Close())
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
