package main

import (
	"fmt"
	"os"
	"time"

	"github.com/schollz/progressbar/v3"

	"github.com/go-doca/go-doca/examples/storage/initiator"
)

// newBar makes a progress bar for a test of that many operations, which also shows rate and latency.
func newBar(operations int64) *progressbar.ProgressBar {
	return progressbar.NewOptions64(operations, progressbar.OptionSetWriter(os.Stderr), progressbar.OptionClearOnFinish(),
		progressbar.OptionSetWidth(20), progressbar.OptionThrottle(0), progressbar.OptionSetElapsedTime(false), progressbar.OptionSetPredictTime(false))
}

// show draws a sample.
func show(bar *progressbar.ProgressBar, s initiator.Sample) {
	bar.Describe(fmt.Sprintf("%8.0f IO/s, mean %v", s.PerSecond(), s.Latency.Round(100*time.Nanosecond)))
	_ = bar.Set64(int64(s.Total)) // an error is that of the terminal
}
