// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"slices"
	"strings"
	"time"
)

// protocol is the version of what two machines say to each other.
const protocol = 1

// hello is what two machines tell each other first.
type hello struct {
	Protocol     int      `json:"protocol"`
	Provider     string   `json:"provider"`
	Version      string   `json:"version"`
	Representors bool     `json:"representors"` // whether it can be the DPU's side
	Cases        []string `json:"cases"`
}

// runWithMachine runs the cases of two sides with another machine. Both go through those that both have.
func (r *runner) runWithMachine(cases []Case) error {
	conn := r.options.Peer
	defer conn.Close()
	defer context.AfterFunc(r.ctx, func() { conn.Close() })() // what waits for the other machine ends
	own := hello{Protocol: protocol, Provider: r.report.Provider, Version: r.report.Version, Representors: hasRepresentors()}
	for _, c := range cases {
		own.Cases = append(own.Cases, c.Name)
	}
	other, err := greet(conn, own)
	if err != nil {
		return err
	}
	side := sideHost
	switch {
	case other.Protocol != protocol:
		return fmt.Errorf("the other machine speaks version %d of the protocol, this one %d: use the same release on both", other.Protocol, protocol)
	case own.Representors == other.Representors:
		return errors.New("one of the machines must be the DPU and the other one its host: " + sameSide(own.Representors))
	case own.Representors:
		side = sideDPU
	}
	r.report.Peer = other.Provider + " " + other.Version
	var common []Case
	for _, c := range cases {
		if slices.Contains(other.Cases, c.Name) {
			common = append(common, c)
		} else {
			r.note(c.skippedFor("the other machine does not run this case"))
		}
	}
	if r.options.Isolate {
		err = r.runApart(side, common, conn)
	} else {
		err = r.runHere(side, common, conn)
	}
	if err != nil {
		return err
	}
	return r.stayed(common)
}

// runHere runs this machine's side of the cases in this process.
func (r *runner) runHere(side string, cases []Case, conn net.Conn) error {
	l := newLine(conn)
	for i, c := range cases {
		if err := r.ctx.Err(); err != nil {
			return err
		}
		r.note(r.withTimeout(c, func() Result { return r.env.ask(c, side, &talk{line: l, number: i, host: side == sideHost}) }))
	}
	return nil
}

// stayed returns an error if the other machine has gone before the end: cases that are skipped for that have not passed.
func (r *runner) stayed(cases []Case) error {
	n := 0
	for _, result := range r.report.Results {
		if result.Status == Skipped && strings.HasSuffix(result.Reason, lineLost) {
			n++
		}
	}
	if n == 0 {
		return nil
	}
	return fmt.Errorf("%d of %d cases were not asked, for the other machine has gone: run the command on both again", n, len(cases))
}

func sameSide(representors bool) string {
	if representors {
		return "both have representors"
	}
	return "neither has a device with representors"
}

// greet exchanges greetings. It reads no byte beyond the other's line.
func greet(conn net.Conn, own hello) (other hello, err error) {
	text, err := json.Marshal(own)
	if err != nil {
		return other, err
	}
	sent := make(chan error, 1)
	go func() {
		_, err := conn.Write(append(text, '\n'))
		sent <- err
	}()
	if err := conn.SetReadDeadline(time.Now().Add(30 * time.Second)); err != nil {
		return other, err
	}
	line, err := readLine(conn)
	if err = errors.Join(err, <-sent, conn.SetReadDeadline(time.Time{})); err != nil {
		return other, fmt.Errorf("the other machine has not said hello: %w", err)
	}
	if err = json.Unmarshal(line, &other); err != nil {
		return other, fmt.Errorf("the other machine has not said hello: %w", err)
	}
	return other, nil
}

func readLine(conn net.Conn) (line []byte, err error) {
	var b [1]byte
	for len(line) < 1<<20 {
		if _, err := conn.Read(b[:]); err != nil {
			return nil, err
		}
		if b[0] == '\n' {
			return line, nil
		}
		line = append(line, b[0])
	}
	return nil, errors.New("the line is too long")
}

// runApart runs this machine's side of the cases in a child, which inherits the connection.
func (r *runner) runApart(side string, cases []Case, conn net.Conn) error {
	fc, ok := conn.(interface{ File() (*os.File, error) })
	if !ok {
		return fmt.Errorf("a child process cannot inherit a %T", conn)
	}
	file, err := fc.File()
	if err != nil {
		return err
	}
	defer file.Close()
	out := &line{out: conn}
	for first := 0; first < len(cases); {
		child, err := r.start(side, cases[first:], first, file)
		if err != nil {
			return err
		}
		n, err := child.follow(cases[first:], func(result Result) {
			if result.Status.weight() >= Timeout.weight() { // it may be this side that has died, and the other one waits
				i := slices.IndexFunc(cases, func(c Case) bool { return c.Name == result.Name })
				_ = out.write(frame{Case: i, End: &result})
			}
			r.note(result)
		})
		if err != nil {
			return err
		}
		first += n
	}
	return nil
}
