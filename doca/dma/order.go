package dma

import (
	"fmt"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/bind"
	gen "github.com/go-doca/go-doca/generated/dma"
)

// Order is the order in which the tasks of a context complete. It says nothing of when the written data are visible.
type Order uint8

// The orders.
const (
	OrderDefault Order = iota // what DOCA chooses
	InOrder                   // that of their submission
	AnyOrder                  // any: a task that is done is reported even if an earlier one is not
)

// String returns default, in order or any order.
func (o Order) String() string {
	switch o {
	case OrderDefault:
		return "default"
	case InOrder:
		return "in order"
	case AnyOrder:
		return "any order"
	}
	return fmt.Sprintf("Order(%d)", uint8(o))
}

// Order returns the order in which the tasks of the context complete: InOrder or AnyOrder. It returns ErrNotSupported before DOCA
// 3.2, and a [*doca.StateError] if the context is closed. Any goroutine may call it. Calls doca_dma_get_ordered_completions.
func (d *DMA) Order() (Order, error) {
	if d == nil || d.c == nil {
		return OrderDefault, noDMA("read order")
	}
	c := d.c
	c.link.LockAlways()
	defer c.link.Unlock()
	if err := c.link.Check(bind.OpQuery, "read order"); err != nil && c.link.Check(bind.OpConfigure, "read order") != nil {
		return OrderDefault, err
	}
	ordered, err := gen.GetOrderedCompletions(c.raw)
	switch {
	case err != nil:
		return OrderDefault, &doca.OpError{Op: "read order", Object: c.link.String(), Err: err}
	case ordered != 0:
		return InOrder, nil
	}
	return AnyOrder, nil
}

// setOrder sets the order of a context that is not started.
func (c *core) setOrder(o Order) error {
	switch o {
	case OrderDefault:
		return nil
	case InOrder:
		return gen.SetOrderedCompletions(c.raw, 1)
	case AnyOrder:
		return gen.SetOrderedCompletions(c.raw, 0)
	}
	return fmt.Errorf("%w: Config.Order is %v: want OrderDefault, InOrder or AnyOrder", doca.ErrInvalidValue, o)
}
