// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"github.com/go-doca/go-doca/generated/common"
)

func inventoryCases() []Case {
	return of("common", []Case{
		{
			Name: "inventory/empty", Rule: "An inventory has at least one element.", Source: Observed,
			Run: func(t *T) {
				_, err := common.BufInventoryCreate(0)
				t.code("doca_buf_inventory_create of 0", err, invalid)
			},
		},
		{
			Name: "inventory/start-twice", Rule: "A started inventory can be started.", Source: Observed,
			Run: func(t *T) {
				t.code("doca_buf_inventory_start when started", common.BufInventoryStart(t.ring, t.inventory(1)), success)
			},
		},
		{
			Name: "inventory/stop-twice", Rule: "A stopped inventory can be stopped.", Source: Observed,
			Run: func(t *T) {
				inv := t.inventory(1)
				t.code("doca_buf_inventory_stop", common.BufInventoryStop(t.ring, inv), success)
				t.code("doca_buf_inventory_stop when stopped", common.BufInventoryStop(t.ring, inv), success)
			},
		},
		{
			Name: "inventory/stop-with-buffers", Rule: "An inventory stops while buffers are out.", Source: Observed,
			Run: func(t *T) {
				m, mem := t.mapped(nil, 4096, -1)
				inv := t.inventory(1)
				t.empty(inv, m, mem)
				t.code("doca_buf_inventory_stop with a buffer out", common.BufInventoryStop(t.ring, inv), success)
			},
		},
		{
			Name: "inventory/destroy-with-buffers", Rule: "An inventory is not destroyed while buffers are out.", Source: Observed,
			Run: func(t *T) {
				m, mem := t.mapped(nil, 4096, -1)
				inv := t.inventory(1)
				t.empty(inv, m, mem)
				t.code("doca_buf_inventory_destroy with a buffer out", common.BufInventoryDestroy(t.ring, inv), inUse)
			},
		},
		{
			Name: "inventory/destroy-started", Rule: "A started inventory is destroyed without a stop.", Source: Documented,
			Run: func(t *T) {
				inv, err := common.BufInventoryCreate(1)
				t.must("doca_buf_inventory_create", err)
				t.must("doca_buf_inventory_start", common.BufInventoryStart(t.ring, inv))
				t.code("doca_buf_inventory_destroy when started", common.BufInventoryDestroy(t.ring, inv), success)
			},
		},
		{
			Name: "inventory/exhausted", Rule: "An inventory without free elements has no buffer.", Source: Observed,
			Run: func(t *T) {
				m, mem := t.mapped(nil, 4096, -1)
				inv := t.inventory(2)
				t.empty(inv, m, mem)
				t.empty(inv, m, mem)
				_, err := common.BufInventoryBufGetByAddr(inv, m, address(mem), 64)
				t.code("doca_buf_inventory_buf_get_by_addr with all out", err, noMemory)
			},
		},
		{
			Name: "inventory/counts", Rule: "An inventory counts its elements and those that are free.", Source: Documented,
			Run: func(t *T) {
				m, mem := t.mapped(nil, 4096, -1)
				inv := t.inventory(4)
				t.empty(inv, m, mem)
				n, err := common.BufInventoryGetNumElements(inv)
				t.must("doca_buf_inventory_get_num_elements", err)
				t.equal("doca_buf_inventory_get_num_elements", n, 4)
				n, err = common.BufInventoryGetNumFreeElements(inv)
				t.must("doca_buf_inventory_get_num_free_elements", err)
				t.equal("doca_buf_inventory_get_num_free_elements with one out", n, 3)
			},
		},
		{
			Name: "inventory/user-data-when-started", Rule: "User data of a started inventory is not set.", Source: Observed,
			Run: func(t *T) {
				t.code("doca_buf_inventory_set_user_data when started", common.BufInventorySetUserData(t.inventory(1), 5), badState)
			},
		},
		{
			Name: "inventory/expand-not-started", Rule: "An inventory that is not started is not expanded.", Source: Documented,
			Run: func(t *T) {
				inv, err := common.BufInventoryCreate(1)
				t.must("doca_buf_inventory_create", err)
				t.onEnd(func() { _ = common.BufInventoryDestroy(t.ring, inv) })
				t.code("doca_buf_inventory_expand before the start", common.BufInventoryExpand(inv, 4), badState)
			},
		},
		{
			Name: "inventory/expand", Rule: "A started inventory is expanded while buffers are out.", Source: Documented,
			Run: func(t *T) {
				m, mem := t.mapped(nil, 4096, -1)
				inv := t.inventory(1)
				t.empty(inv, m, mem)
				t.must("doca_buf_inventory_expand", common.BufInventoryExpand(inv, 3))
				n, err := common.BufInventoryGetNumElements(inv)
				t.must("doca_buf_inventory_get_num_elements", err)
				t.equal("doca_buf_inventory_get_num_elements after 3 more than 1", n, 4)
				t.empty(inv, m, mem)
			},
		},
		{
			Name: "inventory/reuse", Rule: "An element that was given back is taken again.", Source: Documented,
			Run: func(t *T) {
				m, mem := t.mapped(nil, 4096, -1)
				inv := t.inventory(1)
				for range 3 {
					b, err := common.BufInventoryBufGetByData(inv, m, address(mem), 64)
					t.must("doca_buf_inventory_buf_get_by_data", err)
					t.equal("doca_buf_get_data_len of a buffer by data", t.dataLen(b), 64)
					_, err = common.BufDecRefcount(b)
					t.must("doca_buf_dec_refcount", err)
				}
			},
		},
		{
			Name: "inventory/two-maps", Rule: "Buffers of an inventory can be of several maps.", Source: Documented,
			Run: func(t *T) {
				a, memA := t.mapped(nil, 4096, -1)
				b, memB := t.mapped(nil, 4096, -1)
				inv := t.inventory(2)
				t.empty(inv, a, memA)
				_, err := common.BufInventoryBufGetByAddr(inv, b, address(memB), 64)
				if t.code("doca_buf_inventory_buf_get_by_addr of a second map", err, success) {
					n, err := common.BufInventoryGetNumFreeElements(inv)
					t.must("doca_buf_inventory_get_num_free_elements", err)
					t.equal("doca_buf_inventory_get_num_free_elements", n, 0)
				}
			},
		},
		{
			Name: "inventory/duplicate-stopped", Rule: "A buffer is not duplicated by an inventory that is stopped.", Source: Observed,
			Run: func(t *T) {
				m, mem := t.mapped(nil, 4096, -1)
				inv := t.inventory(2)
				b := t.empty(inv, m, mem)
				t.must("doca_buf_inventory_stop", common.BufInventoryStop(t.ring, inv))
				_, err := common.BufInventoryBufDup(inv, b)
				t.code("doca_buf_inventory_buf_dup of a stopped inventory", err, badState)
			},
		},
	})
}

