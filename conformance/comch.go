// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"fmt"
	"os"
	"strings"
	"unsafe"

	"github.com/go-doca/go-doca/generated/abi"
	"github.com/go-doca/go-doca/generated/comch"
	"github.com/go-doca/go-doca/generated/common"
)

// channel is one end of a Comch connection: the server on the DPU's side, the client on the host's.
type channel struct {
	t      *T
	dev    *common.Dev
	pe     *common.PE
	server *comch.Server
	client *comch.Client
	ctx    *common.Ctx
	conn   *comch.Connection
	tasks  []*common.Task
}

const (
	channelTasks   = 16
	channelMessage = 512
)

// channelName is the name of a case's server.
func channelName(c Case) string {
	name := strings.NewReplacer("/", "_").Replace(c.Name)
	return fmt.Sprintf("conform_%s", name[max(0, len(name)-40):])
}

// serverOn makes a server that is configured and not started.
func (t *T) serverOn(dev *common.Dev, rep *common.DevRep, name string) *channel {
	ch := &channel{t: t, dev: dev, pe: t.pe()}
	s, err := comch.ServerCreate(dev, rep, name)
	t.must("doca_comch_server_create", err)
	t.onEnd(func() { _ = comch.ServerDestroy(t.ring, s) })
	ch.server = s
	ch.ctx, err = comch.ServerAsCtx(s)
	t.must("doca_comch_server_as_ctx", err)
	t.must("doca_comch_server_task_send_set_conf", comch.ServerTaskSendSetConf(s, channelTasks))
	t.must("doca_comch_server_event_msg_recv_register", comch.ServerEventMsgRecvRegister(s))
	t.must("doca_comch_server_event_connection_status_changed_register", comch.ServerEventConnectionStatusChangedRegister(s))
	t.must("doca_comch_server_event_consumer_register", comch.ServerEventConsumerRegister(s))
	t.must("doca_comch_server_set_max_msg_size", comch.ServerSetMaxMsgSize(s, channelMessage))
	t.must("doca_comch_server_set_recv_queue_size", comch.ServerSetRecvQueueSize(s, channelTasks))
	ch.connectEngine()
	return ch
}

// clientOn makes a client that is configured and not started.
func (t *T) clientOn(dev *common.Dev, name string) *channel {
	ch := &channel{t: t, dev: dev, pe: t.pe()}
	c, err := comch.ClientCreate(dev, name)
	t.must("doca_comch_client_create", err)
	t.onEnd(func() { _ = comch.ClientDestroy(t.ring, c) })
	ch.client = c
	ch.ctx, err = comch.ClientAsCtx(c)
	t.must("doca_comch_client_as_ctx", err)
	t.must("doca_comch_client_task_send_set_conf", comch.ClientTaskSendSetConf(c, channelTasks))
	t.must("doca_comch_client_event_msg_recv_register", comch.ClientEventMsgRecvRegister(c))
	t.must("doca_comch_client_event_consumer_register", comch.ClientEventConsumerRegister(c))
	t.must("doca_comch_client_set_max_msg_size", comch.ClientSetMaxMsgSize(c, channelMessage))
	t.must("doca_comch_client_set_recv_queue_size", comch.ClientSetRecvQueueSize(c, channelTasks))
	ch.connectEngine()
	return ch
}

func (ch *channel) connectEngine() {
	t := ch.t
	t.must("doca_ctx_set_state_changed_cb", common.CtxSetStateChangedCB(ch.ctx))
	t.must("doca_pe_connect_ctx", common.PEConnectCtx(ch.pe, ch.ctx))
	t.stopAtEnd(ch.ctx, ch.free)
}

func (ch *channel) free() {
	for _, task := range ch.tasks {
		_ = common.TaskFree(task)
	}
	ch.tasks = nil
}

