// Package slowlink joins two network namespaces by a cable that delays and loses packets, for tests. It needs no module
// of the kernel but tun: a goroutine carries the packets.
package slowlink

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"
)

// Link is such a cable.
type Link struct {
	ends [2]*os.File
	work sync.WaitGroup
	lost atomic.Int64

	carried, delayed atomic.Int64
}

// Config says what becomes of packets, in each direction.
type Config struct {
	Delay    time.Duration
	LoseEach int // the loss of every nth packet; 0 for none
}

// New makes a network device of a name in each of two namespaces, which "ip netns add" has made, and joins them.
func New(namespaces, devices [2]string, config Config) (*Link, error) {
	l := &Link{}
	for i := range l.ends {
		end, err := openTap(namespaces[i], devices[i])
		if err != nil {
			return nil, errors.Join(err, l.Close())
		}
		l.ends[i] = end
	}
	l.work.Add(2)
	go l.carry(l.ends[0], l.ends[1], config)
	go l.carry(l.ends[1], l.ends[0], config)
	return l, nil
}

// Lost returns how many packets were lost as Config.LoseEach says.
func (l *Link) Lost() int64 { return l.lost.Load() }

// Carried returns how many packets were not lost and have arrived, and how many of them were on their way for Config.Delay or longer.
func (l *Link) Carried() (packets, delayed int64) { return l.carried.Load(), l.delayed.Load() }

// Close removes both devices.
func (l *Link) Close() error {
	var err error
	for _, end := range l.ends {
		if end != nil {
			err = errors.Join(err, end.Close())
		}
	}
	l.work.Wait()
	return err
}

type packet struct {
	sent, due time.Time
	data      []byte
}

// maxQueue is how many packets are on their way at most. More are lost, as in any queue.
const maxQueue = 10000

func (l *Link) carry(from, to *os.File, config Config) {
	defer l.work.Done()
	queue := make(chan packet, maxQueue)
	defer close(queue)
	l.work.Go(func() {
		for p := range queue {
			time.Sleep(time.Until(p.due))
			l.carried.Add(1)
			if time.Since(p.sent) >= config.Delay {
				l.delayed.Add(1)
			}
			_, _ = to.Write(p.data) // what a closed end does not take is lost
		}
	})
	buf := make([]byte, 1<<16)
	for n := 1; ; n++ {
		size, err := from.Read(buf)
		if err != nil {
			return
		}
		sent := time.Now()
		if config.LoseEach > 0 && n%config.LoseEach == 0 {
			l.lost.Add(1)
			continue
		}
		select {
		case queue <- packet{sent, sent.Add(config.Delay), append([]byte(nil), buf[:size]...)}:
		default:
		}
	}
}

// openTap makes a device in a namespace. Reads give what the namespace sends, and writes what it receives.
func openTap(namespace, device string) (file *os.File, err error) {
	done := make(chan struct{})
	go func() { // its thread enters the namespace and ends with it
		defer close(done)
		runtime.LockOSThread()
		file, err = openTapHere("/run/netns/"+namespace, device)
	}()
	<-done
	return file, err
}

func openTapHere(namespace, device string) (*os.File, error) {
	ns, err := os.Open(namespace)
	if err != nil {
		return nil, err
	}
	defer ns.Close()
	if err := unix.Setns(int(ns.Fd()), unix.CLONE_NEWNET); err != nil {
		return nil, fmt.Errorf("enter %s: %w", namespace, err)
	}
	fd, err := unix.Open("/dev/net/tun", unix.O_RDWR|unix.O_CLOEXEC|unix.O_NONBLOCK, 0)
	if err != nil {
		return nil, fmt.Errorf("/dev/net/tun: %w", err)
	}
	req, err := unix.NewIfreq(device)
	if err == nil {
		req.SetUint16(unix.IFF_TAP | unix.IFF_NO_PI)
		err = unix.IoctlIfreq(fd, unix.TUNSETIFF, req)
	}
	if err != nil {
		unix.Close(fd)
		return nil, fmt.Errorf("make device %s: %w", device, err)
	}
	return os.NewFile(uintptr(fd), device), nil
}
