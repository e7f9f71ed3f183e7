// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"fmt"
	"strings"
	"unsafe"

	"github.com/go-doca/go-doca/generated/comch"
	"github.com/go-doca/go-doca/generated/common"
)

// aRep opens a representor of the DPU's device.
func (t *T) aRep(dev *common.Dev) *common.DevRep {
	reps, err := common.DevinfoRepCreateList(dev, int32(common.DevinfoRepFilterNet))
	t.must("doca_devinfo_rep_create_list", err)
	t.onEnd(func() { _ = common.DevinfoRepDestroyList(reps) })
	if len(reps) == 0 {
		t.skip("there is no representor")
	}
	rep, err := common.DevRepOpen(reps[0])
	t.must("doca_dev_rep_open", err)
	t.onEnd(func() { _ = common.DevRepClose(rep) })
	return rep
}

func (t *T) aServer() *channel {
	dev := t.dev(NeedServer)
	return t.serverOn(dev, t.aRep(dev), channelName(t.c))
}

func comchConfigCases() []Case {
	limit := func(name, what string, get func(*common.Devinfo) (uint32, error), need Need) Case {
		function := "doca_comch_" + name
		return Case{Name: "comch/limit-" + what, Rule: "A device with Comch names its " + strings.ReplaceAll(what, "-", " ") + ".", Source: Documented, Needs: needs(need), Run: func(t *T) {
			n, err := get(t.info(need))
			t.must(function, err)
			t.that(function, "1 or more", n, n > 0)
		}}
	}
	return of("comch", []Case{
		limit("cap_get_max_name_len", "longest-name", comch.CapGetMaxNameLen, NeedServer),
		limit("cap_get_max_msg_size", "longest-message", comch.CapGetMaxMsgSize, NeedServer),
		limit("cap_get_max_recv_queue_size", "longest-receive-queue", comch.CapGetMaxRecvQueueSize, NeedServer),
		limit("cap_get_max_send_tasks", "most-send-tasks", comch.CapGetMaxSendTasks, NeedServer),
		limit("cap_get_max_clients", "most-clients", comch.CapGetMaxClients, NeedServer),
		limit("consumer_cap_get_max_num_tasks", "most-receives", comch.ConsumerCapGetMaxNumTasks, NeedServer),
		limit("consumer_cap_get_max_consumers", "most-consumers", comch.ConsumerCapGetMaxConsumers, NeedServer),
		limit("producer_cap_get_max_num_tasks", "most-sends", comch.ProducerCapGetMaxNumTasks, NeedServer),
		limit("producer_cap_get_max_producers", "most-producers", comch.ProducerCapGetMaxProducers, NeedServer),
		{
			Name: "comch/server-starts-at-once", Rule: "A server is running when the start returns.", Source: Samples, Needs: needs(NeedServer),
			Run: func(t *T) {
				s := t.aServer()
				t.code("doca_ctx_start of a server", t.ctxStart(s.ctx), success)
				t.equal("doca_ctx_get_state of a server", t.state(s.ctx), common.CtxStateRunning)
			},
		},
		{
			Name: "comch/server-stops", Rule: "A server without clients becomes idle, at once or by progress.", Source: Documented, Needs: needs(NeedServer),
			Run: func(t *T) {
				s := t.aServer()
				t.must("doca_ctx_start of a server", t.ctxStart(s.ctx))
				t.code("doca_ctx_stop of a server without clients", t.ctxStop(s.ctx), success, inProgress)
				t.wait("doca_pe_progress of a server", "the server is idle", func() bool { return t.state(s.ctx) == common.CtxStateIdle })
			},
		},
		{
			Name: "comch/server-unconfigured", Rule: "A server without its mandatory configuration does not start.", Source: Documented, Needs: needs(NeedServer),
			Run: func(t *T) {
				pe, dev := t.pe(), t.dev(NeedServer)
				s, err := comch.ServerCreate(dev, t.aRep(dev), channelName(t.c))
				t.must("doca_comch_server_create", err)
				t.onEnd(func() { _ = comch.ServerDestroy(t.ring, s) })
				ctx, err := comch.ServerAsCtx(s)
				t.must("doca_comch_server_as_ctx", err)
				t.must("doca_pe_connect_ctx", common.PEConnectCtx(pe, ctx))
				t.code("doca_ctx_start of a server without configuration", common.CtxStart(t.ring, ctx), initFailed)
			},
		},
		{
			Name: "comch/server-without-representor", Rule: "A server is for the function behind a representor.", Source: Documented, Needs: needs(NeedServer),
			Run: func(t *T) {
				_, err := comch.ServerCreate(t.dev(NeedServer), nil, "conformance")
				t.code("doca_comch_server_create without a representor", err, invalid)
			},
		},
		{
			Name: "comch/name-too-long", Rule: "A name has at most as many bytes as the device says, with the final zero.", Source: Documented, Needs: needs(NeedServer),
			Run: func(t *T) {
				n, err := comch.CapGetMaxNameLen(t.info(NeedServer))
				t.must("doca_comch_cap_get_max_name_len", err)
				dev := t.dev(NeedServer)
				_, err = comch.ServerCreate(dev, t.aRep(dev), strings.Repeat("x", int(n)))
				t.code("doca_comch_server_create with a name that is too long", err, invalid)
			},
		},
		{
			Name: "comch/name-twice", Rule: "A name is served once behind a representor.", Source: Documented, Needs: needs(NeedServer),
			Run: func(t *T) {
				a := t.aServer()
				t.must("doca_ctx_start of a server", t.ctxStart(a.ctx))
				b, err := comch.ServerCreate(a.dev, t.aRep(a.dev), channelName(t.c))
				if err != nil {
					t.code("doca_comch_server_create with a name that is taken", err, initFailed, alreadyExist)
					return
				}
				pe := t.pe()
				t.onEnd(func() { _ = comch.ServerDestroy(t.ring, b) })
				ctx, err := comch.ServerAsCtx(b)
				t.must("doca_comch_server_as_ctx", err)
				t.must("doca_comch_server_task_send_set_conf", comch.ServerTaskSendSetConf(b, 1))
				t.must("doca_comch_server_event_msg_recv_register", comch.ServerEventMsgRecvRegister(b))
				t.must("doca_comch_server_event_connection_status_changed_register", comch.ServerEventConnectionStatusChangedRegister(b))
				t.must("doca_pe_connect_ctx", common.PEConnectCtx(pe, ctx))
				t.code("doca_ctx_start of a server whose name is taken", common.CtxStart(t.ring, ctx), initFailed, alreadyExist)
			},
		},
		{
			Name: "comch/message-size-too-big", Rule: "Messages are at most as long as the device says.", Source: Documented, Needs: needs(NeedServer),
			Run: func(t *T) {
				n, err := comch.CapGetMaxMsgSize(t.info(NeedServer))
				t.must("doca_comch_cap_get_max_msg_size", err)
				s := t.aServer()
				t.code("doca_comch_server_set_max_msg_size above the limit", comch.ServerSetMaxMsgSize(s.server, n+1), invalid)
				t.code("doca_comch_server_set_max_msg_size of the limit", comch.ServerSetMaxMsgSize(s.server, n), success)
			},
		},
		{
			Name: "comch/too-many-send-tasks", Rule: "A server has at most as many send tasks as the device says.", Source: Documented, Needs: needs(NeedServer),
			Run: func(t *T) {
				n, err := comch.CapGetMaxSendTasks(t.info(NeedServer))
				t.must("doca_comch_cap_get_max_send_tasks", err)
				if n == ^uint32(0) {
					t.skip("there is no limit")
				}
				t.code("doca_comch_server_task_send_set_conf above the limit", comch.ServerTaskSendSetConf(t.aServer().server, n+1), invalid)
			},
		},
		{
			Name: "comch/configure-when-running", Rule: "A running server is not configured.", Source: Documented, Needs: needs(NeedServer),
			Run: func(t *T) {
				s := t.aServer()
				t.must("doca_ctx_start of a server", t.ctxStart(s.ctx))
				t.code("doca_comch_server_set_max_msg_size when running", comch.ServerSetMaxMsgSize(s.server, 64), badState)
				t.code("doca_comch_server_set_recv_queue_size when running", comch.ServerSetRecvQueueSize(s.server, 4), badState)
				t.code("doca_comch_server_task_send_set_conf when running", comch.ServerTaskSendSetConf(s.server, 4), badState)
				t.code("doca_comch_server_event_msg_recv_register when running", comch.ServerEventMsgRecvRegister(s.server), badState)
				t.code("doca_comch_server_event_consumer_register when running", comch.ServerEventConsumerRegister(s.server), badState)
				t.code("doca_comch_server_event_connection_status_changed_register when running", comch.ServerEventConnectionStatusChangedRegister(s.server), badState)
			},
		},
		{
			Name: "comch/destroy-running", Rule: "A running server is not destroyed.", Source: Documented, Needs: needs(NeedServer),
			Run: func(t *T) {
				s := t.aServer()
				t.must("doca_ctx_start of a server", t.ctxStart(s.ctx))
				t.code("doca_comch_server_destroy when running", comch.ServerDestroy(t.ring, s.server), inUse)
			},
		},
		{
			Name: "comch/server-settings", Rule: "A server has the settings that were made.", Source: Documented, Needs: needs(NeedServer),
			Run: func(t *T) {
				s := t.aServer()
				n, err := comch.ServerGetMaxMsgSize(s.server)
				t.must("doca_comch_server_get_max_msg_size", err)
				t.equal("doca_comch_server_get_max_msg_size", n, channelMessage)
				n, err = comch.ServerGetRecvQueueSize(s.server)
				t.must("doca_comch_server_get_recv_queue_size", err)
				t.that("doca_comch_server_get_recv_queue_size", fmt.Sprintf("%d or more", channelTasks), n, n >= channelTasks)
				dev, err := comch.ServerGetDevice(s.server)
				t.must("doca_comch_server_get_device", err)
				t.equal("doca_comch_server_get_device is that of the server", dev == s.dev, true)
			},
		},
		{
			Name: "comch/client-without-server", Rule: "A client whose server does not exist becomes idle by itself, and is not running in between.", Source: Measured, Needs: needs(NeedClient),
			Run: func(t *T) {
				c := t.clientOn(t.dev(NeedClient), "conform_no_such_server")
				t.code("doca_ctx_start of a client", t.ctxStart(c.ctx), inProgress)
				t.equal("doca_ctx_get_state of a client that connects", t.state(c.ctx), common.CtxStateStarting)
				t.wait("doca_pe_progress of a client without server", "the client is idle", func() bool { return t.state(c.ctx) == common.CtxStateIdle })
				t.that("doca_pe_progress, changes of state", "none to 2", t.states(c.ctx), !strings.Contains(t.states(c.ctx), "→2"))
			},
		},
		{
			Name: "comch/client-no-connection", Rule: "A client that is not connected has no connection.", Source: Documented, Needs: needs(NeedClient),
			Run: func(t *T) {
				_, err := comch.ClientGetConnection(t.clientOn(t.dev(NeedClient), "conform_no_such_server").client)
				t.code("doca_comch_client_get_connection when idle", err, badState)
			},
		},
		{
			Name: "comch/client-stop-while-starting", Rule: "A client that is connecting is stopped, and becomes idle.", Source: Documented, Needs: needs(NeedClient),
			Run: func(t *T) {
				c := t.clientOn(t.dev(NeedClient), "conform_no_such_server")
				t.begun("doca_ctx_start of a client", t.ctxStart(c.ctx))
				t.code("doca_ctx_stop of a client that connects", t.ctxStop(c.ctx), inProgress, success)
				t.wait("doca_pe_progress of a client that was stopped", "the client is idle", func() bool { return t.state(c.ctx) == common.CtxStateIdle })
			},
		},
	})
}

