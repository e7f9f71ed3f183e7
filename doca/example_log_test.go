package doca_test

import (
	"fmt"
	"log/slog"
	"os"

	"github.com/go-doca/go-doca/doca"
	_ "github.com/go-doca/go-doca/emulator"
)

// DOCA's log as records of package slog.
func ExampleLogSDKTo() {
	l, err := doca.LogSDKTo(slog.NewTextHandler(os.Stderr, nil), doca.LogWarning)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer l.Close() // after it the handler has all
	// ...
}

// Errors are logged with what they know.
func ExampleOpError_LogValue() {
	_, err := doca.NewInventory(0)
	noTime := func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey {
			return slog.Attr{}
		}
		return a
	}
	log := slog.New(slog.NewTextHandler(os.Stdout, &slog.HandlerOptions{ReplaceAttr: noTime}))
	log.Error("no buffers", "err", err)
	// Output:
	// level=ERROR msg="no buffers" err.op="create inventory" err.object="0 buffers" err.code=DOCA_ERROR_INVALID_VALUE err.error=DOCA_ERROR_INVALID_VALUE err.advice="the number must be positive"
}
