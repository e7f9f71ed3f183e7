// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"fmt"
	"unsafe"

	"github.com/go-doca/go-doca/generated/comch"
	"github.com/go-doca/go-doca/generated/common"
)

// immediate returns the immediate data of a receive that has ended.
func (t *T) immediate(typed *comch.ConsumerTaskPostRecv) string {
	n, err := comch.ConsumerTaskPostRecvGetImmDataLen(typed)
	t.must("doca_comch_consumer_task_post_recv_get_imm_data_len", err)
	at, err := comch.ConsumerTaskPostRecvGetImmData(typed)
	t.must("doca_comch_consumer_task_post_recv_get_imm_data", err)
	if at == nil {
		return ""
	}
	return string(unsafe.Slice((*byte)(at), n))
}

// fast is a case with a consumer on the DPU's side and a producer on the host's.
func fast(name, rule string, source Source, run func(*T, *channel, *consumer), peer func(*T, *channel, *producer, uint32)) Case {
	return comchPair(name, rule, source, func(t *T, ch *channel) {
		run(t, ch, ch.consumer().start())
	}, func(t *T, ch *channel) {
		id := ch.newConsumer(1)
		peer(t, ch, ch.producer().start(), id)
	})
}

func comchFastCases() []Case {
	return of("comch", []Case{
		fast("comch/data", "A producer's data reaches the buffer that the consumer has posted.", Measured, func(t *T, ch *channel, k *consumer) {
			b := t.empty(k.inv, k.m, k.mem[:4096])
			typed := k.post(b)
			k.await(typed)
			want := make([]byte, 4096)
			fill(want, 5)
			t.same("doca_comch_consumer_task_post_recv, the data", k.mem[:4096], want)
			t.equal("doca_buf_get_data_len of the receive", t.dataLen(b), 4096)
			t.tell("done")
		}, func(t *T, ch *channel, p *producer, id uint32) {
			fill(p.mem[:4096], 5)
			p.send(p.task(t.full(p.inv, p.m, p.mem[:4096]), "", id))
			t.hear("done")
		}),
		fast("comch/immediate", "A producer sends immediate data without a buffer.", Documented, func(t *T, ch *channel, k *consumer) {
			typed := k.post(nil)
			k.await(typed)
			t.equal("doca_comch_consumer_task_post_recv_get_imm_data", t.immediate(typed), "now")
			t.tell("done")
		}, func(t *T, ch *channel, p *producer, id uint32) {
			p.send(p.task(nil, "now", id))
			t.hear("done")
		}),
		fast("comch/data-and-immediate", "Data and immediate data come together, with the ID of the producer.", Documented, func(t *T, ch *channel, k *consumer) {
			b := t.empty(k.inv, k.m, k.mem[:4096])
			typed := k.post(b)
			k.await(typed)
			t.equal("doca_comch_consumer_task_post_recv_get_imm_data", t.immediate(typed), "imm")
			t.equal("doca_buf_get_data_len of the receive", t.dataLen(b), 100)
			id, err := comch.ConsumerTaskPostRecvGetProducerID(typed)
			t.must("doca_comch_consumer_task_post_recv_get_producer_id", err)
			t.equal("doca_comch_consumer_task_post_recv_get_producer_id", id, t.number("producer"))
			t.tell("done")
		}, func(t *T, ch *channel, p *producer, id uint32) {
			own, err := comch.ProducerGetID(p.p)
			t.must("doca_comch_producer_get_id", err)
			p.send(p.task(t.full(p.inv, p.m, p.mem[:100]), "imm", id))
			t.tellNumber("producer", uint64(own))
			t.hear("done")
		}),
		fast("comch/append", "What is received comes behind the data that the buffer has.", Samples, func(t *T, ch *channel, k *consumer) {
			b := t.empty(k.inv, k.m, k.mem[:4096])
			for range 2 {
				k.await(k.post(b))
			}
			want := make([]byte, 100)
			fill(want, 9)
			t.equal("doca_buf_get_data_len after two receives of 100 bytes", t.dataLen(b), 200)
			t.same("doca_comch_consumer_task_post_recv, the second data", k.mem[100:200], want)
			t.tell("done")
		}, func(t *T, ch *channel, p *producer, id uint32) {
			fill(p.mem[:100], 9)
			b := t.full(p.inv, p.m, p.mem[:100])
			for range 2 {
				p.send(p.task(b, "", id))
			}
			t.hear("done")
		}),
		fast("comch/data-order", "Receives end in the order in which they were posted, with what was sent in that order.", Documented, func(t *T, ch *channel, k *consumer) {
			var typed []*comch.ConsumerTaskPostRecv
			for i := range consumerTasks {
				typed = append(typed, k.post(t.empty(k.inv, k.m, k.mem[i*64:][:64])))
			}
			t.tell("posted")
			for i := range consumerTasks {
				k.await(typed[i])
				t.equal(fmt.Sprintf("doca_comch_consumer_task_post_recv, data of receive %d", i), k.mem[i*64], i+1)
			}
			for i, r := range t.of(comch.KindConsumerTaskPostRecvCompletion) {
				t.equal(fmt.Sprintf("doca_pe_progress, end %d is that of receive %d", i, i), r.Object == unsafe.Pointer(typed[i]), true)
			}
			t.tell("done")
		}, func(t *T, ch *channel, p *producer, id uint32) {
			t.hear("posted")
			for i := range consumerTasks {
				p.mem[i*64] = byte(i + 1)
				p.send(p.task(t.full(p.inv, p.m, p.mem[i*64:][:64]), "", id))
			}
			t.hear("done")
		}),
		fast("comch/no-receive", "A submission is AGAIN while the consumer has posted no receive, and succeeds when it has, without progress of this side.", Samples, func(t *T, ch *channel, k *consumer) {
			t.hear("post")
			typed := k.post(t.empty(k.inv, k.m, k.mem[:64]))
			t.tell("posted")
			k.await(typed)
			t.tell("done")
		}, func(t *T, ch *channel, p *producer, id uint32) {
			task := p.task(t.full(p.inv, p.m, p.mem[:64]), "", id)
			t.code("doca_task_submit without a receive", common.TaskSubmit(task), again)
			t.tell("post")
			t.hear("posted")
			p.send(task)
			t.hear("done")
		}),
		fast("comch/data-too-long", "Data that is longer than the consumer's buffer is refused, or ends in an error.", Documented, func(t *T, ch *channel, k *consumer) {
			k.post(t.empty(k.inv, k.m, k.mem[:64]))
			t.tell("posted")
			t.hear("done")
		}, func(t *T, ch *channel, p *producer, id uint32) {
			t.hear("posted")
			task := p.task(t.full(p.inv, p.m, p.mem[:128]), "", id)
			var err error
			t.wait("doca_task_submit of data that is too long", "an answer other than AGAIN", func() bool {
				err = common.TaskSubmit(task)
				return err == nil || !isAgain(err)
			})
			if err != nil {
				t.code("doca_task_submit of data that is too long", err, invalid)
			} else {
				t.await(comch.KindProducerTaskSendError, 1, "doca_pe_progress of a producer", "a send that is too long has ended in an error")
			}
			t.tell("done")
		}),
		fast("comch/shared-source", "One buffer is the source of several sends in flight.", Samples, func(t *T, ch *channel, k *consumer) {
			var typed []*comch.ConsumerTaskPostRecv
			for i := range 4 {
				typed = append(typed, k.post(t.empty(k.inv, k.m, k.mem[i*64:][:64])))
			}
			t.tell("posted")
			want := make([]byte, 64)
			fill(want, 33)
			for i := range 4 {
				k.await(typed[i])
				t.same("doca_comch_consumer_task_post_recv, the data", k.mem[i*64:][:64], want)
			}
			t.tell("done")
		}, func(t *T, ch *channel, p *producer, id uint32) {
			t.hear("posted")
			fill(p.mem[:64], 33)
			b := t.full(p.inv, p.m, p.mem[:64])
			var tasks []*common.Task
			for range 4 {
				tasks = append(tasks, p.task(b, "", id))
			}
			for _, task := range tasks {
				t.wait("doca_task_submit of a producer", "the consumer's receive is known", func() bool { return common.TaskSubmit(task) == nil })
			}
			t.await(comch.KindProducerTaskSendCompletion, 4, "doca_pe_progress of a producer", "four sends have ended")
			t.hear("done")
		}),
	})
}

