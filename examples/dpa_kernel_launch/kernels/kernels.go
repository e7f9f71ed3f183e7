// Package kernels starts what device/kernel_launch_dev.c has.
package kernels

//go:generate go run github.com/go-doca/go-doca/gen dpa -header ../device/kernel_launch.h -device ../device/kernel_launch_dev.c -archive ../device/libkernel_launch.a -app kernel_launch_app -ldflags "-lflexio" -out .
