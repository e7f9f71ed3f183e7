// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"bytes"
	"encoding/binary"
	"fmt"

	"github.com/go-doca/go-doca/generated/common"
	"github.com/go-doca/go-doca/generated/rdma"
)

func rdmaCase(name, rule string, source Source, run func(*T)) Case {
	return Case{Name: name, Library: "rdma", Rule: rule, Source: source, Needs: needs(NeedRDMA), Run: run}
}

func rdmaConfigCases() []Case {
	// setting is a setting that can be read again, and not be changed when running.
	setting := func(name, what string, set func(*rdma.RDMA) error, get func(*rdma.RDMA) (string, error), want string) Case {
		return rdmaCase("rdma/"+name, "The "+what+" can be set and read, and not be set when running.", Documented, func(t *T) {
			q := t.queuePair(t.dev(NeedRDMA), t.pe(), allRDMA)
			function := "doca_rdma_set_" + name
			t.must(function, set(q.rdma))
			got, err := get(q.rdma)
			t.must("doca_rdma_get_"+name, err)
			t.equal("doca_rdma_get_"+name, got, want)
			t.must("doca_ctx_start of an RDMA context", t.ctxStart(q.ctx))
			t.code(function+" when running", set(q.rdma), badState)
		})
	}
	return []Case{
		setting("permissions", "permissions", func(r *rdma.RDMA) error { return rdma.SetPermissions(r, uint32(rdmaRead|localRW)) },
			func(r *rdma.RDMA) (string, error) { v, err := rdma.GetPermissions(r); return fmt.Sprint(v), err }, fmt.Sprint(rdmaRead|localRW)),
		setting("max_num_connections", "number of connections", func(r *rdma.RDMA) error { return rdma.SetMaxNumConnections(r, 4) },
			func(r *rdma.RDMA) (string, error) { v, err := rdma.GetMaxNumConnections(r); return fmt.Sprint(v), err }, "4"),
		setting("gid_index", "index of the GID", func(r *rdma.RDMA) error { return rdma.SetGIDIndex(r, 0) },
			func(r *rdma.RDMA) (string, error) { v, err := rdma.GetGIDIndex(r); return fmt.Sprint(v), err }, "0"),
		setting("send_queue_size", "size of the send queue, which is rounded up to a power of two,", func(r *rdma.RDMA) error { return rdma.SetSendQueueSize(r, 100) },
			func(r *rdma.RDMA) (string, error) { v, err := rdma.GetSendQueueSize(r); return fmt.Sprint(v), err }, "128"),
		setting("mtu", "MTU", func(r *rdma.RDMA) error { return rdma.SetMTU(r, common.MTUSize1kBytes) },
			func(r *rdma.RDMA) (string, error) { v, err := rdma.GetMTU(r); return fmt.Sprint(int32(v)), err }, fmt.Sprint(int32(common.MTUSize1kBytes))),
		setting("transport_type", "transport", func(r *rdma.RDMA) error { return rdma.SetTransportType(r, rdma.TransportTypeRc) },
			func(r *rdma.RDMA) (string, error) {
				v, err := rdma.GetTransportType(r)
				return fmt.Sprint(int32(v)), err
			}, "0"),
		setting("rnr_retry_count", "number of tries without a receive", func(r *rdma.RDMA) error { return rdma.SetRNRRetryCount(r, 3) },
			func(r *rdma.RDMA) (string, error) { v, err := rdma.GetRNRRetryCount(r); return fmt.Sprint(v), err }, "3"),
		setting("sl", "service level", func(r *rdma.RDMA) error { return rdma.SetSL(r, 2) },
			func(r *rdma.RDMA) (string, error) { v, err := rdma.GetSL(r); return fmt.Sprint(v), err }, "2"),
		setting("connection_request_timeout", "time for a request for a connection", func(r *rdma.RDMA) error { return rdma.SetConnectionRequestTimeout(r, 1234) },
			func(r *rdma.RDMA) (string, error) {
				v, err := rdma.GetConnectionRequestTimeout(r)
				return fmt.Sprint(v), err
			}, "1234"),
		rdmaCase("rdma/permissions-of-pci", "A context has permissions for RDMA and for local access alone.", Documented, func(t *T) {
			t.code("doca_rdma_set_permissions with PCI_READ_WRITE", rdma.SetPermissions(t.bareRDMA(t.dev(NeedRDMA)), uint32(pciWrite)), invalid)
		}),
		rdmaCase("rdma/permissions-write-alone", "RDMA_WRITE alone is a permission of a context.", Measured, func(t *T) {
			t.code("doca_rdma_set_permissions with RDMA_WRITE", rdma.SetPermissions(t.bareRDMA(t.dev(NeedRDMA)), uint32(rdmaWrite)), success)
		}),
		rdmaCase("rdma/start", "A context starts at once, without a connection.", Samples, func(t *T) {
			q := t.queuePair(t.dev(NeedRDMA), t.pe(), allRDMA)
			t.code("doca_ctx_start of an RDMA context", t.ctxStart(q.ctx), success)
			t.equal("doca_ctx_start, changes of state", t.states(q.ctx), "0→2")
		}),
		rdmaCase("rdma/stop", "A context without tasks stops at once.", Samples, func(t *T) {
			q := t.queuePair(t.dev(NeedRDMA), t.pe(), allRDMA).start()
			t.code("doca_ctx_stop of an RDMA context", t.ctxStop(q.ctx), success)
		}),
		rdmaCase("rdma/destroy-running", "A running context is not destroyed.", Documented, func(t *T) {
			q := t.queuePair(t.dev(NeedRDMA), t.pe(), allRDMA).start()
			t.code("doca_rdma_destroy when running", rdma.Destroy(t.ring, q.rdma), badState)
		}),
		rdmaCase("rdma/tasks-when-running", "Tasks of a running context are not configured.", Documented, func(t *T) {
			q := t.queuePair(t.dev(NeedRDMA), t.pe(), allRDMA).start()
			t.code("doca_rdma_task_write_set_conf when running", rdma.TaskWriteSetConf(q.rdma, 1), badState)
			t.code("doca_rdma_task_receive_set_conf when running", rdma.TaskReceiveSetConf(q.rdma, 1), badState)
		}),
		rdmaCase("rdma/gid", "A device has at least one GID.", Documented, func(t *T) {
			n, err := rdma.CapGetGIDTableSize(t.info(NeedRDMA))
			t.must("doca_rdma_cap_get_gid_table_size", err)
			t.that("doca_rdma_cap_get_gid_table_size", "1 or more", n, n > 0)
			t.code("doca_rdma_cap_get_gid of the first", rdma.CapGetGID(t.info(NeedRDMA), 0, make([]rdma.GID, 1)), success)
			t.code("doca_rdma_cap_get_gid behind the last", rdma.CapGetGID(t.info(NeedRDMA), n, make([]rdma.GID, 1)), invalid)
		}),
		rdmaCase("rdma/largest-message", "A device names its longest message.", Documented, func(t *T) {
			n, err := rdma.CapGetMaxMessageSize(t.info(NeedRDMA))
			t.must("doca_rdma_cap_get_max_message_size", err)
			t.that("doca_rdma_cap_get_max_message_size", "1 or more", n, n > 0)
		}),
		rdmaCase("rdma/address-malformed", "An address is of its type.", Documented, func(t *T) {
			for _, a := range []struct {
				asked string
				kind  rdma.AddrType
				text  string
			}{{"of text as IPv4", rdma.AddrTypeIPv4, "bluefield"}, {"of IPv4 as IPv6", rdma.AddrTypeIPv6, "192.0.2.7"}, {"of IPv6 as IPv4", rdma.AddrTypeIPv4, "2001:db8::7"}} {
				addr, err := rdma.AddrCreate(a.kind, a.text, 13579)
				if !t.code("doca_rdma_addr_create "+a.asked, err, invalid) && err == nil {
					t.onEnd(func() { _ = rdma.AddrDestroy(t.ring, addr) })
				}
			}
		}),
		rdmaCase("rdma/listen-before-start", "A context listens, and connects to an address, when it runs.", Documented, func(t *T) {
			q := t.queuePair(t.dev(NeedRDMA), t.pe(), allRDMA)
			t.must("doca_rdma_set_connection_state_callbacks", rdma.SetConnectionStateCallbacks(q.rdma))
			addr, err := rdma.AddrCreate(rdma.AddrTypeIPv4, "192.0.2.7", 13579)
			t.must("doca_rdma_addr_create", err)
			t.onEnd(func() { _ = rdma.AddrDestroy(t.ring, addr) })
			t.code("doca_rdma_start_listen_to_port before doca_ctx_start", rdma.StartListenToPort(q.rdma, 13579), badState)
			t.code("doca_rdma_connect_to_addr before doca_ctx_start", rdma.ConnectToAddr(q.rdma, addr, 0), badState)
		}),
		rdmaCase("rdma/address", "An address has the parameters that it was made of.", Documented, func(t *T) {
			a, err := rdma.AddrCreate(rdma.AddrTypeIPv4, "192.0.2.7", 13579)
			t.must("doca_rdma_addr_create", err)
			t.onEnd(func() { _ = rdma.AddrDestroy(t.ring, a) })
			typ, text, port, err := rdma.AddrGetParams(a)
			t.must("doca_rdma_addr_get_params", err)
			t.equal("doca_rdma_addr_get_params", fmt.Sprint(int32(typ), " ", text, " ", port), "0 192.0.2.7 13579")
		}),
	}
}

