// Package rdmatest has kernels for the tests of RDMA contexts on a DPA in doca/rdma.
package rdmatest

//go:generate go run ../../../gen dpa -header device/kernels.h -device device/kernels.c -out . -app rdmatest_app