// connected connects the two sides; both call it.
func (t *T) connected() *channel {
	if t.isHost() {
		dev := t.pairedDevice()
		t.serverName = string(t.hear("server"))
		ch := t.clientOn(dev, t.serverName)
		t.code("doca_ctx_start of a client", t.ctxStart(ch.ctx), inProgress)
		t.wait("doca_pe_progress of a client", "the client is running", func() bool { return t.state(ch.ctx) == common.CtxStateRunning })
		conn, err := comch.ClientGetConnection(ch.client)
		t.must("doca_comch_client_get_connection", err)
		ch.conn = conn
		t.hear("accepted")
		return ch
	}
	dev, rep := t.pairedRep()
	name := fmt.Sprintf("%s_%d", channelName(t.c), os.Getpid())
	ch := t.serverOn(dev, rep, name)
	t.must("doca_ctx_start of a server", t.ctxStart(ch.ctx))
	t.tell("server", []byte(name))
	r := t.await(comch.KindServerEventConnectionStatusChangedConnect, 1, "doca_pe_progress of a server", "a client connects")
	t.equal("doca_comch_server_event_connection_status_changed_register, the change has succeeded", r.Args[0], 1)
	ch.conn = (*comch.Connection)(r.Object)
	t.tell("accepted")
	return ch
}

// post submits a message.
func (ch *channel) post(text string) (typed *comch.TaskSend, err error) {
	t := ch.t
	mem := t.bytesOf(text)
	if ch.server != nil {
		typed, err = comch.ServerTaskSendAllocInit(ch.server, ch.conn, mem)
	} else {
		typed, err = comch.ClientTaskSendAllocInit(ch.client, ch.conn, mem)
	}
	if err != nil {
		return nil, err
	}
	task, err := comch.TaskSendAsTask(typed)
	t.must("doca_comch_task_send_as_task", err)
	ch.tasks = append(ch.tasks, task)
	err = common.TaskSubmit(task)
	clear(mem.Values()) // the message was copied
	return typed, err
}

// send sends a message, and waits until it has been handed over.
func (ch *channel) send(text string) {
	typed, err := ch.post(text)
	ch.t.must("doca_comch_task_send_alloc_init and doca_task_submit", err)
	ch.sent(typed)
}

func (ch *channel) sent(typed *comch.TaskSend) {
	done := comch.KindClientTaskSendCompletion
	if ch.server != nil {
		done = comch.KindServerTaskSendCompletion
	}
	ch.t.wait("doca_pe_progress", "a message has been sent", func() bool {
		for _, r := range ch.t.of(done) {
			if r.Object == unsafe.Pointer(typed) {
				return true
			}
		}
		return false
	})
}

// received returns the messages that have come.
func (ch *channel) received() []record {
	return ch.t.of(ch.kind(comch.KindServerEventMsgRecv, comch.KindClientEventMsgRecv))
}

// kind is a kind of this end's records.
func (ch *channel) kind(server, client abi.Kind) abi.Kind {
	if ch.server != nil {
		return server
	}
	return client
}

// receive waits for the nth message, from 1.
func (ch *channel) receive(nth int) string {
	ch.t.wait("doca_pe_progress", fmt.Sprintf("message %d has come", nth), func() bool { return len(ch.received()) >= nth })
	return string(ch.received()[nth-1].payload)
}

// newConsumer waits for the nth consumer of the other side, and returns its ID.
func (ch *channel) newConsumer(nth int) uint32 {
	r := ch.t.await(ch.kind(comch.KindServerEventConsumerNewConsumer, comch.KindClientEventConsumerNewConsumer), nth, "doca_pe_progress", "the event of a new consumer")
	return uint32(r.Args[0])
}

// consumer receives data, on an engine of its own.
type consumer struct {
	ch    *channel
	c     *comch.Consumer
	ctx   *common.Ctx
	pe    *common.PE
	m     *common.Mmap
	mem   []byte
	inv   *common.BufInventory
	tasks []*common.Task
}

const consumerTasks = 8

// consumer makes a consumer that is configured and not started.
func (ch *channel) consumer() *consumer {
	t := ch.t
	k := &consumer{ch: ch, pe: t.pe()}
	k.m, k.mem = t.mapped(ch.dev, 64<<10, localRW|pciWrite)
	k.inv = t.inventory(16)
	c, err := comch.ConsumerCreate(ch.conn, k.m)
	t.must("doca_comch_consumer_create", err)
	t.onEnd(func() { _ = comch.ConsumerDestroy(t.ring, c) })
	k.c = c
	k.ctx, err = comch.ConsumerAsCtx(c)
	t.must("doca_comch_consumer_as_ctx", err)
	t.must("doca_comch_consumer_task_post_recv_set_conf", comch.ConsumerTaskPostRecvSetConf(c, consumerTasks))
	t.must("doca_comch_consumer_set_imm_data_len", comch.ConsumerSetImmDataLen(c, 8))
	t.must("doca_ctx_set_state_changed_cb", common.CtxSetStateChangedCB(k.ctx))
	t.must("doca_pe_connect_ctx", common.PEConnectCtx(k.pe, k.ctx))
	t.stopAtEnd(k.ctx, k.free)
	return k
}