func comchConnectCases() []Case {
	return of("comch", []Case{
		comchPair("comch/connect", "A client connects to a server of the same name; both are running.", Measured, func(t *T, ch *channel) {
			t.equal("doca_ctx_get_state of the server", t.state(ch.ctx), common.CtxStateRunning)
			t.tell("done")
		}, func(t *T, ch *channel) {
			t.equal("doca_ctx_start of a client, changes of state", t.states(ch.ctx), "0→1 1→2")
			t.hear("done")
		}),
		comchPair("comch/connection-user-data", "User data of a connection can be set and read.", Documented, func(t *T, ch *channel) {
			t.must("doca_comch_connection_set_user_data", comch.ConnectionSetUserData(ch.conn, 31))
			v, err := comch.ConnectionGetUserData(ch.conn)
			t.must("doca_comch_connection_get_user_data", err)
			t.equal("doca_comch_connection_get_user_data", uint64(v), 31)
			t.tell("done")
		}, func(t *T, _ *channel) { t.hear("done") }),
		comchPair("comch/connection-owner", "A connection names its server on the server's side and its client on the client's.", Documented, func(t *T, ch *channel) {
			s, err := comch.ServerGetServerCtx(ch.conn)
			t.must("doca_comch_server_get_server_ctx", err)
			t.equal("doca_comch_server_get_server_ctx is the server", s == ch.server, true)
			t.tell("done")
		}, func(t *T, ch *channel) {
			c, err := comch.ClientGetClientCtx(ch.conn)
			t.must("doca_comch_client_get_client_ctx", err)
			t.equal("doca_comch_client_get_client_ctx is the client", c == ch.client, true)
			t.hear("done")
		}),
		comchPair("comch/client-destroy-running", "A running client is not destroyed.", Documented, func(t *T, _ *channel) { t.hear("done") }, func(t *T, ch *channel) {
			t.code("doca_comch_client_destroy when running", comch.ClientDestroy(t.ring, ch.client), inUse)
			t.tell("done")
		}),
		comchPair("comch/client-configure-when-running", "A running client is not configured.", Documented, func(t *T, _ *channel) { t.hear("done") }, func(t *T, ch *channel) {
			t.code("doca_comch_client_set_max_msg_size when running", comch.ClientSetMaxMsgSize(ch.client, 64), badState)
			t.code("doca_comch_client_set_recv_queue_size when running", comch.ClientSetRecvQueueSize(ch.client, 4), badState)
			t.code("doca_comch_client_task_send_set_conf when running", comch.ClientTaskSendSetConf(ch.client, 4), badState)
			t.code("doca_comch_client_event_msg_recv_register when running", comch.ClientEventMsgRecvRegister(ch.client), badState)
			t.tell("done")
		}),
	})
}

