package core

// pace decides how much one step of the engine does for somebody who waits. DOCA tells that
// there is no more by a call that finds nothing, and where that takes system calls it costs
// as much as one that finds something. So a step ends with what waits have needed lately;
// while there is always more than that it does more, up to stepLimit.
type pace struct {
	need   int  // of the last wait
	done   int  // for this one
	idle   bool // this one has found nothing, or less than it looked for
	streak int  // waits in a row that were not idle
}

// probe is how many waits find all they need at once before a step looks for more.
const probe = 8

// limit is how much the next step may do.
func (p *pace) limit() int {
	if p.done < p.need {
		return p.need - p.done
	}
	return min(max(p.done, 1), stepLimit)
}

// stepped notes that a step which could have done limit things has done n.
func (p *pace) stepped(n, limit int) {
	p.done += n
	p.idle = p.idle || n < limit
}

// served notes the end of a wait.
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
