package core

// pace decides how much one step of the engine does for a waiting goroutine. Finding out
// that there is nothing more takes one more call of DOCA, and where that needs system
// calls, it costs as much as a call that finds something. So a step handles as much as
// recent waits needed. If there always was more to do, it handles more, up to stepLimit.
type pace struct {
	need   int  // what the last wait needed
	done   int  // what was done for this wait
	idle   bool // a step of this wait found less than it could have handled
	streak int  // number of waits in a row that were not idle
}

// probe is the number of successive waits that find all they need at once before a step
// looks for more.
const probe = 8

// limit returns how much the next step may handle.
func (p *pace) limit() int {
	if p.done < p.need {
		return p.need - p.done
	}
	return min(max(p.done, 1), stepLimit)
}

// stepped records that a step handled n of at most limit.
func (p *pace) stepped(n, limit int) {
	p.done += n
	p.idle = p.idle || n < limit
}

// served records the end of a wait.
func (p *pace) served() {
	p.need = min(max(p.done, 1), stepLimit)
	p.streak++
	if p.idle {
		p.streak = 0
	} else if p.streak == probe {
		p.streak, p.need = 0, min(2*p.need, stepLimit)
	}
	p.done, p.idle = 0, false
}