// comchPair is a case with a connection.
func comchPair(name, rule string, source Source, run, peer func(*T, *channel)) Case {
	return Case{Name: name, Rule: rule, Source: source, Needs: needs(NeedServer), PeerNeeds: needs(NeedClient),
		Run: func(t *T) { run(t, t.connected()) }, Peer: func(t *T) { peer(t, t.connected()) }}
}

func comchMessageCases() []Case {
	return of("comch", []Case{
		comchPair("comch/message-to-server", "A message of the client reaches the server, whole and with its length.", Measured, func(t *T, ch *channel) {
			t.equal("doca_comch_server_event_msg_recv_register, the message", ch.receive(1), "from the host")
			t.equal("doca_comch_server_event_msg_recv_register, its length", ch.received()[0].Args[0], len("from the host"))
			t.equal("doca_comch_server_event_msg_recv_register, its connection", ch.received()[0].Object == unsafe.Pointer(ch.conn), true)
			t.tell("done")
		}, func(t *T, ch *channel) { ch.send("from the host"); t.hear("done") }),
		comchPair("comch/message-to-client", "A message of the server reaches the client.", Measured, func(t *T, ch *channel) { ch.send("from the DPU"); t.hear("done") }, func(t *T, ch *channel) {
			t.equal("doca_comch_client_event_msg_recv_register, the message", ch.receive(1), "from the DPU")
			t.tell("done")
		}),
		comchPair("comch/message-order", "Messages come in the order in which they were sent, each by itself.", Documented, func(t *T, ch *channel) {
			for i := 1; i <= 100; i++ {
				t.equal(fmt.Sprintf("doca_comch_server_event_msg_recv_register, message %d", i), ch.receive(i), fmt.Sprintf("message %d", i))
			}
			t.tell("done")
		}, func(t *T, ch *channel) {
			for i := 1; i <= 100; i++ {
				ch.send(fmt.Sprintf("message %d", i))
				ch.free()
			}
			t.hear("done")
		}),
		comchPair("comch/message-copied", "The bytes of a message are copied at the submission at the latest.", Samples, func(t *T, ch *channel) {
			t.equal("doca_comch_server_event_msg_recv_register, a message whose memory was cleared after the submission", ch.receive(1), "copied when it was submitted")
			t.tell("done")
		}, func(t *T, ch *channel) { ch.send("copied when it was submitted"); t.hear("done") }),
		comchPair("comch/message-longest", "A message of the length that both sides have set arrives.", Documented, func(t *T, ch *channel) {
			t.equal("doca_comch_server_event_msg_recv_register, the longest message", ch.receive(1) == strings.Repeat("z", channelMessage), true)
			t.tell("done")
		}, func(t *T, ch *channel) { ch.send(strings.Repeat("z", channelMessage)); t.hear("done") }),
		comchPair("comch/message-too-long", "A longer message is refused.", Documented, func(t *T, _ *channel) { t.hear("done") }, func(t *T, ch *channel) {
			_, err := ch.post(strings.Repeat("z", channelMessage+1))
			t.code("doca_comch_client_task_send_alloc_init of a message that is too long", err, invalid)
			t.tell("done")
		}),
		comchPair("comch/pool-of-sends", "There are as many send tasks as configured.", Documented, func(t *T, ch *channel) {
			for range channelTasks {
				typed, err := ch.post("x")
				t.must("doca_comch_server_task_send_alloc_init", err)
				ch.sent(typed)
			}
			_, err := ch.post("x")
			t.code("doca_comch_server_task_send_alloc_init of one more than configured", err, noMemory)
			ch.free()
			_, err = ch.post("x")
			t.code("doca_comch_server_task_send_alloc_init after all were freed", err, success)
			t.tell("done")
		}, func(t *T, _ *channel) { t.hear("done") }),
		comchPair("comch/statistics", "A connection counts its messages and bytes.", Documented, func(t *T, ch *channel) {
			ch.receive(3)
			t.must("doca_comch_connection_update_info", comch.ConnectionUpdateInfo(ch.conn))
			for _, c := range []struct {
				name string
				of   comch.Counter
				want uint64
			}{{"received messages", comch.CounterRecvMessages, 3}, {"received bytes", comch.CounterRecvBytes, 30}, {"sent messages", comch.CounterSentMessages, 0}} {
				n, err := comch.ConnectionGetCounter(ch.conn, c.of)
				t.must("doca_comch_connection_get_counter", err)
				t.equal("doca_comch_connection_get_counter of "+c.name, n, c.want)
			}
			t.tell("done")
		}, func(t *T, ch *channel) {
			for range 3 {
				ch.send("ten bytes!")
			}
			t.hear("done")
		}),
		comchPair("comch/both-ways", "Both sides send at the same time.", Documented, func(t *T, ch *channel) { exchange(t, ch, "DPU", "host") }, func(t *T, ch *channel) { exchange(t, ch, "host", "DPU") }),
	})
}

