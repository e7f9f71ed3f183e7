package comch_test

import (
	"errors"
	"sync"
	"testing"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/comch"
)

// What is made while its owner is being closed is either refused or closed with it.
func TestCloseWhileCreating(t *testing.T) {
	t.Parallel()
	for range 20 {
		l := newLink(t)
		pe := must(doca.NewProgressEngine(doca.EngineConfig{}))(t)
		mem := must(doca.NewMemory(4096, doca.MemoryConfig{Devices: []*doca.Device{l.host}, Access: doca.AccessPCIReadWrite}))(t)
		client, _ := l.pair(t, l.listen(t, comch.Config{}), comch.Config{Engine: pe})
		var all sync.WaitGroup
		some := make(chan struct{}, 8)
		for _, create := range []func() (any, error){
			func() (any, error) {
				return comch.Listen(t.Context(), l.dpu, l.rep, l.name+"-other", comch.Config{Engine: pe})
			},
			func() (any, error) { return comch.Dial(t.Context(), l.host, l.name, comch.Config{Engine: pe}) },
			func() (any, error) { return client.NewConsumer(mem, comch.ConsumerConfig{Engine: pe}) },
			func() (any, error) { return client.NewProducer(comch.ProducerConfig{Engine: pe}) },
		} {
			all.Go(func() {
				for {
					v, err := create()
					l.keep(v)
					select {
					case some <- struct{}{}:
					default:
					}
					if state := new(doca.StateError); errors.As(err, &state) {
						return
					}
					if err != nil && !errors.Is(err, doca.ErrNotConnected) && !errors.Is(err, doca.ErrAlreadyExist) && !errors.Is(err, doca.ErrNoMemory) {
						t.Error(err)
						return
					}
				}
			})
		}
		for range 4 {
			<-some
		}
		check(t, pe.Close())
		all.Wait()
		check(t, mem.Close())
	}
}

// DOCA knows of a connection's end before the engine that nobody drives tells of it.
func TestUseBeforeTheEndIsTold(t *testing.T) {
	t.Parallel()
	ended := func() *comch.Conn {
		client, server := newPair(t, comch.Config{})
		send(t, client, "hello")
		recv(t, server, "hello")
		check(t, client.Close())
		return server
	}
	s := must(ended().Stats())(t)
	if s != (comch.Stats{RecvMessages: 1, RecvBytes: 5}) {
		t.Errorf("Stats() = %+v", s)
	}
	c := ended()
	mem := must(doca.NewMemory(64, doca.MemoryConfig{Devices: []*doca.Device{c.Device()}, Access: doca.AccessPCIReadWrite}))(t)
	con, err := c.NewConsumer(mem, comch.ConsumerConfig{})
	if err == nil { // it was quicker
		_, err = con.Recv(long(t))
	}
	wantErr(t, err, doca.ErrNotConnected)
	check(t, mem.Close())
}
