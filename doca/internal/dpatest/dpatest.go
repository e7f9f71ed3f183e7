// Package dpatest has kernels for the tests of doca/dpa.
package dpatest

//go:generate go run ../../../gen dpa -header device/kernels.h -device device/kernels.c -out . -app dpatest_app
