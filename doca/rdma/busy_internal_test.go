package rdma

// Hold keeps the lock of the context's engine until free is called.
func Hold(r *RDMA) (free func()) {
	r.c.link.LockAlways()
	return r.c.link.Unlock
}
