package comch_test

import (
	"strings"
	"syscall"
	"testing"

	"github.com/go-doca/go-doca/doca/comch"
	"github.com/go-doca/go-doca/doca/internal/doctest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Large buffers of a consumer and of a producer may have huge pages, and only as long as they exist.
func TestBuffersAskForHugePages(t *testing.T) {
	t.Parallel()
	control := must(syscall.Mmap(-1, 0, 8<<20, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE))(t)
	defer syscall.Munmap(control)
	if err := syscall.Madvise(control, syscall.MADV_HUGEPAGE); err != nil || !doctest.IsHuge(t, control) {
		t.Skipf("this system gives nobody huge pages (madvise: %v)", err)
	}
	if !comch.HugeByAdvice() {
		t.Skip("this system gives huge pages without advice, or not at all: see /sys/kernel/mm/transparent_hugepage/enabled")
	}
	const size = 4 << 20
	from, to := newPair(t, comch.Config{})
	consumer := must(to.NewConsumer(nil, comch.ConsumerConfig{BufferSize: size, Buffers: 3}))(t)
	producer := must(from.NewProducer(comch.ProducerConfig{BufferSize: size, Buffers: 1}))(t)
	id := must(from.WaitConsumer(long(t)))(t)
	check(t, producer.SendBytes(long(t), make([]byte, size), nil, id))
	r := must(consumer.Recv(long(t)))(t)
	require.Len(t, r.Data, size)
	assert.True(t, doctest.IsHuge(t, r.Data))
	check(t, consumer.Close())
	assert.False(t, doctest.IsHuge(t, r.Data), "the memory is the heap's again")
	assert.Equal(t, make([]byte, size), r.Data, "what was received stays")
}

// Where memory has huge pages without advice, none is given: nothing takes MADV_NOHUGEPAGE back.
func TestAdviceOnHugePages(t *testing.T) {
	t.Parallel()
	const always, madvise, never = "[always] madvise never\n", "always [madvise] never\n", "always madvise [never]\n"
	own := func(of string) string { return strings.Replace("always inherit madvise never\n", of, "["+of+"]", 1) }
	for _, c := range []struct {
		own, all string
		want     bool
	}{
		{"", always, false}, {"", madvise, true}, {"", never, false}, {"", "", false},
		{own("inherit"), always, false}, {own("inherit"), madvise, true}, {own("inherit"), never, false},
		{own("always"), madvise, false}, {own("never"), madvise, false}, {own("madvise"), always, true}, {own("madvise"), never, true},
	} {
		assert.Equal(t, c.want, comch.IsHugeByAdvice(c.own, c.all), "%q, %q", c.own, c.all)
	}
}
