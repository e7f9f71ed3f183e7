// Package kernels starts what emulator/sdktest/dpa/device/ping_pong_dev.c has, which the C program of this name runs too.
package kernels

//go:generate go run github.com/go-doca/go-doca/gen dpa -header ../../../emulator/sdktest/dpa/device/ping_pong.h -device ../../../emulator/sdktest/dpa/device/ping_pong_dev.c -archive ../libping_pong.a -app ping_pong_app -ldflags "-lflexio" -out .
