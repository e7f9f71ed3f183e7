package comch_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/comch"
)

func TestConfig(t *testing.T) {
	t.Parallel()
	l := newLink(t)
	caps := must(comch.CapabilitiesOf(l.dpu.Info()))(t)
	for field, set := range map[string]func(*comch.Config, int){
		"MaxMessageSize": func(c *comch.Config, n int) { c.MaxMessageSize = n },
		"RecvQueueSize":  func(c *comch.Config, n int) { c.RecvQueueSize = n },
		"MaxSendTasks":   func(c *comch.Config, n int) { c.MaxSendTasks = n },
		"Backlog":        func(c *comch.Config, n int) { c.Backlog = n },
	} {
		t.Run(field, func(t *testing.T) {
			for _, n := range []int{-1, 1 << 30} {
				if field == "Backlog" && n > 0 {
					continue
				}
				var cfg comch.Config
				set(&cfg, n)
				_, err := comch.Listen(t.Context(), l.dpu, l.rep, l.name, cfg)
				wantErr(t, err, doca.ErrInvalidValue, field, fmt.Sprint(n))
				_, err = comch.Dial(t.Context(), l.host, l.name, cfg)
				wantErr(t, err, doca.ErrInvalidValue, field, fmt.Sprint(n))
			}
		})
	}
	srv := l.listen(t, comch.Config{})
	if got, want := srv.Limits(), (comch.Limits{MaxMessageSize: int(caps.MaxMessageSize), RecvQueueSize: comch.DefaultRecvQueueSize,
		MaxSendTasks: comch.DefaultMaxSendTasks, Backlog: comch.DefaultBacklog}); got != want {
		t.Errorf("Limits() = %+v, want %+v", got, want)
	}
	check(t, srv.Close())
	cfg := comch.Config{MaxMessageSize: 100, RecvQueueSize: 7, MaxSendTasks: 3, Backlog: 2}
	srv = l.listen(t, cfg)
	if got, want := srv.Limits(), (comch.Limits{MaxMessageSize: 100, RecvQueueSize: 7, MaxSendTasks: 3, Backlog: 2}); got != want {
		t.Errorf("Limits() = %+v, want %+v", got, want)
	}
	client, server := l.pair(t, srv, cfg)
	send(t, client, strings.Repeat("x", 100))
	recv(t, server, strings.Repeat("x", 100))
	wantErr(t, server.Send(t.Context(), make([]byte, 101)), doca.ErrTooBig, "101", "100")
}
