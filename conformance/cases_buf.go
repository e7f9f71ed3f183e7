// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"fmt"

	"github.com/go-doca/go-doca/generated/common"
)

// fields are what a buffer says of itself.
func (t *T) fields(b *common.Buf) string {
	head, err := common.BufGetHead(b)
	t.must("doca_buf_get_head", err)
	n, err := common.BufGetLen(b)
	t.must("doca_buf_get_len", err)
	data, err := common.BufGetData(b)
	t.must("doca_buf_get_data", err)
	return fmt.Sprintf("length %d, data %+d, data length %d", n, int64(data)-int64(head), t.dataLen(b))
}

func bufCases() []Case {
	return of("common", []Case{
		{
			Name: "buf/by-addr", Rule: "A buffer by address has its data at its head, and no data.", Source: Observed,
			Run: func(t *T) {
				m, mem := t.mapped(nil, 4096, -1)
				t.equal("doca_buf_inventory_buf_get_by_addr of 100 bytes", t.fields(t.empty(t.inventory(1), m, mem[:100])), "length 100, data +0, data length 0")
			},
		},
		{
			Name: "buf/by-data", Rule: "A buffer by data is all data.", Source: Observed,
			Run: func(t *T) {
				m, mem := t.mapped(nil, 4096, -1)
				t.equal("doca_buf_inventory_buf_get_by_data of 100 bytes", t.fields(t.full(t.inventory(1), m, mem[:100])), "length 100, data +0, data length 100")
			},
		},
		{
			Name: "buf/by-args", Rule: "A buffer by arguments has the data that is given.", Source: Observed,
			Run: func(t *T) {
				m, mem := t.mapped(nil, 4096, -1)
				b, err := common.BufInventoryBufGetByArgs(t.inventory(1), m, address(mem), 100, address(mem)+10, 20)
				t.must("doca_buf_inventory_buf_get_by_args", err)
				t.drop(b)
				t.equal("doca_buf_inventory_buf_get_by_args", t.fields(b), "length 100, data +10, data length 20")
			},
		},
		{
			Name: "buf/head", Rule: "The head of a buffer is the address that was given.", Source: Documented,
			Run: func(t *T) {
				m, mem := t.mapped(nil, 4096, -1)
				head, err := common.BufGetHead(t.empty(t.inventory(1), m, mem[64:128]))
				t.must("doca_buf_get_head", err)
				t.equal("doca_buf_get_head", head, address(mem[64:]))
			},
		},
		{
			Name: "buf/set-data", Rule: "The data of a buffer is set within it.", Source: Documented,
			Run: func(t *T) {
				m, mem := t.mapped(nil, 4096, -1)
				b := t.empty(t.inventory(1), m, mem[:100])
				t.must("doca_buf_set_data", common.BufSetData(b, address(mem)+8, 16))
				t.equal("doca_buf_set_data at 8 of 16 bytes", t.fields(b), "length 100, data +8, data length 16")
			},
		},
		{
			Name: "buf/set-data-outside", Rule: "The data of a buffer is set as given, also where the buffer is not: the task fails, if there is one.", Source: Observed,
			Run: func(t *T) {
				m, mem := t.mapped(nil, 4096, -1)
				b := t.empty(t.inventory(1), m, mem[:100])
				t.must("doca_buf_set_data beyond the buffer", common.BufSetData(b, address(mem)+200, 50))
				t.equal("doca_buf_set_data at 200 of 50 bytes", t.fields(b), "length 100, data +200, data length 50")
			},
		},
		{
			Name: "buf/before-start", Rule: "A buffer is taken before its inventory and its map are started.", Source: Observed,
			Run: func(t *T) {
				mem := t.memory(4096)
				inv, err := common.BufInventoryCreate(2)
				t.must("doca_buf_inventory_create", err)
				t.onEnd(func() { _ = common.BufInventoryDestroy(t.ring, inv) })
				m := t.mmap()
				b, err := common.BufInventoryBufGetByAddr(inv, m, address(mem), 100)
				if t.code("doca_buf_inventory_buf_get_by_addr with a map and an inventory that are not started", err, success) {
					t.drop(b)
				}
				t.must("doca_buf_inventory_start", common.BufInventoryStart(t.ring, inv))
				b, err = common.BufInventoryBufGetByData(inv, m, address(mem), 100)
				if t.code("doca_buf_inventory_buf_get_by_data with a map that is not started", err, success) {
					t.drop(b)
				}
			},
		},
		{
			Name: "buf/outside-of-map", Rule: "A buffer is taken where its map is not: the task fails, if there is one.", Source: Observed,
			Run: func(t *T) {
				m, mem := t.mapped(nil, 4096, -1)
				b, err := common.BufInventoryBufGetByAddr(t.inventory(1), m, address(mem)+5000, 100)
				if t.code("doca_buf_inventory_buf_get_by_addr beyond the memory of the map", err, success) {
					t.drop(b)
				}
			},
		},
		{
			Name: "buf/set-data-length", Rule: "The data length is set alone.", Source: Documented,
			Run: func(t *T) {
				m, mem := t.mapped(nil, 4096, -1)
				b := t.empty(t.inventory(1), m, mem[:100])
				t.must("doca_buf_set_data_len", common.BufSetDataLen(b, 33))
				t.equal("doca_buf_set_data_len with 33", t.fields(b), "length 100, data +0, data length 33")
			},
		},
		{
			Name: "buf/reset-data-length", Rule: "A reset of the data length leaves where the data begins.", Source: Documented,
			Run: func(t *T) {
				m, mem := t.mapped(nil, 4096, -1)
				b := t.empty(t.inventory(1), m, mem[:100])
				t.must("doca_buf_set_data", common.BufSetData(b, address(mem)+8, 16))
				t.must("doca_buf_reset_data_len", common.BufResetDataLen(b))
				t.equal("doca_buf_reset_data_len", t.fields(b), "length 100, data +8, data length 0")
			},
		},
		{
			Name: "buf/increment", Rule: "doca_buf_inc_refcount returns the count before.", Source: Observed,
			Run: func(t *T) {
				m, mem := t.mapped(nil, 4096, -1)
				b := t.empty(t.inventory(1), m, mem)
				n, err := common.BufIncRefcount(b)
				t.must("doca_buf_inc_refcount", err)
				t.equal("doca_buf_inc_refcount", n, 1)
				n, err = common.BufGetRefcount(b)
				t.must("doca_buf_get_refcount", err)
				t.equal("doca_buf_get_refcount after it", n, 2)
				_, _ = common.BufDecRefcount(b)
			},
		},
		{
			Name: "buf/decrement", Rule: "doca_buf_dec_refcount returns the count before.", Source: Observed,
			Run: func(t *T) {
				m, mem := t.mapped(nil, 4096, -1)
				b := t.empty(t.inventory(1), m, mem)
				_, err := common.BufIncRefcount(b)
				t.must("doca_buf_inc_refcount", err)
				n, err := common.BufDecRefcount(b)
				t.must("doca_buf_dec_refcount", err)
				t.equal("doca_buf_dec_refcount of 2", n, 2)
			},
		},
		{
			Name: "buf/last-reference", Rule: "A buffer without references is in its inventory again.", Source: Documented,
			Run: func(t *T) {
				m, mem := t.mapped(nil, 4096, -1)
				inv := t.inventory(1)
				b, err := common.BufInventoryBufGetByAddr(inv, m, address(mem), 64)
				t.must("doca_buf_inventory_buf_get_by_addr", err)
				n, err := common.BufDecRefcount(b)
				t.must("doca_buf_dec_refcount", err)
				t.equal("doca_buf_dec_refcount of the last reference", n, 1)
				free, err := common.BufInventoryGetNumFreeElements(inv)
				t.must("doca_buf_inventory_get_num_free_elements", err)
				t.equal("doca_buf_inventory_get_num_free_elements after it", free, 1)
			},
		},
		{
			Name: "buf/too-many-references", Rule: "A buffer has at most 65535 references.", Source: Documented,
			Run: func(t *T) {
				m, mem := t.mapped(nil, 4096, -1)
				b := t.empty(t.inventory(1), m, mem)
				for range 65534 {
					if _, err := common.BufIncRefcount(b); err != nil {
						t.must("doca_buf_inc_refcount up to 65535", err)
					}
				}
				_, err := common.BufIncRefcount(b)
				t.code("doca_buf_inc_refcount of 65535", err, tooBig)
				for range 65534 {
					_, _ = common.BufDecRefcount(b)
				}
			},
		},
		{
			Name: "buf/not-in-a-list", Rule: "A buffer alone is in no list.", Source: Documented,
			Run: func(t *T) {
				m, mem := t.mapped(nil, 4096, -1)
				b := t.empty(t.inventory(1), m, mem)
				in, err := common.BufIsInList(b)
				t.must("doca_buf_is_in_list", err)
				t.equal("doca_buf_is_in_list of a buffer alone", in, false)
				n, err := common.BufGetListLen(b)
				t.must("doca_buf_get_list_len", err)
				t.equal("doca_buf_get_list_len of a buffer alone", n, 1)
				next, err := common.BufGetNextInList(b)
				t.must("doca_buf_get_next_in_list", err)
				t.equal("doca_buf_get_next_in_list of a buffer alone", next == nil, true)
			},
		},
		{
			Name: "buf/duplicate", Rule: "A duplicate describes the same bytes.", Source: Documented,
			Run: func(t *T) {
				m, mem := t.mapped(nil, 4096, -1)
				inv := t.inventory(2)
				b := t.empty(inv, m, mem[:100])
				t.must("doca_buf_set_data", common.BufSetData(b, address(mem)+8, 16))
				d, err := common.BufInventoryBufDup(inv, b)
				t.must("doca_buf_inventory_buf_dup", err)
				t.drop(d)
				t.equal("doca_buf_inventory_buf_dup", t.fields(d), t.fields(b))
				head, err := common.BufGetHead(d)
				t.must("doca_buf_get_head", err)
				t.equal("doca_buf_inventory_buf_dup, the head", head, address(mem))
			},
		},
	})
}

