// Package kernels starts what device/msgq_echo_dev.c has.
package kernels

//go:generate go run github.com/go-doca/go-doca/gen dpa -header ../device/msgq_echo.h -device ../device/msgq_echo_dev.c -archive ../device/libmsgq_echo.a -app msgq_echo_app -ldflags "-lflexio" -out .