func (k *consumer) free() {
	for _, task := range k.tasks {
		_ = common.TaskFree(task)
	}
	k.tasks = nil
}

// start starts the consumer and waits until it is running.
func (k *consumer) start() *consumer {
	t := k.ch.t
	t.code("doca_ctx_start of a consumer", t.ctxStart(k.ctx), inProgress)
	t.wait("doca_pe_progress of a consumer", "the consumer is running", func() bool { return t.state(k.ctx) == common.CtxStateRunning })
	return k
}

// post posts a receive; a nil buffer is for immediate data alone.
func (k *consumer) post(b *common.Buf) *comch.ConsumerTaskPostRecv {
	t := k.ch.t
	typed, err := comch.ConsumerTaskPostRecvAllocInit(k.c, b)
	t.must("doca_comch_consumer_task_post_recv_alloc_init", err)
	task, err := comch.ConsumerTaskPostRecvAsTask(typed)
	t.must("doca_comch_consumer_task_post_recv_as_task", err)
	k.tasks = append(k.tasks, task)
	t.must("doca_task_submit of a receive", common.TaskSubmit(task))
	return typed
}

// await waits for the end of a receive.
func (k *consumer) await(typed *comch.ConsumerTaskPostRecv) {
	t := k.ch.t
	t.wait("doca_pe_progress of a consumer", "a receive has ended", func() bool {
		for _, r := range t.of(comch.KindConsumerTaskPostRecvCompletion) {
			if r.Object == unsafe.Pointer(typed) {
				return true
			}
		}
		return false
	})
}

// producer sends data, on an engine of its own.
type producer struct {
	ch    *channel
	p     *comch.Producer
	ctx   *common.Ctx
	pe    *common.PE
	m     *common.Mmap
	mem   []byte
	inv   *common.BufInventory
	tasks []*common.Task
}

// producer makes a producer that is configured and not started.
func (ch *channel) producer() *producer {
	t := ch.t
	k := &producer{ch: ch, pe: t.pe()}
	k.m, k.mem = t.mapped(ch.dev, 64<<10, localRW)
	k.inv = t.inventory(16)
	p, err := comch.ProducerCreate(ch.conn)
	t.must("doca_comch_producer_create", err)
	t.onEnd(func() { _ = comch.ProducerDestroy(t.ring, p) })
	k.p = p
	k.ctx, err = comch.ProducerAsCtx(p)
	t.must("doca_comch_producer_as_ctx", err)
	t.must("doca_comch_producer_task_send_set_conf", comch.ProducerTaskSendSetConf(p, consumerTasks))
	t.must("doca_ctx_set_state_changed_cb", common.CtxSetStateChangedCB(k.ctx))
	t.must("doca_pe_connect_ctx", common.PEConnectCtx(k.pe, k.ctx))
	t.stopAtEnd(k.ctx, k.free)
	return k
}

func (k *producer) free() {
	for _, task := range k.tasks {
		_ = common.TaskFree(task)
	}
	k.tasks = nil
}

func (k *producer) start() *producer {
	k.ch.t.must("doca_ctx_start of a producer", k.ch.t.ctxStart(k.ctx))
	return k
}

// task allocates a send.
func (k *producer) task(b *common.Buf, imm string, to uint32) *common.Task {
	t := k.ch.t
	typed, err := comch.ProducerTaskSendAllocInit(k.p, b, t.bytesOf(imm), to)
	t.must("doca_comch_producer_task_send_alloc_init", err)
	task, err := comch.ProducerTaskSendAsTask(typed)
	t.must("doca_comch_producer_task_send_as_task", err)
	k.tasks = append(k.tasks, task)
	return task
}

// send submits a task, again while the consumer has posted no receive, and waits for its end.
func (k *producer) send(task *common.Task) {
	t := k.ch.t
	ended := len(t.of(comch.KindProducerTaskSendCompletion))
	t.wait("doca_task_submit of a producer", "the consumer's receive is known", func() bool {
		err := common.TaskSubmit(task)
		if err == nil || !isAgain(err) {
			t.must("doca_task_submit of a producer", err)
			return true
		}
		return false
	})
	t.await(comch.KindProducerTaskSendCompletion, ended+1, "doca_pe_progress of a producer", "a send has ended")
}