func rdmaConnectCases() []Case {
	return []Case{
		rdmaCase("rdma/export-before-start", "Connection details are made after the start.", Documented, func(t *T) {
			_, _, err := rdma.Export(t.queuePair(t.dev(NeedRDMA), t.pe(), allRDMA).rdma)
			t.code("doca_rdma_export before the start", err, badState)
		}),
		rdmaCase("rdma/export-too-many", "There are as many connections as configured.", Documented, func(t *T) {
			q := t.queuePair(t.dev(NeedRDMA), t.pe(), allRDMA)
			t.must("doca_rdma_set_max_num_connections", rdma.SetMaxNumConnections(q.rdma, 2))
			q.start()
			_, _, err := rdma.Export(q.rdma)
			t.must("doca_rdma_export a second time", err)
			_, _, err = rdma.Export(q.rdma)
			t.code("doca_rdma_export of one more than configured", err, full)
		}),
		rdmaCase("rdma/connection-id", "Each connection of a context has a number of its own, at once.", Documented, func(t *T) {
			q := t.queuePair(t.dev(NeedRDMA), t.pe(), allRDMA)
			t.must("doca_rdma_set_max_num_connections", rdma.SetMaxNumConnections(q.rdma, 2))
			q.start()
			_, second, err := rdma.Export(q.rdma)
			t.must("doca_rdma_export a second time", err)
			a, err := rdma.ConnectionGetID(q.conn)
			t.must("doca_rdma_connection_get_id", err)
			b, err := rdma.ConnectionGetID(second)
			t.must("doca_rdma_connection_get_id", err)
			t.equal("doca_rdma_connection_get_id of two connections is the same", a == b, false)
		}),
		rdmaCase("rdma/connection-user-data", "User data of a connection can be set and read.", Documented, func(t *T) {
			q := t.queuePair(t.dev(NeedRDMA), t.pe(), allRDMA).start()
			t.must("doca_rdma_connection_set_user_data", rdma.ConnectionSetUserData(q.conn, 51))
			v, err := rdma.ConnectionGetUserData(q.conn)
			t.must("doca_rdma_connection_get_user_data", err)
			t.equal("doca_rdma_connection_get_user_data", uint64(v), 51)
		}),
		rdmaCase("rdma/connect-garbage", "What is no connection details is refused.", Documented, func(t *T) {
			q := t.queuePair(t.dev(NeedRDMA), t.pe(), allRDMA).start()
			err := rdma.Connect(q.rdma, []byte("these are no connection details at all, of whatever length"), q.conn)
			t.code("doca_rdma_connect with a text", err, invalid, aborted)
		}),
		rdmaCase("rdma/connect-twice", "A connection is connected once.", Documented, func(t *T) {
			a, b := t.loop(allRDMA)
			t.code("doca_rdma_connect a second time", rdma.Connect(a.rdma, b.blob, a.conn), badState)
		}),
		rdmaCase("rdma/write-before-peer-connects", "A task that is submitted before the peer connects is carried out when it has.", Measured, func(t *T) {
			dev, pe := t.dev(NeedRDMA), t.pe()
			a, b := t.queuePair(dev, pe, allRDMA).start(), t.queuePair(dev, pe, allRDMA).start()
			a.connect(b.blob, b.export())
			fill(a.mem[:64], 3)
			typed, err := rdma.TaskWriteAllocateInit(a.rdma, a.conn, t.full(a.inv, a.m, a.mem[:64]), t.emptyAt(a.inv, a.remote, a.at, 64), 1)
			t.must("doca_rdma_task_write_allocate_init", err)
			task, err := rdma.TaskWriteAsTask(typed)
			t.must("doca_rdma_task_write_as_task", err)
			a.submit(task)
			for range 100 {
				t.step()
			}
			b.connect(a.blob, a.export())
			t.await(rdma.KindTaskWriteSuccessfulTaskCompletion, 1, "doca_pe_progress", "a write has ended after the peer has connected")
			t.same("doca_rdma_task_write, the peer's memory", b.mem[:64], a.mem[:64])
		}),
		rdmaCase("rdma/stop-with-receives", "A context with receives is stopped by progress; the receives end in errors.", Samples, func(t *T) {
			q := t.queuePair(t.dev(NeedRDMA), t.pe(), allRDMA).start()
			for i := range 3 {
				q.receive(t.empty(q.inv, q.m, q.mem[i*64:][:64]))
			}
			t.code("doca_ctx_stop of a context with receives", t.ctxStop(q.ctx), inProgress)
			t.await(rdma.KindTaskReceiveErrorTaskCompletion, 3, "doca_pe_progress", "three receives have ended in errors")
			q.free()
			t.wait("doca_pe_progress", "the context is idle", func() bool { return t.state(q.ctx) == common.CtxStateIdle })
		}),
	}
}

