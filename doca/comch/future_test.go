package comch_test

import (
	"testing"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/comch"
)

func TestSendAsync(t *testing.T) {
	t.Parallel()
	l := newLane(t, shape{})
	dsts := l.post(t, 8)
	var futures []*comch.Future
	for i := range dsts {
		futures = append(futures, must(l.producer.SendAsync(long(t), l.source(t, 64*i, text(i)), nil, l.id))(t))
	}
	for i, f := range futures {
		switch i % 3 {
		case 0:
			check(t, f.Wait(long(t)))
		case 1:
			<-f.Done()
		} // the others are dropped
	}
	for i, dst := range dsts {
		l.want(t, dst, text(i), "")
	}
	check(t, futures[1].Err())
	_, err := l.producer.SendAsync(long(t), nil, nil, l.id+1)
	wantErr(t, err, doca.ErrInvalidValue)

	// It returns when there is a place for the message, and not before.
	started := make(chan *comch.Future)
	go func() { started <- must(l.producer.SendAsync(long(t), nil, []byte("waited"), l.id))(t) }()
	l.nothing(t)
	select {
	case <-started:
		t.Error("SendAsync has not waited")
	default:
	}
	check(t, l.consumer.Post(nil))
	check(t, (<-started).Wait(long(t)))
	l.want(t, nil, "", "waited")
}
