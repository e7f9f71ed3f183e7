// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"fmt"

	"github.com/go-doca/go-doca/generated/common"
	"github.com/go-doca/go-doca/generated/dma"
)

func dmaListCases() []Case {
	// list makes a list of buffers of the lengths, one behind another from a place on.
	list := func(t *T, c *copier, at int, full bool, lengths ...int) *common.Buf {
		var head *common.Buf
		for _, n := range lengths {
			get := common.BufInventoryBufGetByAddr
			if full {
				get = common.BufInventoryBufGetByData
			}
			b, err := get(c.inv, c.m, address(c.mem[at:]), uint64(n))
			t.must("doca_buf_inventory_buf_get_by_addr or _data", err)
			at += n
			if head == nil {
				head = b
				t.drop(b)
			} else {
				t.must("doca_buf_chain_list", common.BufChainList(head, b))
			}
		}
		return head
	}
	run := func(from, to []int) func(*T) {
		return func(t *T) {
			n, err := dma.CapTaskMemcpyGetMaxBufListLen(t.info(NeedDMA))
			t.must("doca_dma_cap_task_memcpy_get_max_buf_list_len", err)
			if int(n) < len(from)+len(to) {
				t.skip("the device takes lists of %d buffers at most", n)
			}
			total, room := 0, 0
			for _, n := range from {
				total += n
			}
			for _, n := range to {
				room += n
			}
			c := t.copier(1)
			c.start()
			fill(c.mem[:total], 7)
			src, dst := list(t, c, 0, true, from...), list(t, c, copierHalf, false, to...)
			c.copies(c.copyBetween(src, dst, c.mem[:total], c.mem[copierHalf:][:total]).submit())
			// The data lengths of the destination's members are what they have room for, until all is placed.
			left, b := total, dst
			for i, n := range to {
				want := min(left, n)
				left -= want
				t.equal(fmt.Sprintf("doca_buf_get_data_len of member %d of the destination", i), t.dataLen(b), want)
				b, err = common.BufGetNextInList(b)
				t.must("doca_buf_get_next_in_list", err)
			}
		}
	}
	return of("dma", []Case{
		{Name: "dma/list-to-buffer", Rule: "A list is copied into one buffer.", Source: Samples, Needs: needs(NeedDMA), Run: run([]int{100, 50, 7}, []int{157})},
		{Name: "dma/buffer-to-list", Rule: "One buffer is copied into a list.", Source: Samples, Needs: needs(NeedDMA), Run: run([]int{157}, []int{100, 50, 7})},
		{Name: "dma/list-to-list", Rule: "Lists of source and destination may be cut in different ways.", Source: Samples, Needs: needs(NeedDMA), Run: run([]int{100, 50, 7}, []int{10, 140, 3, 4})},
		{Name: "dma/list-with-room", Rule: "Members of the destination that are not needed stay empty.", Source: Samples, Needs: needs(NeedDMA), Run: run([]int{100}, []int{60, 60, 60})},
	})
}