// pool makes a pool that is not started, of 4 elements of 1000 bytes.
func (t *T) pool() (*common.BufPool, []byte) {
	m, mem := t.mapped(nil, 8192, -1)
	p, err := common.BufPoolCreate(4, 1000, m)
	t.must("doca_buf_pool_create", err)
	t.onEnd(func() { _ = common.BufPoolDestroy(t.ring, p) })
	return p, mem
}

func (t *T) startedPool() (*common.BufPool, []byte) {
	p, mem := t.pool()
	t.must("doca_buf_pool_start", common.BufPoolStart(t.ring, p))
	return p, mem
}

func (t *T) fromPool(p *common.BufPool) *common.Buf {
	b, err := common.BufPoolBufAlloc(p)
	t.must("doca_buf_pool_buf_alloc", err)
	t.drop(b)
	return b
}

func poolCases() []Case {
	return of("common", []Case{
		{
			Name: "pool/of-nothing", Rule: "A pool has elements, which have a size.", Source: Documented,
			Run: func(t *T) {
				m, _ := t.mapped(nil, 8192, -1)
				_, err := common.BufPoolCreate(0, 1000, m)
				t.code("doca_buf_pool_create of 0 elements", err, invalid)
				_, err = common.BufPoolCreate(4, 0, m)
				t.code("doca_buf_pool_create of elements of 0 bytes", err, invalid)
				_, err = common.BufPoolCreate(4, 1000, nil)
				t.code("doca_buf_pool_create without a map", err, invalid)
			},
		},
		{
			Name: "pool/start-map-not-started", Rule: "A pool starts after its map.", Source: Documented,
			Run: func(t *T) {
				m := t.mmap()
				t.must("doca_mmap_set_memrange", setRangeOf(m, t.memory(8192)))
				p, err := common.BufPoolCreate(4, 1000, m)
				t.must("doca_buf_pool_create", err)
				t.onEnd(func() { _ = common.BufPoolDestroy(t.ring, p) })
				t.code("doca_buf_pool_start before its map", common.BufPoolStart(t.ring, p), badState)
			},
		},
		{
			Name: "pool/start-too-small", Rule: "A pool whose elements do not fit into the map does not start.", Source: Documented,
			Run: func(t *T) {
				m, _ := t.mapped(nil, 4096, -1)
				p, err := common.BufPoolCreate(5, 1000, m)
				if err != nil {
					t.code("doca_buf_pool_create of elements that do not fit", err, initFailed, invalid)
					return
				}
				t.onEnd(func() { _ = common.BufPoolDestroy(t.ring, p) })
				t.code("doca_buf_pool_start of elements that do not fit", common.BufPoolStart(t.ring, p), initFailed)
			},
		},
		{
			Name: "pool/alloc-not-started", Rule: "A pool gives no buffer before it is started.", Source: Documented,
			Run: func(t *T) {
				p, _ := t.pool()
				_, err := common.BufPoolBufAlloc(p)
				t.code("doca_buf_pool_buf_alloc before the start", err, badState)
			},
		},
		{
			Name: "pool/elements", Rule: "The elements of a pool are as long as asked, without data, and lie at multiples of the alignment.", Source: Observed,
			Run: func(t *T) {
				p, mem := t.pool()
				t.must("doca_buf_pool_set_element_alignment", common.BufPoolSetElementAlignment(p, 64))
				t.must("doca_buf_pool_start", common.BufPoolStart(t.ring, p))
				seen := map[uintptr]bool{}
				for range 4 {
					b := t.fromPool(p)
					t.equal("doca_buf_pool_buf_alloc", t.fields(b), "length 1000, data +0, data length 0")
					head, err := common.BufGetHead(b)
					t.must("doca_buf_get_head", err)
					at := head - address(mem)
					t.that("doca_buf_get_head of an element", "0, 1024, 2048 or 3072, each once", at, at%1024 == 0 && at < 4096 && !seen[at])
					seen[at] = true
				}
			},
		},
		{
			Name: "pool/exhausted", Rule: "An exhausted pool is EMPTY.", Source: Observed,
			Run: func(t *T) {
				p, _ := t.startedPool()
				for range 4 {
					t.fromPool(p)
				}
				_, err := common.BufPoolBufAlloc(p)
				t.code("doca_buf_pool_buf_alloc with all out", err, empty)
			},
		},
		{
			Name: "pool/stop-with-buffers", Rule: "A pool does not stop while buffers are out.", Source: Observed,
			Run: func(t *T) {
				p, _ := t.startedPool()
				t.fromPool(p)
				t.code("doca_buf_pool_stop with a buffer out", common.BufPoolStop(t.ring, p), inUse)
			},
		},
		{
			Name: "pool/destroy-with-buffers", Rule: "A pool is not destroyed while buffers are out.", Source: Observed,
			Run: func(t *T) {
				p, _ := t.startedPool()
				t.fromPool(p)
				t.code("doca_buf_pool_destroy with a buffer out", common.BufPoolDestroy(t.ring, p), inUse)
			},
		},
		{
			Name: "pool/counts", Rule: "A pool counts its elements and those that are free.", Source: Documented,
			Run: func(t *T) {
				p, _ := t.startedPool()
				t.fromPool(p)
				n, err := common.BufPoolGetNumElements(p)
				t.must("doca_buf_pool_get_num_elements", err)
				t.equal("doca_buf_pool_get_num_elements", n, 4)
				n, err = common.BufPoolGetNumFreeElements(p)
				t.must("doca_buf_pool_get_num_free_elements", err)
				t.equal("doca_buf_pool_get_num_free_elements with one out", n, 3)
			},
		},
		{
			Name: "pool/alignment-default", Rule: "Elements have no alignment unless it is asked for.", Source: Documented,
			Run: func(t *T) {
				p, _ := t.pool()
				n, err := common.BufPoolGetElementAlignment(p)
				t.must("doca_buf_pool_get_element_alignment", err)
				t.equal("doca_buf_pool_get_element_alignment", n, 1)
			},
		},
		{
			Name: "pool/alignment-wrong", Rule: "An alignment is a power of two.", Source: Documented,
			Run: func(t *T) {
				p, _ := t.pool()
				t.code("doca_buf_pool_set_element_alignment with 48", common.BufPoolSetElementAlignment(p, 48), invalid)
			},
		},
		{
			Name: "pool/settings-when-started", Rule: "Alignment and user data of a started pool are not set.", Source: Documented,
			Run: func(t *T) {
				p, _ := t.startedPool()
				t.code("doca_buf_pool_set_element_alignment when started", common.BufPoolSetElementAlignment(p, 64), badState)
				t.code("doca_buf_pool_set_user_data when started", common.BufPoolSetUserData(p, 1), badState)
			},
		},
		{
			Name: "pool/restart", Rule: "A stopped pool starts again.", Source: Documented,
			Run: func(t *T) {
				p, _ := t.startedPool()
				t.code("doca_buf_pool_stop", common.BufPoolStop(t.ring, p), success)
				t.code("doca_buf_pool_start after a stop", common.BufPoolStart(t.ring, p), success)
				t.equal("doca_buf_pool_buf_alloc after a restart", t.fields(t.fromPool(p)), "length 1000, data +0, data length 0")
			},
		},
	})
}

