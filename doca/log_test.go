package doca_test

import (
	"io"
	"log/slog"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/internal/selfexec"
)

// logErrors makes DOCA log n errors.
func logErrors(t testing.TB, n int) {
	t.Helper()
	dpu := must(doca.OpenDevice(dpu0))(t)
	host := must(doca.OpenDevice(host0))(t)
	mem := must(doca.NewMemory(64, doca.MemoryConfig{Devices: []*doca.Device{dpu}, Access: doca.AccessLocalReadWrite | doca.AccessPCIReadWrite}))(t)
	desc := must(mem.ExportPCI(dpu))(t)
	check(t, mem.Close())
	desc[8]++ // its version
	for range n {
		_, err := doca.ImportMemory(host, desc)
		wantErr(t, err, doca.ErrUnsupportedVersion)
	}
	check(t, dpu.Close())
	check(t, host.Close())
}

// loggedError is in each line of logErrors.
const loggedError = "import: the descriptor has version"

func TestLogSDK(t *testing.T) {
	file := must(os.CreateTemp(t.TempDir(), "log"))(t)
	check(t, doca.LogSDK(file, doca.LogWarning))
	other := must(os.CreateTemp(t.TempDir(), "log"))(t)
	check(t, doca.LogSDK(other, doca.LogCritical))
	logErrors(t, 3)
	text := func() string { return string(must(os.ReadFile(file.Name()))(t)) }
	assert.Equal(t, 3, strings.Count(text(), loggedError))
	assert.Empty(t, must(os.ReadFile(other.Name()))(t), "the level is critical")

	check(t, file.Close()) // DOCA has a descriptor of its own
	logErrors(t, 1)
	assert.Equal(t, 4, strings.Count(text(), loggedError))

	check(t, doca.SetSDKLogLevel(doca.LogDisable))
	logErrors(t, 1)
	check(t, doca.SetSDKLogLevel(doca.LogInfo))
	assert.Equal(t, 4, strings.Count(text(), loggedError))
	logErrors(t, 1)
	assert.Equal(t, 5, strings.Count(text(), loggedError))
	assert.Equal(t, 1, strings.Count(string(must(os.ReadFile(other.Name()))(t)), loggedError), "the level is now info")
	check(t, doca.SetSDKLogLevel(doca.LogDisable))
	later := must(os.CreateTemp(t.TempDir(), "log"))(t)
	check(t, doca.LogSDK(later, doca.LogError))
	logErrors(t, 1)
	assert.Equal(t, 1, strings.Count(string(must(os.ReadFile(later.Name()))(t)), loggedError), "it has a level of its own")
	assert.Equal(t, 5, strings.Count(text(), loggedError))
	check(t, doca.SetSDKLogLevel(doca.LogDisable))

	t.Run("errors", func(t *testing.T) {
		const advice = "there is no log level 7: use LogError, LogInfo or another of the constants"
		wantErr(t, doca.SetSDKLogLevel(7), doca.ErrInvalidValue, advice)
		wantErr(t, doca.LogSDK(other, 7), doca.ErrInvalidValue, advice)
		wantErr(t, doca.LogSDK(nil, doca.LogInfo), doca.ErrInvalidValue, "the file is nil: pass os.Stderr")
		wantErr(t, doca.LogSDK(file, doca.LogInfo), doca.ErrInvalidValue, "the file is closed")
		reads := must(os.Open(file.Name()))(t)
		defer reads.Close()
		wantErr(t, doca.LogSDK(reads, doca.LogInfo), doca.ErrInvalidValue, "the file is open for reading alone")
	})
}

