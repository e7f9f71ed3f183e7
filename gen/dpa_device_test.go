package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// deviceSDK is a libdoca_dpa that runs kernels at once, by the description of their application.
const deviceSDK = `
#include <stdlib.h>
#include <emu_dpa_app.h>

static struct doca_dpa_app *app;

int doca_dpa_set_app(void *dpa, struct doca_dpa_app *a)
{
	app = a;
	return a->abi == EMU_DPA_APP_ABI ? 0 : 6;
}

static int run(doca_dpa_func_t *func, va_list *ap, uint64_t *result)
{
	for (uint32_t i = 0; i < app->num_funcs; i++) {
		const struct emu_dpa_func *f = &app->funcs[i];

		if (f->func == func) {
			void *args = malloc(f->args_size + 1);

			f->collect(args, ap);
			*result = f->call(args);
			free(args);
			return 0;
		}
	}
	return 6; /* of another application */
}

int doca_dpa_kernel_launch_update_set(void *dpa, void *wait, uint64_t threshold, void *comp, uint64_t count, unsigned threads, doca_dpa_func_t *func, ...)
{
	uint64_t result;
	va_list ap;
	int rc;

	va_start(ap, func);
	rc = run(func, &ap, &result);
	va_end(ap);
	return rc;
}

int doca_dpa_rpc(void *dpa, doca_dpa_func_t *func, uint64_t *retval, ...)
{
	va_list ap;
	int rc;

	va_start(ap, retval);
	rc = run(func, &ap, retval);
	va_end(ap);
	return rc;
}
`

const deviceProgram = `package main

import (
	"fmt"
	"unsafe"

	"example.com/m/kernels"
	"example.com/m/second"
	"github.com/go-doca/go-doca/generated/abi"
	"github.com/go-doca/go-doca/generated/common"
	"github.com/go-doca/go-doca/generated/dpa"
	"github.com/go-doca/go-doca/generated/dpadev"
)

func check(err error) {
	if err != nil {
		panic(err)
	}
}

func main() {
	memory, err := abi.Alloc[uint32](8)
	check(err)
	at := func(i int) uint64 { return uint64(uintptr(unsafe.Pointer(&memory[i]))) }
	d := (*common.DPA)(unsafe.Pointer(&memory[0]))
	opts := kernels.LaunchOptions{Threads: 1}
	check(dpa.SetApp(d, kernels.App()))
	memory[2], memory[3], memory[4] = 1, 2, 3000000000
	r := kernels.ScaleRange{First: at(2), Count: 3}
	check(kernels.LaunchScaleNumbers(d, opts, r, 2, kernels.ScaleSaturate, -1))
	fmt.Println(memory[2], memory[3], memory[4])
	sum, err := kernels.CallSumNumbers(d, r)
	check(err)
	fmt.Println(sum)
	pair := kernels.ScalePair{Tag: 7}
	pair.SetValue(70000)
	check(kernels.LaunchDrain(d, opts, dpadev.Completion(1<<40), dpadev.Uintptr(at(6)), pair, true))
	fmt.Println(uint64(memory[6]) | uint64(memory[7])<<32 - 1<<40)
	check(kernels.LaunchReset(d, opts))
	check(kernels.LaunchReset(d, opts))
	memory[6], memory[7] = 0, 0
	check(kernels.LaunchOnWake(d, opts, at(6)))
	fmt.Println(memory[6], kernels.FuncOnWake() != nil)
	fmt.Println(second.LaunchReset(d, second.LaunchOptions{Threads: 1}))
	check(dpa.SetApp(d, second.App()))
	check(second.LaunchReset(d, second.LaunchOptions{Threads: 1}))
	fmt.Println(second.CallResetsOfSecond(d))
}
`

const deviceOutput = `1 3 4294967294
4294967298
70039
2 true
doca_dpa_kernel_launch_update_set: DOCA_ERROR_INVALID_VALUE
17 <nil>
`