func rdmaTaskCases() []Case {
	return []Case{
		rdmaCase("rdma/write", "A write moves the source's data to the peer's memory.", Measured, func(t *T) {
			a, b := t.loop(allRDMA)
			fill(a.mem[:4096], 21)
			t.equal("doca_task_get_status of a write", a.write(4096, 8192), success)
			t.same("doca_rdma_task_write, the peer's memory", b.mem[8192:12288], a.mem[:4096])
		}),
		rdmaCase("rdma/write-empty", "A write of a source without data succeeds and moves nothing.", Measured, func(t *T) {
			a, b := t.loop(allRDMA)
			fill(a.mem[:64], 21)
			typed, err := rdma.TaskWriteAllocateInit(a.rdma, a.conn, t.empty(a.inv, a.m, a.mem[:64]), t.emptyAt(a.inv, a.remote, a.at, 64), 1)
			t.must("doca_rdma_task_write_allocate_init", err)
			task, err := rdma.TaskWriteAsTask(typed)
			t.must("doca_rdma_task_write_as_task", err)
			a.run(task, rdma.KindTaskWriteSuccessfulTaskCompletion, rdma.KindTaskWriteErrorTaskCompletion)
			t.equal("doca_task_get_status of a write without data", statusOf(task), success)
			t.same("doca_rdma_task_write without data, the peer's memory", b.mem[:64], make([]byte, 64))
		}),
		rdmaCase("rdma/read", "A read moves the peer's memory to the destination, whose data grows.", Documented, func(t *T) {
			a, b := t.loop(allRDMA)
			fill(b.mem[:4096], 22)
			dst := t.empty(a.inv, a.m, a.mem[8192:12288])
			typed, status := a.read(dst, 4096, 0)
			t.equal("doca_task_get_status of a read", status, success)
			t.same("doca_rdma_task_read, the destination", a.mem[8192:12288], b.mem[:4096])
			t.equal("doca_buf_get_data_len of the destination", t.dataLen(dst), 4096)
			n, err := rdma.TaskReadGetResultLen(typed)
			t.must("doca_rdma_task_read_get_result_len", err)
			t.equal("doca_rdma_task_read_get_result_len", n, 4096)
		}),
		rdmaCase("rdma/send", "A message comes into the buffer that the peer has posted.", Documented, func(t *T) {
			a, b := t.loop(allRDMA)
			dst := t.empty(b.inv, b.m, b.mem[:1024])
			typed := b.receive(dst)
			fill(a.mem[:100], 23)
			a.send(a.mem[:100])
			b.received(typed)
			t.same("doca_rdma_task_receive, the data", b.mem[:100], a.mem[:100])
			t.equal("doca_buf_get_data_len of the receive", t.dataLen(dst), 100)
			n, err := rdma.TaskReceiveGetResultLen(typed)
			t.must("doca_rdma_task_receive_get_result_len", err)
			t.equal("doca_rdma_task_receive_get_result_len", n, 100)
			op, err := rdma.TaskReceiveGetResultOpcode(typed)
			t.must("doca_rdma_task_receive_get_result_opcode", err)
			t.equal("doca_rdma_task_receive_get_result_opcode of a message", int32(op), int32(rdma.OpcodeRecvSend))
			t.await(rdma.KindTaskSendSuccessfulTaskCompletion, 1, "doca_pe_progress", "a send has ended")
		}),
		rdmaCase("rdma/send-before-receive", "A message that finds no receive waits until there is one.", Samples, func(t *T) {
			a, b := t.loop(allRDMA)
			fill(a.mem[:100], 24)
			a.send(a.mem[:100])
			for range 100 {
				t.step()
			}
			t.equal("doca_pe_progress before a receive is posted, failed sends", len(t.of(rdma.KindTaskSendErrorTaskCompletion)), 0)
			b.received(b.receive(t.empty(b.inv, b.m, b.mem[:1024])))
			t.same("doca_rdma_task_receive, the data", b.mem[:100], a.mem[:100])
		}),
		rdmaCase("rdma/send-order", "Messages of a connection come in the order of their submission.", Documented, func(t *T) {
			a, b := t.loop(allRDMA)
			var typed []*rdma.TaskReceive
			for i := range queuePairTasks {
				typed = append(typed, b.receive(t.empty(b.inv, b.m, b.mem[i*64:][:64])))
			}
			for i := range queuePairTasks {
				a.mem[i*64] = byte(i + 1)
				a.send(a.mem[i*64:][:64])
			}
			for i := range queuePairTasks {
				b.received(typed[i])
				t.equal(fmt.Sprintf("doca_rdma_task_receive, receive %d has message", i), b.mem[i*64], i+1)
			}
		}),
		rdmaCase("rdma/send-immediate", "Immediate data of a message is what was given, as bytes.", Documented, func(t *T) {
			a, b := t.loop(allRDMA)
			r := b.receive(t.empty(b.inv, b.m, b.mem[:64]))
			imm := binary.NativeEndian.Uint32([]byte{1, 2, 3, 4})
			typed, err := rdma.TaskSendImmAllocateInit(a.rdma, a.conn, t.full(a.inv, a.m, a.mem[:64]), imm, 1)
			t.must("doca_rdma_task_send_imm_allocate_init", err)
			task, err := rdma.TaskSendImmAsTask(typed)
			t.must("doca_rdma_task_send_imm_as_task", err)
			a.submit(task)
			b.received(r)
			got, err := rdma.TaskReceiveGetResultImmediateData(r)
			t.must("doca_rdma_task_receive_get_result_immediate_data", err)
			t.equal("doca_rdma_task_receive_get_result_immediate_data", got, imm)
			op, err := rdma.TaskReceiveGetResultOpcode(r)
			t.must("doca_rdma_task_receive_get_result_opcode", err)
			t.equal("doca_rdma_task_receive_get_result_opcode of a message with immediate data", int32(op), int32(rdma.OpcodeRecvSendWithImm))
		}),
		rdmaCase("rdma/write-immediate", "A write with immediate data takes a receive of the peer, after the data is there.", Documented, func(t *T) {
			a, b := t.loop(allRDMA)
			r := b.receive(nil)
			fill(a.mem[:512], 25)
			typed, err := rdma.TaskWriteImmAllocateInit(a.rdma, a.conn, t.full(a.inv, a.m, a.mem[:512]), t.emptyAt(a.inv, a.remote, a.at+1024, 512), 77, 1)
			t.must("doca_rdma_task_write_imm_allocate_init", err)
			task, err := rdma.TaskWriteImmAsTask(typed)
			t.must("doca_rdma_task_write_imm_as_task", err)
			a.submit(task)
			b.received(r)
			t.same("doca_rdma_task_write_imm, the peer's memory at its receive", b.mem[1024:1536], a.mem[:512])
			op, err := rdma.TaskReceiveGetResultOpcode(r)
			t.must("doca_rdma_task_receive_get_result_opcode", err)
			t.equal("doca_rdma_task_receive_get_result_opcode of a write with immediate data", int32(op), int32(rdma.OpcodeRecvWriteWithImm))
		}),
		rdmaCase("rdma/fetch-and-add", "An atomic addition changes 8 bytes of the peer, and returns what they were.", Documented, func(t *T) {
			a, b := t.loop(allRDMA)
			binary.NativeEndian.PutUint64(b.mem, 40)
			typed, err := rdma.TaskAtomicFetchAddAllocateInit(a.rdma, a.conn, t.fullAt(a.inv, a.remote, a.at, 8), t.empty(a.inv, a.m, a.mem[:8]), 2, 1)
			t.must("doca_rdma_task_atomic_fetch_add_allocate_init", err)
			task, err := rdma.TaskAtomicFetchAddAsTask(typed)
			t.must("doca_rdma_task_atomic_fetch_add_as_task", err)
			a.run(task, rdma.KindTaskAtomicFetchAddSuccessfulTaskCompletion, rdma.KindTaskAtomicFetchAddErrorTaskCompletion)
			t.equal("doca_rdma_task_atomic_fetch_add, the peer's word", binary.NativeEndian.Uint64(b.mem), 42)
			t.equal("doca_rdma_task_atomic_fetch_add, the word before", binary.NativeEndian.Uint64(a.mem), 40)
		}),
		rdmaCase("rdma/compare-and-swap", "An atomic exchange changes 8 bytes of the peer if they are as expected, and returns what they were.", Documented, func(t *T) {
			a, b := t.loop(allRDMA)
			swap := func(expected, value, want, before uint64) {
				typed, err := rdma.TaskAtomicCmpSwpAllocateInit(a.rdma, a.conn, t.fullAt(a.inv, a.remote, a.at, 8), t.empty(a.inv, a.m, a.mem[:8]), expected, value, 1)
				t.must("doca_rdma_task_atomic_cmp_swp_allocate_init", err)
				task, err := rdma.TaskAtomicCmpSwpAsTask(typed)
				t.must("doca_rdma_task_atomic_cmp_swp_as_task", err)
				a.run(task, rdma.KindTaskAtomicCmpSwpSuccessfulTaskCompletion, rdma.KindTaskAtomicCmpSwpErrorTaskCompletion)
				t.equal(fmt.Sprintf("doca_rdma_task_atomic_cmp_swp of %d expecting %d, the peer's word", before, expected), binary.NativeEndian.Uint64(b.mem), want)
				t.equal(fmt.Sprintf("doca_rdma_task_atomic_cmp_swp of %d expecting %d, the word before", before, expected), binary.NativeEndian.Uint64(a.mem), before)
			}
			binary.NativeEndian.PutUint64(b.mem, 5)
			swap(5, 6, 6, 5)
			swap(5, 7, 6, 6)
		}),
		rdmaCase("rdma/write-not-permitted", "A write that the peer's context does not permit fails, and its memory is left alone.", Documented, func(t *T) {
			a, b := t.loop(localRW | rdmaRead)
			fill(a.mem[:64], 26)
			status := a.write(64, 0)
			t.that("doca_task_get_status of a write that is not permitted", "an error", status, status != success)
			t.equal("doca_rdma_task_write that is not permitted, the peer's memory is as it was", bytes.Equal(b.mem[:64], make([]byte, 64)), true)
		}),
		rdmaCase("rdma/failure-stops", "After a failed task the context stops.", Documented, func(t *T) {
			a, _ := t.loop(localRW | rdmaRead)
			status := a.write(64, 0)
			t.that("doca_task_get_status of a write that is not permitted", "an error", status, status != success)
			t.wait("doca_ctx_get_state after a failed task", "STOPPING or IDLE", func() bool { return t.state(a.ctx) != common.CtxStateRunning })
		}),
		rdmaCase("rdma/pool-of-tasks", "A context has as many tasks of a kind as configured.", Documented, func(t *T) {
			q := t.queuePair(t.dev(NeedRDMA), t.pe(), allRDMA).start()
			for range queuePairTasks {
				typed, err := rdma.TaskReceiveAllocateInit(q.rdma, nil, 1)
				t.must("doca_rdma_task_receive_allocate_init", err)
				task, err := rdma.TaskReceiveAsTask(typed)
				t.must("doca_rdma_task_receive_as_task", err)
				q.tasks = append(q.tasks, task)
			}
			_, err := rdma.TaskReceiveAllocateInit(q.rdma, nil, 1)
			t.code("doca_rdma_task_receive_allocate_init of one more than configured", err, noMemory)
		}),
	}
}

