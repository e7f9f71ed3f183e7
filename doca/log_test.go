package doca_test

import (
	"os"
	"testing"

	"github.com/go-doca/go-doca/doca"
)

func TestLogSDK(t *testing.T) {
	file, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	check(t, err)
	check(t, doca.LogSDK(file, doca.LogWarning)) // DOCA keeps the file
	check(t, doca.SetSDKLogLevel(doca.LogError))
	check(t, doca.SetSDKLogLevel(doca.LogInfo))
	wantErr(t, doca.SetSDKLogLevel(7), doca.ErrInvalidValue, "doca_log_level_set_global_sdk_limit")
	wantErr(t, doca.LogSDK(file, 7), doca.ErrInvalidValue)
}