func comchFastStateCases() []Case {
	idle := func(t *T, ctx *common.Ctx) {
		t.wait("doca_pe_progress", "the context is idle", func() bool { return t.state(ctx) == common.CtxStateIdle })
	}
	wait := func(t *T, _ *channel) { t.hear("done") }
	return of("comch", []Case{
		comchPair("comch/consumer-start", "A consumer starts asynchronously, and is running by progress.", Samples, func(t *T, ch *channel) {
			k := ch.consumer()
			t.code("doca_ctx_start of a consumer", t.ctxStart(k.ctx), inProgress)
			t.wait("doca_pe_progress of a consumer", "the consumer is running", func() bool { return t.state(k.ctx) == common.CtxStateRunning })
			t.equal("doca_pe_progress, changes of state", t.states(k.ctx), "0→1 1→2")
			t.tell("done")
		}, wait),
		comchPair("comch/producer-start", "A producer is running when the start returns.", Samples, func(t *T, ch *channel) {
			p := ch.producer()
			t.code("doca_ctx_start of a producer", t.ctxStart(p.ctx), success)
			t.equal("doca_ctx_get_state of a producer", t.state(p.ctx), common.CtxStateRunning)
			t.tell("done")
		}, wait),
		comchPair("comch/consumer-id", "A consumer has its ID before it is started; it is neither 0 nor 65535 or more.", Samples, func(t *T, ch *channel) {
			id, err := comch.ConsumerGetID(ch.consumer().c)
			t.must("doca_comch_consumer_get_id", err)
			t.that("doca_comch_consumer_get_id", "1 to 65534", id, id > 0 && id < 0xffff)
			t.tell("done")
		}, wait),
		comchPair("comch/consumer-event", "The other side gets the event of a new consumer with its ID, and that of its end.", Documented, func(t *T, ch *channel) {
			k := ch.consumer().start()
			id, err := comch.ConsumerGetID(k.c)
			t.must("doca_comch_consumer_get_id", err)
			t.tellNumber("id", uint64(id))
			t.hear("stop")
			_ = t.ctxStop(k.ctx)
			idle(t, k.ctx)
			t.hear("done")
		}, func(t *T, ch *channel) {
			id := t.number("id")
			t.equal("doca_comch_client_event_consumer_register, the ID of a new consumer", ch.newConsumer(1), id)
			t.tell("stop")
			r := t.await(comch.KindClientEventConsumerExpiredConsumer, 1, "doca_pe_progress of a client", "the event that a consumer has ended")
			t.equal("doca_comch_client_event_consumer_register, the ID of the consumer that has ended", r.Args[0], id)
			t.tell("done")
		}),
		comchPair("comch/expired-before-message", "The event that a consumer has ended comes before a message that was sent afterwards.", Samples, func(t *T, ch *channel) {
			k := ch.consumer().start()
			t.hear("stop")
			_ = t.ctxStop(k.ctx)
			idle(t, k.ctx)
			ch.send("after the consumer")
			t.hear("done")
		}, func(t *T, ch *channel) {
			ch.newConsumer(1)
			t.tell("stop")
			ch.receive(1)
			expired := len(t.of(comch.KindClientEventConsumerExpiredConsumer))
			t.equal("doca_pe_progress, events that a consumer has ended when the message is there", expired, 1)
			t.tell("done")
		}),
		comchPair("comch/consumer-stop-idle", "A consumer without receives stops at once.", Samples, func(t *T, ch *channel) {
			k := ch.consumer().start()
			t.code("doca_ctx_stop of a consumer without receives", t.ctxStop(k.ctx), success)
			t.tell("done")
		}, wait),
		comchPair("comch/producer-stop-idle", "A producer without sends stops at once.", Samples, func(t *T, ch *channel) {
			p := ch.producer().start()
			t.code("doca_ctx_stop of a producer without sends", t.ctxStop(p.ctx), success)
			t.tell("done")
		}, wait),
		comchPair("comch/consumer-stop-with-receives", "A consumer with receives stops with progress of its own engine alone; the receives end in errors.", Samples, func(t *T, ch *channel) {
			k := ch.consumer().start()
			for i := range 3 {
				k.post(t.empty(k.inv, k.m, k.mem[i*64:][:64]))
			}
			t.code("doca_ctx_stop of a consumer with receives", t.ctxStop(k.ctx), inProgress)
			for n := 0; n < 100000 && len(t.of(comch.KindConsumerTaskPostRecvError)) < 3; n++ {
				t.progress(k.pe)
			}
			t.equal("doca_pe_progress of the consumer's engine, receives that have ended in errors", len(t.of(comch.KindConsumerTaskPostRecvError)), 3)
			k.free()
			for n := 0; n < 100000 && t.state(k.ctx) != common.CtxStateIdle; n++ {
				t.progress(k.pe)
			}
			t.equal("doca_ctx_get_state of the consumer", t.state(k.ctx), common.CtxStateIdle)
			t.tell("done")
		}, wait),
		comchPair("comch/consumer-destroy-running", "A running consumer is not destroyed.", Documented, func(t *T, ch *channel) {
			k := ch.consumer().start()
			err := comch.ConsumerDestroy(t.ring, k.c)
			t.that("doca_comch_consumer_destroy when running", "an error", describe(err), err != nil)
			t.tell("done")
		}, wait),
		comchPair("comch/consumer-configure-when-running", "A running consumer is not configured.", Documented, func(t *T, ch *channel) {
			k := ch.consumer().start()
			t.code("doca_comch_consumer_task_post_recv_set_conf when running", comch.ConsumerTaskPostRecvSetConf(k.c, 2), badState)
			t.code("doca_comch_consumer_set_imm_data_len when running", comch.ConsumerSetImmDataLen(k.c, 8), badState)
			t.tell("done")
		}, wait),
		comchPair("comch/consumer-pool", "A consumer has as many receives as configured.", Documented, func(t *T, ch *channel) {
			k := ch.consumer().start()
			for i := range consumerTasks {
				k.post(t.empty(k.inv, k.m, k.mem[i*64:][:64]))
			}
			_, err := comch.ConsumerTaskPostRecvAllocInit(k.c, nil)
			t.code("doca_comch_consumer_task_post_recv_alloc_init of one more than configured", err, noMemory)
			t.tell("done")
		}, wait),
		comchPair("comch/two-consumers", "The consumers of a connection have different IDs.", Documented, func(t *T, ch *channel) {
			a, err := comch.ConsumerGetID(ch.consumer().c)
			t.must("doca_comch_consumer_get_id", err)
			b, err := comch.ConsumerGetID(ch.consumer().c)
			t.must("doca_comch_consumer_get_id", err)
			t.equal("doca_comch_consumer_get_id of two consumers is the same", a == b, false)
			t.tell("done")
		}, wait),
		comchPair("comch/unknown-consumer", "A send to a consumer that does not exist is refused, or ends in an error.", Documented, func(t *T, ch *channel) {
			p := ch.producer().start()
			task := p.task(t.full(p.inv, p.m, p.mem[:64]), "", 60000)
			if err := common.TaskSubmit(task); err != nil {
				t.code("doca_task_submit to a consumer that does not exist", err, invalid, again, notConnected, notFound)
			} else {
				t.await(comch.KindProducerTaskSendError, 1, "doca_pe_progress of a producer", "a send to a consumer that does not exist has ended in an error")
			}
			t.tell("done")
		}, wait),
	})
}