func rdmaPairCases() []Case {
	// joined connects the two sides; both call it.
	joined := func(t *T) *queuePair {
		q := t.queuePair(t.dev(NeedRDMA), t.pe(), allRDMA).start()
		t.tell("connection", q.blob)
		t.tell("memory", q.export())
		blob := t.hear("connection")
		q.connect(blob, t.hear("memory"))
		t.tell("connected")
		t.hear("connected")
		return q
	}
	pair := func(name, rule string, run, peer func(*T, *queuePair)) Case {
		return Case{Name: name, Library: "rdma", Rule: rule, Source: Measured, Needs: needs(NeedRDMA), PeerNeeds: needs(NeedRDMA),
			Run: func(t *T) { run(t, joined(t)) }, Peer: func(t *T) { peer(t, joined(t)) }}
	}
	return []Case{
		pair("rdma/peer-write", "A write reaches the memory of the other side, whose program does nothing.", func(t *T, q *queuePair) {
			fill(q.mem[:4096], 31)
			t.equal("doca_task_get_status of a write", q.write(4096, 0), success)
			t.tell("written")
			t.hear("done")
		}, func(t *T, q *queuePair) {
			t.hear("written")
			want := make([]byte, 4096)
			fill(want, 31)
			t.same("doca_rdma_task_write, this side's memory", q.mem[:4096], want)
			t.tell("done")
		}),
		pair("rdma/peer-read", "A read fetches the memory of the other side, whose program does nothing.", func(t *T, q *queuePair) {
			t.hear("filled")
			want := make([]byte, 4096)
			fill(want, 32)
			_, status := q.read(t.empty(q.inv, q.m, q.mem[:4096]), 4096, 0)
			t.equal("doca_task_get_status of a read", status, success)
			t.same("doca_rdma_task_read, the destination", q.mem[:4096], want)
			t.tell("done")
		}, func(t *T, q *queuePair) {
			fill(q.mem[:4096], 32)
			t.tell("filled")
			t.hear("done")
		}),
		pair("rdma/peer-send", "Messages go both ways.", func(t *T, q *queuePair) { ping(t, q, 41, 42) }, func(t *T, q *queuePair) { ping(t, q, 42, 41) }),
	}
}

// ping sends a message to the other side, and receives its.
func ping(t *T, q *queuePair, own, other byte) {
	r := q.receive(t.empty(q.inv, q.m, q.mem[:256]))
	fill(q.mem[1024:1280], own)
	q.send(q.mem[1024:1280])
	q.received(r)
	want := make([]byte, 256)
	fill(want, other)
	t.same("doca_rdma_task_receive, the message of the other side", q.mem[:256], want)
	t.await(rdma.KindTaskSendSuccessfulTaskCompletion, 1, "doca_pe_progress", "a send has ended")
	t.tell("done")
	t.hear("done")
}
