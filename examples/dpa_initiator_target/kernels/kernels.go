// Package kernels starts what emulator/sdktest/dpa/device/initiator_target_dev.c has, which the C program of this name runs too.
package kernels

//go:generate go run github.com/go-doca/go-doca/gen dpa -header ../../../emulator/sdktest/dpa/device/initiator_target.h -device ../../../emulator/sdktest/dpa/device/initiator_target_dev.c -archive ../libinitiator_target.a -app initiator_target_app -ldflags "-lflexio" -out .