// The kernels are part of the program, and with the tag dpacc those of the archives are. Two packages of a program have names
// in common, also those of kernels, so the archives are linked one at a time.
func TestDeviceCode(t *testing.T) {
	t.Parallel()
	dir := kernelsModule(t)
	write := func(name, text string) {
		t.Helper()
		path := filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
	}
	run := func(name string, args ...string) string {
		t.Helper()
		cmd := exec.Command(name, args...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "DOCA_PROVIDER=sdk", "LD_LIBRARY_PATH="+dir)
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, string(out))
		return string(out)
	}
	dpacore, err := filepath.Abs("../emulator/dpacore")
	require.NoError(t, err)
	write("sdk.c.txt", deviceSDK)
	write("common.c.txt", "const char *doca_version_runtime(void) { return \"3.0.0058\"; }\n")
	write("main.go", deviceProgram)
	write("device/second.h", "#include <stdint.h>\n__dpa_global__ void reset(void);\n__dpa_rpc__ uint64_t resets_of_second(void);\n")
	write("device/second.c", "#include \"second.h\"\nuint64_t resets = START;\nint helper(void)\n{\n\treturn 7;\n}\nvoid reset(void)\n{\n\tresets += helper();\n}\n"+
		"uint64_t resets_of_second(void)\n{\n\treturn resets;\n}\n")
	run("gcc", "-shared", "-fPIC", "-I", dpacore, "-o", "libdoca_dpa.so.2", "-x", "c", "sdk.c.txt")
	run("gcc", "-shared", "-fPIC", "-o", "libdoca_common.so.2", "-x", "c", "common.c.txt")
	generate := func(args ...string) {
		t.Helper()
		status, _, errOut := gen(append([]string{"dpa", "-raw", "-sdk", reference}, args...)...)
		require.Zero(t, status, errOut)
	}
	generate("-header", kernelsHeader, "-device", "testdata/dpa/scale.c", "-out", filepath.Join(dir, "kernels"), "-app", "my_app")
	generate("-header", filepath.Join(dir, "device/second.h"), "-device", filepath.Join(dir, "device/second.c"), "-D", "START=10",
		"-out", filepath.Join(dir, "second"), "-app", "my_app")
	run("go", "vet", "./...")
	run("go", "build", "-o", "program", ".")
	assert.Equal(t, deviceOutput, run("./program"))
}

// Mistakes in the sources are errors that say where they are, and leave no output.
func TestDeviceCodeThatIsWrong(t *testing.T) {
	t.Parallel()
	const header = "#include <stdint.h>\n__dpa_global__ void k(uint32_t n);\n"
	for name, c := range map[string]struct{ text, want string }{
		"no definition":     {"#include \"k.h\"\n", "k: no -device source defines it with its mark"},
		"no mark":           {"#include <stdint.h>\nvoid k(uint32_t n) { (void)n; }\n", "k: no -device source defines it with its mark"},
		"another prototype": {"#include \"k.h\"\nvoid k(uint64_t n) { (void)n; }\n", "k.c:2:6: error: conflicting types"},
		"without header":    {"__dpa_global__ void k(void) {}\n", "k.c:1: error: k is not as the header declares it"},
		"broken C":          {"#include \"k.h\"\nvoid k(uint32_t n) { return n }\n", "k.c:2:"},
		"missing function":  {"#include \"k.h\"\nvoid missing(void);\nvoid k(uint32_t n) { (void)n; missing(); }\n", "code for the DPA uses what no -device source has: missing"},
		"function of host":  {"#include \"k.h\"\n#include <unistd.h>\nvoid k(uint32_t n) { close((int)n); }\n", "code for the DPA uses what no -device source has: close"},
		"static":            {"#include \"k.h\"\nvoid k(uint32_t n) { (void)n; }\n__dpa_global__ static void j(void) {}\n", "k.c:3: error: j is static or inline"},
		"float":             {"#include \"k.h\"\nvoid k(uint32_t n) { (void)n; }\n__dpa_global__ void j(double x) { (void)x; }\n", "k.c:3: error: j cannot be started: parameter 1 (x): floating-point"},
		"no such header":    {"#include \"nothing.h\"\n", "k.c:1:10: fatal error: nothing.h"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := kernelsModule(t)
			require.NoError(t, os.WriteFile(filepath.Join(dir, "k.h"), []byte(header), 0o644))
			require.NoError(t, os.WriteFile(filepath.Join(dir, "k.c"), []byte(c.text), 0o644))
			status, _, errOut := gen("dpa", "-sdk", reference, "-header", filepath.Join(dir, "k.h"), "-device", filepath.Join(dir, "k.c"),
				"-app", "app", "-out", filepath.Join(dir, "out"), "-pkg", "example.com/out")
			assert.Equal(t, 1, status)
			assert.Contains(t, errOut, c.want)
			assert.NoDirExists(t, filepath.Join(dir, "out"))
		})
	}
	dir := kernelsModule(t)
	for want, args := range map[string][]string{
		"-device wants -app as well": {"-device", "testdata/dpa/scale.c"},
		"-device: stat nowhere.c":    {"-device", "nowhere.c", "-app", "app"},
	} {
		status, _, errOut := gen(append([]string{"dpa", "-sdk", reference, "-header", kernelsHeader, "-out", filepath.Join(dir, "out"), "-pkg", "example.com/out"}, args...)...)
		assert.Equal(t, 1, status)
		assert.True(t, strings.Contains(errOut, want), errOut)
	}
}