// A log that could not be made does not keep the file, however often DOCA refuses its level, and another one can be made.
func TestLogSDKWithoutLevel(t *testing.T) {
	faults(t, "fail-call=doca_log_backend_set_sdk_level:*")
	in, out, err := os.Pipe()
	check(t, err)
	wantErr(t, doca.LogSDK(out, doca.LogError), doca.ErrDriver, "doca_log_backend_set_sdk_level")
	check(t, out.Close())
	check(t, in.SetReadDeadline(time.Now().Add(20*time.Second)))
	assert.Empty(t, must(io.ReadAll(in))(t), "nobody else has the other end")
	check(t, in.Close())
	_, err = doca.LogSDKTo(slog.DiscardHandler, doca.LogError)
	wantErr(t, err, doca.ErrDriver, "doca_log_backend_set_sdk_level")
	faults(t, "")

	file := must(os.CreateTemp(t.TempDir(), "log"))(t)
	check(t, doca.LogSDK(file, doca.LogError))
	logErrors(t, 1)
	assert.Equal(t, 1, strings.Count(string(must(os.ReadFile(file.Name()))(t)), loggedError))
	check(t, doca.SetSDKLogLevel(doca.LogDisable))
}

func init() {
	programs["quiet"] = func() { logErrors(new(testing.T), 1) }
	programs["loud"] = func() {
		if err := doca.LogSDK(os.Stdout, doca.LogDisable); err != nil {
			os.Stdout.WriteString(err.Error())
		}
		logErrors(new(testing.T), 1)
	}
	programs["late"] = func() {
		logErrors(new(testing.T), 1)
		if err := doca.LogSDK(os.Stdout, doca.LogError); err != nil {
			panic(err)
		}
		doca.SetSDKLogLevel(doca.LogError)
		logErrors(new(testing.T), 1)
	}
	programs["again"] = func() {
		logErrors(new(testing.T), 1)
		for range 2 {
			if err := doca.LogSDK(os.Stdout, doca.LogError); err != nil {
				os.Stdout.WriteString(err.Error() + "\n")
			}
		}
		logErrors(new(testing.T), 1)
	}
}

// If the log that the environment asks for cannot be ended, the program's own has not begun, and can be made then.
func TestLogInPlaceOfEnvironment(t *testing.T) {
	t.Parallel()
	cmd := selfexec.Command(t)
	cmd.Env = append(os.Environ(), "DOCA_TEST_PROGRAM=again", "DOCA_SDK_LOG_LEVEL=error", "DOCA_EMU_FAULTS=fail-call=doca_log_backend_set_sdk_level:3")
	var out, errs strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &errs
	require.NoError(t, cmd.Run(), "%s%s", &out, &errs)
	assert.Equal(t, 1, strings.Count(out.String(), "DOCA_ERROR_DRIVER"), "%s", &out)
	assert.Equal(t, 1, strings.Count(out.String(), loggedError), "%s", &out)
	assert.Equal(t, 1, strings.Count(errs.String(), loggedError), "%s", &errs)
}

// The environment says what is logged, also in a program that does not think of it.
func TestLogLevelVariable(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		program, level string
		stdout, stderr int    // errors of DOCA there
		message        string // on either
	}{
		{"quiet", "", 0, 0, ""},
		{"quiet", "error", 0, 1, ""},
		{"quiet", "ERROR", 0, 1, ""},
		{"quiet", "30", 0, 1, ""},
		{"quiet", "critical", 0, 0, ""},
		{"quiet", "loud", 0, 0, `the environment variable DOCA_SDK_LOG_LEVEL is "loud": want disable, critical, error`},
		{"loud", "", 0, 0, ""},
		{"loud", "debug", 1, 0, ""},
		{"loud", "31", 0, 0, `the environment variable DOCA_SDK_LOG_LEVEL is "31": want`},
		{"late", "warning", 1, 1, ""},
		{"late", "", 1, 0, ""},
	} {
		t.Run(c.program+" "+c.level, func(t *testing.T) {
			t.Parallel()
			cmd := selfexec.Command(t)
			cmd.Env = append(os.Environ(), "DOCA_TEST_PROGRAM="+c.program, "DOCA_SDK_LOG_LEVEL="+c.level)
			var out, errs strings.Builder
			cmd.Stdout, cmd.Stderr = &out, &errs
			require.NoError(t, cmd.Run(), "%s%s", &out, &errs)
			assert.Equal(t, c.stdout, strings.Count(out.String(), loggedError), "%s", &out)
			assert.Equal(t, c.stderr, strings.Count(errs.String(), loggedError), "%s", &errs)
			assert.Contains(t, out.String()+errs.String(), c.message)
		})
	}
}
