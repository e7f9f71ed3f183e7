package core

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"
)

// maxLogLines is how many messages wait for a function that is slow. Those that come then are dropped and counted.
const maxLogLines = 16384

// maxLogText limits a line of the log that has no end.
const maxLogText = 1 << 16

// logPipe is where DOCA writes its log for a function. A goroutine reads them all the time, so that DOCA never waits. Another goroutine passes
// them to the function, which may block, panic, and make DOCA log.
type logPipe struct {
	in, out *os.File
	parse   func(line string, now time.Time) (LogLine, bool) // the message that a line begins, if it begins one
	deliver func(LogLine)

	mu      sync.Mutex
	queue   []logItem
	lines   int  // those in the queue
	ended   bool // nothing more comes
	markers map[string]chan struct{}
	last    int

	wake chan struct{} // holds a token if the queue has something, or ended
	done chan struct{} // closed when the function has all
}

// logItem is a line, a marker, or stands for lines that were dropped.
type logItem struct {
	line    LogLine
	marker  chan struct{}
	dropped int
}

// newLogPipe begins to read. deliver gets one line after the other.
func newLogPipe(deliver func(LogLine)) (*logPipe, error) {
	in, out, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	out.Fd() // DOCA writes to it: it must block
	return startLogPipe(in, out, parseLogLine, deliver), nil
}

func startLogPipe(in, out *os.File, parse func(string, time.Time) (LogLine, bool), deliver func(LogLine)) *logPipe {
	p := &logPipe{in: in, out: out, parse: parse, deliver: deliver, markers: map[string]chan struct{}{}, wake: make(chan struct{}, 1), done: make(chan struct{})}
	go p.read()
	go p.pass()
	return p
}

// mark returns a channel that is closed when the function has got what is in the pipe now.
func (p *logPipe) mark() (<-chan struct{}, error) {
	marker := make(chan struct{})
	p.mu.Lock()
	p.last++
	name := strconv.Itoa(p.last)
	p.markers[name] = marker
	p.mu.Unlock()
	_, err := fmt.Fprintf(p.out, "\x00%s\n", name) // DOCA's lines have no NUL
	return marker, err
}

// read reads until the end of the pipe.
func (p *logPipe) read() {
	defer p.in.Close()
	buf := make([]byte, maxLogText)
	var rest []byte
	level := uint32(0) // of the last line
	for {
		n, err := p.in.Read(buf)
		rest = append(rest, buf[:n]...)
		if err != nil && len(rest) > 0 { // a line without an end
			rest = append(rest, '\n')
		}
		rest = p.split(rest, &level, len(rest) > maxLogText)
		if err != nil {
			break
		}
	}
	p.mu.Lock()
	p.ended = true
	p.mu.Unlock()
	p.poke()
}

// split takes the lines from data and returns the rest: a line that is not complete, unless all is to be taken.
func (p *logPipe) split(data []byte, level *uint32, all bool) []byte {
	now := time.Now()
	var message *LogLine
	emit := func() {
		if message != nil {
			p.put(logItem{line: *message})
			message = nil
		}
	}
	var partial []byte // a line in which there was a marker
	for len(data) > 0 {
		end := bytes.IndexByte(data, '\n')
		if end < 0 && !all {
			break
		}
		line := data
		if end >= 0 {
			line, data = data[:end], data[end+1:]
		} else {
			data = nil
		}
		if before, name, ok := bytes.Cut(line, []byte{0}); ok {
			partial = append(partial, before...)
			emit()
			p.marked(string(name))
			continue
		}
		text := strings.ToValidUTF8(string(partial)+string(line), "\uFFFD")
		partial = nil
		if parsed, ok := p.parse(text, now); ok {
			emit()
			message, *level = &parsed, parsed.Level
		} else if message != nil { // a message of several lines
			message.Text += "\n" + text
		} else {
			message = &LogLine{Time: now, Level: *level, Text: text}
		}
	}
	emit()
	return append(partial, data...)
}

// marked puts a marker that was read into the queue.
func (p *logPipe) marked(name string) {
	p.mu.Lock()
	marker := p.markers[name]
	delete(p.markers, name)
	p.mu.Unlock()
	if marker != nil {
		p.put(logItem{marker: marker})
	}
}

func (p *logPipe) put(item logItem) {
	p.mu.Lock()
	switch {
	case item.marker != nil:
		p.queue = append(p.queue, item)
	case p.lines == maxLogLines:
		if last := len(p.queue) - 1; p.queue[last].dropped > 0 {
			p.queue[last].dropped++
		} else {
			p.queue = append(p.queue, logItem{dropped: 1})
		}
	default:
		p.queue = append(p.queue, item)
		p.lines++
	}
	p.mu.Unlock()
	p.poke()
}

func (p *logPipe) poke() {
	select {
	case p.wake <- struct{}{}:
	default:
	}
}

// pass passes lines to the function until there are no more. If the function ends the goroutine, another one goes on.
func (p *logPipe) pass() {
	ended := false
	defer func() {
		if !ended {
			go p.pass()
		}
	}()
	for {
		item, ok := p.next()
		switch {
		case !ok:
			ended = true
			close(p.done)
			return
		case item.marker != nil:
			close(item.marker)
		case item.dropped > 0:
			p.call(LogLine{Time: time.Now(), Level: logTag("WRN"), Text: fmt.Sprintf("%d messages of DOCA were dropped: the log handler was too slow", item.dropped)})
		default:
			p.call(item.line)
		}
	}
}

// next waits for the next item. ok is false at the end.
func (p *logPipe) next() (item logItem, ok bool) {
	for {
		p.mu.Lock()
		if len(p.queue) > 0 {
			item = p.queue[0]
			p.queue[0] = logItem{}
			p.queue = p.queue[1:]
			if item.marker == nil && item.dropped == 0 {
				p.lines--
			}
			p.mu.Unlock()
			return item, true
		}
		p.queue = nil
		ended := p.ended
		p.mu.Unlock()
		if ended {
			return logItem{}, false
		}
		<-p.wake
	}
}

// call calls the function, which may panic.
func (p *logPipe) call(line LogLine) {
	defer func() {
		if v := recover(); v != nil {
			fmt.Fprintf(os.Stderr, "doca: the handler of DOCA's log panicked: %v; the message was: %s\n", v, line.Text)
		}
	}()
	p.deliver(line)
}
