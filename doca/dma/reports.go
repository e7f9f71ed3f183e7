package dma

import (
	"github.com/go-doca/go-doca/generated/abi"
)

// setReports sets whether batches have their copies reported together.
func (c *core) setReports(together bool) error {
	if !together {
		return nil
	}
	c.together = true
	for _, function := range []string{"doca_task_submit_ex", "doca_ctx_flush_tasks", "doca_task_get_ctx"} {
		if _, err := abi.Lookup("libdoca_common.so.2", function); err != nil {
			return err
		}
	}
	return nil
}
