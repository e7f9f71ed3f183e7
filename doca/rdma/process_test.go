package rdma_test

// roles are what another process does.
var roles = map[string]func() error{}