func exchange(t *T, ch *channel, own, other string) {
	for i := 1; i <= 50; i++ {
		ch.send(fmt.Sprintf("%s %d", own, i))
		ch.free()
	}
	for i := 1; i <= 50; i++ {
		t.equal(fmt.Sprintf("doca_pe_progress, message %d of the other side", i), ch.receive(i), fmt.Sprintf("%s %d", other, i))
	}
	t.tell("done")
	t.hear("done")
}

func comchEndCases() []Case {
	return of("comch", []Case{
		comchPair("comch/client-stops", "When a client stops, the server gets the event and stays running.", Documented, func(t *T, ch *channel) {
			t.tell("stop")
			t.await(comch.KindServerEventConnectionStatusChangedDisconnect, 1, "doca_pe_progress of a server", "the event that the client has disconnected")
			t.equal("doca_ctx_get_state of the server after it", t.state(ch.ctx), common.CtxStateRunning)
			t.hear("idle")
		}, func(t *T, ch *channel) {
			t.hear("stop")
			t.code("doca_ctx_stop of a client", t.ctxStop(ch.ctx), inProgress, success)
			t.wait("doca_pe_progress of a client", "the client is idle", func() bool { return t.state(ch.ctx) == common.CtxStateIdle })
			t.tell("idle")
		}),
		comchPair("comch/server-disconnects", "When a server disconnects a client, the client becomes idle by itself.", Documented, func(t *T, ch *channel) {
			t.code("doca_comch_server_disconnect", comch.ServerDisconnect(t.ring, ch.server, ch.conn), success)
			t.hear("idle")
		}, func(t *T, ch *channel) {
			t.wait("doca_pe_progress of a client", "the client is idle after the server has disconnected it", func() bool { return t.state(ch.ctx) == common.CtxStateIdle })
			t.tell("idle")
		}),
		comchPair("comch/server-stops-with-client", "When a server stops, its clients become idle by themselves.", Documented, func(t *T, ch *channel) {
			t.code("doca_ctx_stop of a server with a client", t.ctxStop(ch.ctx), inProgress, success)
			t.wait("doca_pe_progress of a server", "the server is idle", func() bool { return t.state(ch.ctx) == common.CtxStateIdle })
			t.hear("idle")
		}, func(t *T, ch *channel) {
			t.wait("doca_pe_progress of a client", "the client is idle after the server has stopped", func() bool { return t.state(ch.ctx) == common.CtxStateIdle })
			t.tell("idle")
		}),
		comchPair("comch/messages-before-disconnect", "Messages that were sent before the client stopped come before the disconnection.", Samples, func(t *T, ch *channel) {
			t.await(comch.KindServerEventConnectionStatusChangedDisconnect, 1, "doca_pe_progress of a server", "the event that the client has disconnected")
			last := -1
			for i, r := range t.records {
				switch r.Kind {
				case comch.KindServerEventMsgRecv:
					last = i
				case comch.KindServerEventConnectionStatusChangedDisconnect:
					t.equal("doca_pe_progress, a message comes behind the disconnection", last > i, false)
				}
			}
			t.equal("doca_pe_progress, messages before the disconnection", len(ch.received()), 5)
		}, func(t *T, ch *channel) {
			for range 5 {
				ch.send("last words")
			}
			_ = t.ctxStop(ch.ctx)
			ch.free()
			t.wait("doca_pe_progress of a client", "the client is idle", func() bool { return t.state(ch.ctx) == common.CtxStateIdle })
		}),
		comchPair("comch/disconnect-with-consumer", "A connection with a consumer of this side is not disconnected.", Documented, func(t *T, ch *channel) {
			k := ch.consumer().start()
			t.code("doca_comch_server_disconnect with a consumer", comch.ServerDisconnect(t.ring, ch.server, ch.conn), inUse)
			_ = t.ctxStop(k.ctx)
			t.wait("doca_pe_progress of a consumer", "the consumer is idle", func() bool { return t.state(k.ctx) == common.CtxStateIdle })
			t.tell("done")
		}, func(t *T, _ *channel) { t.hear("done") }),
		comchPair("comch/second-client", "A server has several clients at once.", Documented, func(t *T, ch *channel) {
			t.await(comch.KindServerEventConnectionStatusChangedConnect, 2, "doca_pe_progress of a server", "a second client connects")
			t.equal("doca_comch_server_event_connection_status_changed_register, the second connection is another one", t.of(comch.KindServerEventConnectionStatusChangedConnect)[1].Object == unsafe.Pointer(ch.conn), false)
			t.hear("done")
		}, func(t *T, ch *channel) {
			dev := ch.dev
			c := t.clientOn(dev, t.serverName)
			t.begun("doca_ctx_start of a client", t.ctxStart(c.ctx))
			t.wait("doca_pe_progress of a client", "the second client is running", func() bool { return t.state(c.ctx) == common.CtxStateRunning })
			t.tell("done")
		}),
		comchPair("comch/reconnect", "A client that has stopped connects again.", Documented, func(t *T, ch *channel) {
			t.await(comch.KindServerEventConnectionStatusChangedConnect, 2, "doca_pe_progress of a server", "the client connects again")
			t.hear("done")
		}, func(t *T, ch *channel) {
			_ = t.ctxStop(ch.ctx)
			t.wait("doca_pe_progress of a client", "the client is idle", func() bool { return t.state(ch.ctx) == common.CtxStateIdle })
			t.code("doca_ctx_start of a client a second time", t.ctxStart(ch.ctx), inProgress)
			t.wait("doca_pe_progress of a client", "the client is running again", func() bool { return t.state(ch.ctx) == common.CtxStateRunning })
			t.tell("done")
		}),
	})
}
