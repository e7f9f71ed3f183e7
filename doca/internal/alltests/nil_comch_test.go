package alltests

import (
	"context"
	"fmt"
	"io"
	"net"
	"reflect"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/comch"
	"github.com/go-doca/go-doca/doca/comch/comchnet"
	"github.com/go-doca/go-doca/doca/internal/doctest"
)

// goodComch are connected objects that work, arguments for their methods by type, and a check that they still work.
func goodComch(t *testing.T) (objects []any, arguments map[reflect.Type]any, works func(t *testing.T)) {
	dpu, host := must(doca.OpenDevice(doctest.DPU0))(t), must(doca.OpenDevice(doctest.Host0))(t)
	t.Cleanup(func() {
		assert.NoError(t, host.Close())
		assert.NoError(t, dpu.Close())
		runtime.KeepAlive(objects)
		runtime.KeepAlive(arguments)
	})
	rep := must(dpu.OpenRepresentor(doctest.Host0))(t)
	ctx := doctest.Deadline(t, 60*time.Second)
	cfg := comch.Config{Names: true}
	srv := must(comch.Listen(ctx, dpu, rep, t.Name(), cfg))(t)
	accepted := make(chan *comch.Conn, 1)
	go func() {
		c, _ := srv.Accept(ctx)
		accepted <- c
	}()
	client := must(comch.Dial(ctx, host, t.Name(), cfg))(t)
	server := <-accepted
	mem := must(doca.NewMemory(4096, doca.MemoryConfig{Devices: []*doca.Device{host}, Access: doca.AccessPCIReadWrite}))(t)
	source := must(doca.NewMemory(4096, doca.MemoryConfig{Devices: []*doca.Device{dpu}}))(t)
	consumer := must(client.NewConsumer(mem, comch.ConsumerConfig{}))(t)
	producer := must(server.NewProducer(comch.ProducerConfig{}))(t)
	require.NoError(t, consumer.Post(nil))
	id := must(server.WaitConsumer(ctx))(t)
	future := must(producer.SendAsync(ctx, nil, []byte("x"), id))(t)
	must(consumer.Recv(ctx))(t)
	require.NoError(t, future.Wait(ctx))

	listener := must(comchnet.Listen(ctx, dpu, rep, t.Name()+" stream", comch.Config{}))(t)
	stream := must(comchnet.Dial(ctx, host, t.Name()+" stream", comch.Config{}))(t)
	other := must(listener.Accept())(t)
	t.Cleanup(func() { stream.Close(); other.Close(); listener.Close() })

	works = func(t *testing.T) {
		t.Helper()
		ctx := doctest.Deadline(t, 20*time.Second)
		for _, c := range [][2]*comch.Conn{{client, server}, {server, client}} {
			require.NoError(t, c[0].Send(ctx, []byte("still here")))
			require.Equal(t, "still here", string(must(c[1].Recv(ctx))(t)))
		}
		require.NoError(t, consumer.Post(nil))
		require.NoError(t, producer.Send(ctx, nil, []byte("still here"), id))
		require.Equal(t, "still here", string(must(consumer.Recv(ctx))(t).Imm))
		for _, c := range []net.Conn{stream, other} {
			require.NoError(t, c.SetDeadline(time.Now().Add(20*time.Second)))
		}
		must(stream.Write([]byte("still here")))(t)
		p := make([]byte, len("still here"))
		must(io.ReadFull(other, p))(t)
		require.Equal(t, "still here", string(p))
	}
	works(t)
	arguments = map[reflect.Type]any{}
	for _, v := range []any{mem, must(must(doca.NewInventory(1))(t).Buffer(source, 0, 8))(t), "name", id, []byte("text"), []comch.Received{{}}, []comch.Message{{Imm: []byte("x"), Consumer: id}}} {
		arguments[reflect.TypeOf(v)] = v
	}
	return []any{srv, client, server, consumer, producer, future, listener, stream}, arguments, works
}

// Each method of Comch's objects takes nil arguments and those that are zero values. Afterwards the object still
// works: no lock is held, and nobody waits for what does not come.
func TestComchWithNothing(t *testing.T) {
	objects, _, works := goodComch(t)
	for _, o := range objects {
		v := reflect.ValueOf(o)
		for i := range v.NumMethod() {
			name := v.Type().Method(i).Name
			switch name {
			case "NewProducer", "Close", "CloseWrite", "Shutdown", "Stop", "Start", "SetDeadline", "SetReadDeadline", "SetWriteDeadline":
				continue // what they do they do without arguments
			case "Read", "Accept", "Post", "PostBatch":
				if !takesContext(v.Method(i)) {
					continue // it waits, or nil is an argument like others
				}
			}
			t.Run(fmt.Sprintf("%T/%s", o, name), func(t *testing.T) {
				call(t, v.Method(i), false)
				works(t)
			})
		}
	}
}

// takesContext reports whether a method takes a ctx, so that its wait ends.
func takesContext(m reflect.Value) bool {
	for i := range m.Type().NumIn() {
		if m.Type().In(i) == contextType {
			return true
		}
	}
	return false
}

// Each method that takes a context.Context returns an error for nil that says so, whatever else it is given.
func TestComchNilContext(t *testing.T) {
	objects, arguments, works := goodComch(t)
	methods := 0
	for _, o := range objects {
		v := reflect.ValueOf(o)
		for i := range v.NumMethod() {
			m := v.Method(i)
			if !takesContext(m) {
				continue
			}
			methods++
			for _, given := range []bool{false, true} {
				args := make([]reflect.Value, m.Type().NumIn())
				for k := range args {
					args[k] = reflect.Zero(m.Type().In(k))
					if arg, ok := arguments[m.Type().In(k)]; ok && given {
						args[k] = reflect.ValueOf(arg)
					}
				}
				t.Run(fmt.Sprintf("%T/%s, arguments: %t", o, v.Type().Method(i).Name, given), func(t *testing.T) {
					errs := errorsOf(callInTime(t, m, args))
					require.NotEmpty(t, errs, "it cannot say that ctx is nil")
					doctest.WantErr(t, errs[len(errs)-1], doca.ErrInvalidValue, "ctx is nil: pass context.Background()")
					works(t)
				})
			}
		}
	}
	assert.Greater(t, methods, 30, "methods that take a ctx")

	dialer := &comchnet.Dialer{Device: must(doca.OpenDevice(doctest.Host0))(t)}
	defer dialer.Device.Close()
	rep := objects[0].(*comch.Server).Representor()
	var none context.Context
	for name, f := range map[string]func() error{
		"DialContext": func() error { _, err := dialer.DialContext(none, "comch", "x"); return err },
		"ListenConfig": func() error {
			_, err := comchnet.ListenConfig{}.Listen(none, objects[0].(*comch.Server).Device(), rep, "x")
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			err := f()
			require.ErrorIs(t, err, doca.ErrInvalidValue)
			assert.ErrorContains(t, err, "ctx is nil")
		})
	}
}
