package initiator

import "time"

// sampleTime is the length of a sample.
const sampleTime = 250 * time.Millisecond

// Sample is what a test has done in a part of its time.
type Sample struct {
	Begin, Length time.Duration // Begin is counted from the test's
	Operations    uint64
	Latency       time.Duration // mean
	Total         uint64        // operations since the test began
}

// PerSecond returns the operations per second.
func (s Sample) PerSecond() float64 {
	if s.Length == 0 {
		return 0
	}
	return float64(s.Operations) / s.Length.Seconds()
}

// sampler takes samples while workers run.
type sampler struct {
	workers []*worker
	live    func(Sample) // nil: nobody
	samples []Sample
	begin   time.Time
	took    int64
	stop    chan struct{}
	done    chan struct{}
}

func newSampler(workers []*worker, live func(Sample)) *sampler {
	s := &sampler{workers: workers, live: live, begin: time.Now(), stop: make(chan struct{}), done: make(chan struct{})}
	go s.run()
	return s
}

func (s *sampler) run() {
	defer close(s.done)
	tick := time.NewTicker(sampleTime)
	defer tick.Stop()
	for {
		select {
		case now := <-tick.C:
			s.take(now)
		case <-s.stop:
			s.take(time.Now())
			return
		}
	}
}

// take takes the sample that ends now.
func (s *sampler) take(now time.Time) {
	var last Sample
	if n := len(s.samples); n > 0 {
		last = s.samples[n-1]
	}
	sample := Sample{Begin: last.Begin + last.Length}
	sample.Length = now.Sub(s.begin) - sample.Begin
	var took int64
	for _, w := range s.workers {
		sample.Total += w.done.Load()
		took += w.took.Load()
	}
	if sample.Operations = sample.Total - last.Total; sample.Operations > 0 {
		sample.Latency = time.Duration(uint64(took-s.took) / sample.Operations)
	}
	s.took = took
	s.samples = append(s.samples, sample)
	if s.live != nil {
		s.live(sample)
	}
}

// end takes the last sample and returns all.
func (s *sampler) end() []Sample {
	close(s.stop)
	<-s.done
	return s.samples
}
