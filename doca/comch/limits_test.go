package comch_test

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/comch"
	"github.com/go-doca/go-doca/doca/internal/doctest"
	"github.com/go-doca/go-doca/emulator"
	"github.com/stretchr/testify/require"
)

// always is the fault that a function answers with a code, as often as faults can be.
func always(function, code string) string {
	one := "fail-call=" + function + ":"
	var all []string
	for i := range 64 {
		all = append(all, one+strconv.Itoa(i+1)+":"+code)
	}
	return strings.Join(all, ",")
}

// A consumer whose start never ends, as with some releases of DOCA, ends NewConsumer with an error.
func TestStartThatNeverEnds(t *testing.T) {
	defer comch.SetLimits(20*time.Millisecond, 20*time.Second)()
	_, to := newPair(t, comch.Config{})
	mem := memory(t, to, 64)
	doctest.Faults(t, "fail-call=doca_ctx_start:1:IN_PROGRESS")
	_, err := to.NewConsumer(mem, comch.ConsumerConfig{})
	wantErr(t, err, doca.ErrTimeOut, "start", "consumer")
	consumer := must(to.NewConsumer(mem, comch.ConsumerConfig{}))(t)
	require.NoError(t, consumer.Close())

	doctest.Faults(t, "fail-call=doca_ctx_start:1:IN_PROGRESS")
	_, err = to.NewProducer(comch.ProducerConfig{})
	wantErr(t, err, doca.ErrTimeOut, "start", "producer")
}

// A connection that DOCA does not end, and contexts that it does not stop, end Close with an error;
// another Close goes on.
func TestCloseThatNeverEnds(t *testing.T) {
	defer comch.SetLimits(20*time.Second, 20*time.Millisecond)()
	l := newLink(t)
	srv := l.listen(t, comch.Config{})
	client, _ := l.pair(t, srv, comch.Config{})
	_, server := l.pair(t, srv, comch.Config{})
	consumer := must(server.NewConsumer(memory(t, server, 64), comch.ConsumerConfig{}))(t)
	require.NoError(t, consumer.Post(nil))
	for _, c := range []struct {
		what   closer
		faults string
	}{
		{consumer, "fail-call=doca_ctx_stop:1:AGAIN"},
		{server, always("doca_comch_server_disconnect", "AGAIN")},
		{client, "fail-call=doca_ctx_stop:1:IN_PROGRESS"},
		{srv, "fail-call=doca_ctx_stop:1:IN_USE"},
	} {
		t.Run(c.what.String(), func(t *testing.T) {
			doctest.Faults(t, c.faults)
			wantErr(t, c.what.Close(), doca.ErrTimeOut, "call Close again")
			emulator.ClearFaults()
			comch.SetLimits(20*time.Second, 20*time.Second)
			require.NoError(t, c.what.Close())
			comch.SetLimits(20*time.Second, 20*time.Millisecond)
		})
	}
}
