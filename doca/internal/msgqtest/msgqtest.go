// Package msgqtest has kernels for the tests of MsgQs in doca/comch.
package msgqtest

//go:generate go run ../../../gen dpa -header device/kernels.h -device device/kernels.c -out . -app msgqtest_app
