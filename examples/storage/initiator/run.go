package initiator

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"time"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/examples/storage/dataplane"
	"github.com/go-doca/go-doca/examples/storage/internal/app"
)

// Config is what a test is told.
type Config struct {
	Device       string
	CPUs         []int // one for each worker
	Strategy     Strategy
	Content      string // file with what the storage holds; empty: the pattern
	Limit        int    // requests of each core
	Transactions int    // of each core
	Channel      string // name of the BlueField's server
	Timeout      time.Duration
	RegionSize   int // bytes; 0: that of the storage
	BlocksPerIO  int
	Live         func(Sample) // called while the test runs, some times a second; may be nil

	// Older is for the older variant of the messages. The session then has Buffers buffers of BufferSize bytes for each core.
	Older      bool
	Buffers    int
	BufferSize int
	BatchSize  int // 0: half of Buffers
}

// older returns what the older variant's parameters mean. The storage has the same size as the initiator's memory.
func (c Config) older() Config {
	c.Transactions, c.BlocksPerIO, c.RegionSize, c.Content = c.Buffers, 1, 0, ""
	if c.BatchSize == 0 {
		c.BatchSize = max(1, c.Buffers/2)
	}
	return c
}

// Result is what a test has found.
type Result struct {
	Duration     time.Duration
	Operations   uint64
	Bytes        uint64
	Hits, Misses uint64
	Latency      *Latency
	Samples      []Sample
}

// Run carries out a test. If ctx ends, the requests in flight are carried out, the session ends as it should, and the error is
// [context.Canceled]. Wrong data is [ErrData]. With an error, the result is valid if it has a Latency: then the test has ended before, and
// the storage was stopped.
func Run(ctx context.Context, cfg Config) (res Result, err error) {
	if cfg.Older {
		cfg = cfg.older()
	}
	if err := dataplane.CheckCPUs(cfg.CPUs); err != nil {
		return res, err
	}
	content, err := readContent(cfg)
	if err != nil {
		return res, err
	}
	dev, err := app.OpenDevice(cfg.Device)
	if err != nil {
		return res, err
	}
	defer func() { err = errors.Join(err, dev.Close()) }()
	s, err := open(ctx, dev, cfg)
	if err != nil && ctx.Err() != nil {
		return res, app.ErrInterrupted
	} else if err != nil {
		return res, err
	}
	slog.Info(fmt.Sprintf("Connected: the storage has %d bytes in blocks of %d", s.Storage.Size, s.Storage.BlockSize))
	res, err = test(ctx, s, cfg, content)
	switch {
	case err == nil || errors.Is(err, app.ErrInterrupted):
		return res, errors.Join(err, s.Shutdown(context.WithoutCancel(ctx)))
	case ctx.Err() != nil && errors.Is(err, ctx.Err()): // before the test has begun
		err = app.ErrInterrupted
	}
	return res, errors.Join(err, s.Close())
}

func open(ctx context.Context, dev *doca.Device, cfg Config) (*Session, error) {
	if cfg.Older {
		return DialOlder(ctx, dev, cfg.Channel, cfg.Timeout, cfg.Buffers*len(cfg.CPUs), cfg.BufferSize, cfg.BatchSize)
	}
	return Dial(ctx, dev, cfg.Channel, cfg.Timeout)
}

func readContent(cfg Config) (Content, error) {
	if cfg.Content == "" {
		if cfg.Strategy == ReadOnlyDataValidity {
			return nil, fmt.Errorf("%w: %s needs --storage-plain-content", doca.ErrInvalidValue, cfg.Strategy)
		}
		return nil, nil
	}
	return os.ReadFile(cfg.Content)
}

// test initialises the data path, runs the workers and stops it.
func test(ctx context.Context, s *Session, cfg Config, content Content) (res Result, err error) {
	if content != nil && cfg.Strategy != ReadThroughput && uint64(len(content)) != s.Storage.Size {
		return res, fmt.Errorf("%w: %s has %d bytes, the storage %d: they must be the same", doca.ErrInvalidValue, cfg.Content, len(content), s.Storage.Size)
	}
	ioSize := int(s.Storage.BlockSize) * cfg.BlocksPerIO
	region := cfg.RegionSize
	if region == 0 {
		region = int(s.Storage.Size)
	}
	storage, local, slots, err := plan(s.Storage.Size/uint64(ioSize), uint64(region/ioSize), len(cfg.CPUs), cfg.Transactions, uint64(cfg.Limit))
	if err != nil {
		return res, err
	}
	if err := s.Init(ctx, region, slots); err != nil {
		return res, err
	}
	slog.Info("The data path is initialised")
	if err := s.Start(ctx); err != nil {
		return res, err
	}
	slog.Info("The storage is started")
	expected := newContents(content, ioSize)
	workers := make([]*worker, len(slots))
	for i := range workers {
		workers[i] = &worker{
			lane: s.Lanes[i], strategy: cfg.Strategy, region: s.Region.Bytes(), ioSize: ioSize, local: local[i], storage: storage[i],
			limit: uint64(cfg.Limit), contents: expected, transactions: make([]transaction, slots[i]), latency: newLatency(),
		}
	}
	sampler := newSampler(workers, cfg.Live)
	err = runWorkers(ctx, s, cfg.CPUs, workers)
	samples := sampler.end()
	if err != nil && !errors.Is(err, app.ErrInterrupted) {
		return res, err
	}
	if stopErr := s.Stop(context.WithoutCancel(ctx)); stopErr != nil {
		return res, stopErr
	}
	slog.Info("The storage is stopped")
	res = collect(workers)
	res.Samples = samples
	return res, err
}

// runWorkers runs the workers until all have ended. The first error aborts the others.
func runWorkers(ctx context.Context, s *Session, cpus []int, workers []*worker) error {
	dataplane.Reserve(len(workers))
	var threads []*dataplane.Thread
	ends := make(chan error, len(workers))
	var failure, interruption error
	for i, w := range workers {
		t, err := dataplane.Go(cpus[i], w.run, w.lane.Abort)
		if err != nil {
			failure = err
			break
		}
		threads = append(threads, t)
		go func() { ends <- t.Err() }()
	}
	interrupted, sessionEnds := ctx.Done(), s.Ended()
	for running := len(threads); running > 0 && failure == nil; {
		select {
		case failure = <-ends:
			running--
		case <-interrupted:
			interrupted, interruption = nil, app.ErrInterrupted
			for _, t := range threads {
				t.Stop()
			}
		case <-sessionEnds: // the workers notice by themselves, but may be in the middle of nothing
			failure = s.Err()
		}
	}
	if failure == nil {
		return interruption
	}
	for _, w := range workers {
		w.lane.Abort()
	}
	for _, t := range threads {
		_ = t.Err() // a consequence
	}
	return failure
}

func collect(workers []*worker) Result {
	res := Result{Latency: newLatency()}
	begin, end := workers[0].begin, workers[0].end
	for _, w := range workers {
		stats := w.lane.Stats()
		res.Operations += stats.Operations
		res.Bytes += stats.Operations * uint64(w.ioSize)
		res.Hits += stats.Hits
		res.Misses += stats.Misses
		res.Latency.merge(w.latency)
		if w.begin.Before(begin) {
			begin = w.begin
		}
		if w.end.After(end) {
			end = w.end
		}
	}
	res.Duration = end.Sub(begin)
	return res
}