// chain makes a list of n buffers without data, of 64 bytes each.
func (t *T) chain(inv *common.BufInventory, m *common.Mmap, mem []byte, n int) []*common.Buf {
	var list []*common.Buf
	for i := range n {
		b, err := common.BufInventoryBufGetByAddr(inv, m, address(mem[i*64:]), 64)
		t.must("doca_buf_inventory_buf_get_by_addr", err)
		list = append(list, b)
		if i > 0 {
			t.must("doca_buf_chain_list", common.BufChainList(list[0], b))
		}
	}
	t.drop(list[0])
	return list
}

func bufListCases() []Case {
	return of("common", []Case{
		{
			Name: "list/length", Rule: "A list has as many members as were chained, counted from its head.", Source: Observed,
			Run: func(t *T) {
				m, mem := t.mapped(nil, 4096, -1)
				n, err := common.BufGetListLen(t.chain(t.inventory(3), m, mem, 3)[0])
				t.must("doca_buf_get_list_len", err)
				t.equal("doca_buf_get_list_len of the head of 3", n, 3)
			},
		},
		{
			Name: "list/length-from-member", Rule: "The length of a list, asked of a member, counts from there.", Source: Observed,
			Run: func(t *T) {
				m, mem := t.mapped(nil, 4096, -1)
				n, err := common.BufGetListLen(t.chain(t.inventory(3), m, mem, 3)[1])
				t.must("doca_buf_get_list_len of a member", err)
				t.equal("doca_buf_get_list_len of the second of 3", n, 2)
			},
		},
		{
			Name: "list/order", Rule: "The members follow each other in the order in which they were chained.", Source: Documented,
			Run: func(t *T) {
				m, mem := t.mapped(nil, 4096, -1)
				list := t.chain(t.inventory(3), m, mem, 3)
				for i, b := range list {
					next, err := common.BufGetNextInList(b)
					t.must("doca_buf_get_next_in_list", err)
					t.equal(fmt.Sprintf("doca_buf_get_next_in_list of member %d", i), next == nil, i == 2)
					if i < 2 {
						t.equal(fmt.Sprintf("doca_buf_get_next_in_list of member %d is the next one", i), next == list[i+1], true)
					}
				}
			},
		},
		{
			Name: "list/last", Rule: "The last member is found from the head and from a member.", Source: Observed,
			Run: func(t *T) {
				m, mem := t.mapped(nil, 4096, -1)
				list := t.chain(t.inventory(3), m, mem, 3)
				for i, b := range list {
					last, err := common.BufGetLastInList(b)
					t.must("doca_buf_get_last_in_list", err)
					t.equal(fmt.Sprintf("doca_buf_get_last_in_list of member %d is the third", i), last == list[2], true)
				}
			},
		},
		{
			Name: "list/places", Rule: "Each member knows whether it is the first or the last.", Source: Documented,
			Run: func(t *T) {
				m, mem := t.mapped(nil, 4096, -1)
				for i, b := range t.chain(t.inventory(3), m, mem, 3) {
					in, err := common.BufIsInList(b)
					t.must("doca_buf_is_in_list", err)
					first, err := common.BufIsFirstInList(b)
					t.must("doca_buf_is_first_in_list", err)
					last, err := common.BufIsLastInList(b)
					t.must("doca_buf_is_last_in_list", err)
					t.equal(fmt.Sprintf("doca_buf_is_first_in_list and others of member %d: in, first, last", i), fmt.Sprint(in, first, last), fmt.Sprint(true, i == 0, i == 2))
				}
			},
		},
		{
			Name: "list/chain-tail", Rule: "A list is chained behind a known tail.", Source: Documented,
			Run: func(t *T) {
				m, mem := t.mapped(nil, 4096, -1)
				inv := t.inventory(3)
				list := t.chain(inv, m, mem, 2)
				b, err := common.BufInventoryBufGetByAddr(inv, m, address(mem[512:]), 64)
				t.must("doca_buf_inventory_buf_get_by_addr", err)
				t.must("doca_buf_chain_list_tail", common.BufChainListTail(list[0], list[1], b))
				n, err := common.BufGetListLen(list[0])
				t.must("doca_buf_get_list_len", err)
				t.equal("doca_buf_get_list_len after doca_buf_chain_list_tail", n, 3)
			},
		},
		{
			Name: "list/chain-shared", Rule: "A list with a second reference is not chained.", Source: Documented,
			Run: func(t *T) {
				m, mem := t.mapped(nil, 4096, -1)
				inv := t.inventory(2)
				a, b := t.empty(inv, m, mem[:64]), t.empty(inv, m, mem[64:128])
				_, err := common.BufIncRefcount(b)
				t.must("doca_buf_inc_refcount", err)
				t.code("doca_buf_chain_list of a list with 2 references", common.BufChainList(a, b), notPermitted)
				_, _ = common.BufDecRefcount(b)
			},
		},
		{
			Name: "list/chain-member", Rule: "Heads of lists alone are chained.", Source: Documented,
			Run: func(t *T) {
				m, mem := t.mapped(nil, 4096, -1)
				inv := t.inventory(3)
				list := t.chain(inv, m, mem, 2)
				b := t.empty(inv, m, mem[512:576])
				t.code("doca_buf_chain_list behind a member", common.BufChainList(list[1], b), notPermitted)
			},
		},
		{
			Name: "list/unchain", Rule: "A list is cut before a member, which is the head of the rest.", Source: Observed,
			Run: func(t *T) {
				m, mem := t.mapped(nil, 4096, -1)
				list := t.chain(t.inventory(3), m, mem, 3)
				t.must("doca_buf_unchain_list", common.BufUnchainList(list[0], list[1]))
				t.drop(list[1])
				a, err := common.BufGetListLen(list[0])
				t.must("doca_buf_get_list_len", err)
				b, err := common.BufGetListLen(list[1])
				t.must("doca_buf_get_list_len", err)
				t.equal("doca_buf_unchain_list of 3 at the second, the lengths", fmt.Sprint(a, " and ", b), "1 and 2")
			},
		},
		{
			Name: "list/unchain-stranger", Rule: "A list is not cut at a buffer that is not of it.", Source: Documented,
			Run: func(t *T) {
				m, mem := t.mapped(nil, 4096, -1)
				inv := t.inventory(3)
				list := t.chain(inv, m, mem, 2)
				t.code("doca_buf_unchain_list at a buffer of no list", common.BufUnchainList(list[0], t.empty(inv, m, mem[512:576])), invalid)
			},
		},
		{
			Name: "list/decrement-member", Rule: "A member that is not the head is not given back.", Source: Observed,
			Run: func(t *T) {
				m, mem := t.mapped(nil, 4096, -1)
				_, err := common.BufDecRefcount(t.chain(t.inventory(2), m, mem, 2)[1])
				t.code("doca_buf_dec_refcount of a member", err, notPermitted)
			},
		},
		{
			Name: "list/increment-member", Rule: "A member that is not the head gets no further reference.", Source: Documented,
			Run: func(t *T) {
				m, mem := t.mapped(nil, 4096, -1)
				_, err := common.BufIncRefcount(t.chain(t.inventory(2), m, mem, 2)[1])
				t.code("doca_buf_inc_refcount of a member", err, notPermitted)
			},
		},
		{
			Name: "list/give-back", Rule: "With the head the whole list is given back.", Source: Observed,
			Run: func(t *T) {
				m, mem := t.mapped(nil, 4096, -1)
				inv := t.inventory(3)
				var head *common.Buf
				for i := range 3 {
					b, err := common.BufInventoryBufGetByAddr(inv, m, address(mem[i*64:]), 64)
					t.must("doca_buf_inventory_buf_get_by_addr", err)
					if i == 0 {
						head = b
					} else {
						t.must("doca_buf_chain_list", common.BufChainList(head, b))
					}
				}
				_, err := common.BufDecRefcount(head)
				t.must("doca_buf_dec_refcount of the head", err)
				n, err := common.BufInventoryGetNumFreeElements(inv)
				t.must("doca_buf_inventory_get_num_free_elements", err)
				t.equal("doca_buf_inventory_get_num_free_elements after the head of 3 was given back", n, 3)
			},
		},
		{
			Name: "list/duplicate", Rule: "The duplicate of a head is a list of as many members.", Source: Observed,
			Run: func(t *T) {
				m, mem := t.mapped(nil, 4096, -1)
				inv := t.inventory(6)
				d, err := common.BufInventoryBufDup(inv, t.chain(inv, m, mem, 3)[0])
				t.must("doca_buf_inventory_buf_dup of a list of 3", err)
				t.drop(d)
				n, err := common.BufGetListLen(d)
				t.must("doca_buf_get_list_len", err)
				t.equal("doca_buf_get_list_len of the duplicate of 3", n, 3)
			},
		},
		{
			Name: "list/duplicate-member", Rule: "A member that is not the head is not duplicated.", Source: Observed,
			Run: func(t *T) {
				m, mem := t.mapped(nil, 4096, -1)
				inv := t.inventory(6)
				_, err := common.BufInventoryBufDup(inv, t.chain(inv, m, mem, 3)[1])
				t.code("doca_buf_inventory_buf_dup of a member", err, notPermitted)
			},
		},
		{
			Name: "list/duplicate-short", Rule: "A list is duplicated as a whole or not at all.", Source: Observed,
			Run: func(t *T) {
				m, mem := t.mapped(nil, 4096, -1)
				inv := t.inventory(5)
				list := t.chain(inv, m, mem, 3)
				_, err := common.BufInventoryBufDup(inv, list[0])
				t.code("doca_buf_inventory_buf_dup of 3 with 2 free", err, noMemory)
				n, err := common.BufInventoryGetNumFreeElements(inv)
				t.must("doca_buf_inventory_get_num_free_elements", err)
				t.equal("doca_buf_inventory_get_num_free_elements after it", n, 2)
			},
		},
	})
}
