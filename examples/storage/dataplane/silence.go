package dataplane

import "time"

// silence measures how long a thread has polled in vain. Time in which the thread itself was stopped does not count.
type silence struct {
	polls int
	last  time.Time
	sum   time.Duration
}

const (
	pollsPerLook = 256                    // looking at the clock costs time
	longestLook  = 200 * time.Millisecond // of the thread's own
)

// longer is called for each poll in vain. It reports whether the silence is longer than limit, unless that is 0.
func (s *silence) longer(limit time.Duration) bool {
	if s.polls++; s.polls%pollsPerLook != 0 || limit == 0 {
		return false
	}
	now := time.Now()
	if !s.last.IsZero() {
		s.sum += min(now.Sub(s.last), longestLook)
	}
	s.last = now
	return s.sum > limit
}
