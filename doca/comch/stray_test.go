package comch_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/comch"
	"github.com/go-doca/go-doca/doca/dma"
	"github.com/go-doca/go-doca/doca/internal/doctest"
	"github.com/stretchr/testify/require"
)

// When DOCA fails to say which context a message is for, the connection that it may be for ends
// with an error, behind the messages that came before. No message is missing without one.
func TestMessageWithoutContext(t *testing.T) {
	for _, side := range []string{"client", "server"} {
		for lost := 1; lost <= 3; lost++ {
			t.Run(fmt.Sprint(side, "/", lost), func(t *testing.T) {
				from, to := newPair(t, comch.Config{})
				if side == "client" {
					from, to = to, from
				}
				producer := must(to.NewProducer(comch.ProducerConfig{}))(t)
				check(t, to.Flush(long(t)))
				doctest.Faults(t, fmt.Sprintf("fail-call=doca_ctx_get_user_data:%d", lost))
				for i := range 4 {
					check(t, from.Send(long(t), []byte{byte(i)}))
				}
				for i := range lost - 1 {
					recv(t, to, string([]byte{byte(i)}))
				}
				msg, err := to.Recv(long(t))
				require.Nil(t, msg)
				wantErr(t, err, doca.ErrUnexpected, "which context")
				require.NotErrorIs(t, err, comch.ErrPeerGone, "it is this side's failure")
				wantErr(t, to.Err(), doca.ErrUnexpected)
				wantErr(t, to.Send(long(t), []byte("x")), doca.ErrUnexpected)
				<-to.Done()
				wantErr(t, producer.Send(long(t), nil, []byte("x"), 1), doca.ErrUnexpected)
				if srv := to.Server(); srv != nil {
					_, err := srv.Accept(long(t))
					wantErr(t, err, doca.ErrUnexpected)
					wantErr(t, err, doca.ErrBadState)
				}
				check(t, to.Close())
				_, err = from.Recv(long(t))
				require.Error(t, err)
				check(t, from.Close())
			})
		}
	}
}

// A client whose connect event is lost is not lost without a word: the server stops.
func TestConnectWithoutContext(t *testing.T) {
	l := newLink(t)
	srv := l.listen(t, comch.Config{})
	doctest.Faults(t, "fail-call=doca_ctx_get_user_data:1")
	dialed := make(chan error)
	go func() {
		_, err := comch.Dial(long(t), l.host, l.name, comch.Config{})
		dialed <- err
	}()
	_, err := srv.Accept(long(t))
	wantErr(t, err, doca.ErrUnexpected)
	<-dialed
	check(t, srv.Close())
}

// What shares an engine with a context that has lost a record goes on.
func TestOthersOfTheEngine(t *testing.T) {
	l := newLink(t)
	pe := must(doca.NewProgressEngine(doca.EngineConfig{}))(t)
	other := &link{dpu: l.dpu, host: l.host, rep: l.rep, name: l.name + "-other"}
	client, server := l.pair(t, l.listen(t, comch.Config{Engine: pe}), comch.Config{})
	client2, server2 := other.pair(t, other.listen(t, comch.Config{Engine: pe}), comch.Config{})
	copier := must(dma.New(l.dpu, pe, dma.Config{}))(t)

	doctest.Faults(t, "fail-call=doca_ctx_get_user_data:1")
	send(t, client, "lost")
	_, err := server.Recv(long(t))
	wantErr(t, err, doca.ErrUnexpected)
	send(t, client2, "not lost")
	recv(t, server2, "not lost")
	require.Equal(t, doca.StateRunning, copier.State())
	require.NoError(t, pe.Close())
	_, err = client2.Recv(context.Background())
	require.ErrorIs(t, err, comch.ErrPeerGone)
}
