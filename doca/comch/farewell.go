package comch

import (
	gen "github.com/go-doca/go-doca/generated/comch"
)

// farewell is the last message of a side that sets Config.Farewell. No program can send it as a
// message of its own.
const farewell = "\xf9\x1d\x62\xc8go-doca\x00\x8e\x30\xb5\x07\x9a"

// tasksFor returns the number of send tasks that DOCA is to have, and how many of them are for the
// program's messages. With farewells, each connection keeps one, so that a peer that reads nothing
// cannot keep the farewell back.
func tasksFor(l Limits, most, connections int, farewells bool) (all, own int) {
	if !farewells {
		return l.MaxSendTasks, l.MaxSendTasks
	}
	kept := min(connections, most/2)
	all = min(l.MaxSendTasks+kept, most)
	return all, max(1, all-kept)
}

// sayFarewellLocked sends the farewell. If DOCA does not take it, the peer learns of the end without.
func (c *conn) sayFarewellLocked() {
	if !c.s.farewell || c.raw == nil || c.err != nil {
		return
	}
	c.s.tasks.takeLocked(c)
	if c.submitLocked([]byte(farewell)) != nil {
		c.s.tasks.giveLocked(c)
	}
}

// submitLocked submits a message with a task that was taken.
func (c *conn) submitLocked(msg []byte) (err error) {
	s := c.s
	if s.server != nil {
		err = gen.ServerTaskSendSubmit(s.server, c.raw, msg, taskData(c, len(msg)))
	} else {
		err = gen.ClientTaskSendSubmit(s.client, c.raw, msg, taskData(c, len(msg)))
	}
	if err == nil {
		s.link.Submitted(1)
	}
	return err
}

// isFarewell reports whether a message is the farewell.
func (s *side) isFarewell(msg []byte) bool { return s.farewell && string(msg) == farewell }