func bufArrayCases() []Case {
	arr := func(t *T, n uint64) *common.BufArr {
		a, err := common.BufArrCreate(n)
		t.must("doca_buf_arr_create", err)
		t.onEnd(func() { _ = common.BufArrDestroy(t.ring, a) })
		return a
	}
	return of("common", []Case{
		{
			Name: "array/empty", Rule: "An array has at least one element.", Source: Documented,
			Run: func(t *T) {
				_, err := common.BufArrCreate(0)
				t.code("doca_buf_arr_create of 0", err, invalid)
			},
		},
		{
			Name: "array/element-size", Rule: "The elements of an array have a size.", Source: Documented,
			Run: func(t *T) {
				m, _ := t.mapped(nil, 4096, -1)
				t.code("doca_buf_arr_set_params with elements of 0 bytes", common.BufArrSetParams(arr(t, 4), m, 0, 0), invalid)
			},
		},
		{
			Name: "array/start-without-target", Rule: "An array without a target does not start.", Source: Documented,
			Run: func(t *T) {
				m, _ := t.mapped(nil, 4096, -1)
				a := arr(t, 4)
				t.must("doca_buf_arr_set_params", common.BufArrSetParams(a, m, 64, 0))
				t.code("doca_buf_arr_start without a target", common.BufArrStart(t.ring, a), badState)
			},
		},
		{
			Name: "array/handle-before-start", Rule: "An array has no handle before it is started.", Source: Documented,
			Run: func(t *T) {
				_, err := common.BufArrGetDPAHandle(arr(t, 4))
				t.code("doca_buf_arr_get_dpa_handle before the start", err, badState)
			},
		},
	})
}
