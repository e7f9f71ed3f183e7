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

// deviceModule is a module that uses packages of kernels.
type deviceModule struct {
	*testing.T
	dir string
}

func newDeviceModule(t *testing.T) *deviceModule { return &deviceModule{t, kernelsModule(t)} }

func (m *deviceModule) write(name, text string) string {
	m.Helper()
	path := filepath.Join(m.dir, name)
	require.NoError(m, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(m, os.WriteFile(path, []byte(text), 0o644))
	return path
}

func (m *deviceModule) run(provider, name string, args ...string) string {
	m.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir = m.dir
	cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "DOCA_PROVIDER="+provider, "LD_LIBRARY_PATH="+m.dir)
	out, err := cmd.CombinedOutput()
	require.NoError(m, err, string(out))
	return string(out)
}

func (m *deviceModule) generate(pkg, header, source string, args ...string) {
	m.Helper()
	status, _, errOut := gen(append([]string{"dpa", "-raw", "-sdk", reference, "-header", header, "-device", source, "-app", "my_app",
		"-out", filepath.Join(m.dir, pkg)}, args...)...)
	require.Zero(m, status, errOut)
	assert.Empty(m, errOut)
}

// sdk makes libraries that run kernels at once.
func (m *deviceModule) sdk() {
	m.Helper()
	dpacore, err := filepath.Abs("../emulator/dpacore")
	require.NoError(m, err)
	m.write("sdk.c.txt", deviceSDK)
	m.write("common.c.txt", "const char *doca_version_runtime(void) { return \"3.0.0058\"; }\nvoid emu_dpa_enter(void) {}\n")
	m.run("", "gcc", "-shared", "-fPIC", "-I", dpacore, "-o", "libdoca_dpa.so.2", "-x", "c", "sdk.c.txt")
	m.run("", "gcc", "-shared", "-fPIC", "-o", "libdoca_common.so.2", "-x", "c", "common.c.txt")
}

// The kernels are part of the program. Two packages have names in common, also those of kernels.
func TestDeviceCode(t *testing.T) {
	t.Parallel()
	m := newDeviceModule(t)
	m.sdk()
	m.write("main.go", deviceProgram)
	header := m.write("device/second.h", "#include <stdint.h>\n__dpa_global__ void reset(void);\n__dpa_rpc__ uint64_t resets_of_second(void);\n")
	source := m.write("device/second.c", "#include \"second.h\"\nuint64_t resets = START;\nint helper(void)\n{\n\treturn 7;\n}\nvoid reset(void)\n{\n\tresets += helper();\n}\n"+
		"uint64_t resets_of_second(void)\n{\n\treturn resets;\n}\n")
	m.generate("kernels", kernelsHeader, "testdata/dpa/scale.c")
	m.generate("second", header, source, "-D", "START=10")
	require.NoError(t, os.RemoveAll(filepath.Join(m.dir, "device"))) // a package needs no sources but its own
	m.run("", "go", "vet", "./...")
	assert.Equal(t, deviceOutput, m.run("sdk", "go", "run", "."))
	before := tree(t, filepath.Join(m.dir, "kernels"))
	m.generate("kernels", kernelsHeader, "testdata/dpa/scale.c")
	assert.Equal(t, before, tree(t, filepath.Join(m.dir, "kernels")))
}

const taggedProgram = `package main

import (
	"fmt"
	"unsafe"

	"example.com/m/kernels"
	"github.com/go-doca/go-doca/generated/abi"
	"github.com/go-doca/go-doca/generated/common"
	"github.com/go-doca/go-doca/generated/dpa"
)

func main() {
	memory, err := abi.Alloc[uint32](8)
	if err != nil {
		panic(err)
	}
	d := (*common.DPA)(unsafe.Pointer(&memory[0]))
	memory[2], memory[3], memory[4] = 1, 2, 3000000000
	fmt.Println(dpa.SetApp(d, kernels.App()))
	fmt.Println(kernels.CallSumNumbers(d, kernels.ScaleRange{First: uint64(uintptr(unsafe.Pointer(&memory[2]))), Count: 3}))
}
`

// With the tag dpacc the kernels are those of the archive, from the same sources.
func TestDeviceCodeOfArchive(t *testing.T) {
	t.Parallel()
	m := newDeviceModule(t)
	m.sdk()
	m.write("main.go", taggedProgram)
	archive := filepath.Join(m.dir, "libscale.a")
	m.generate("kernels", kernelsHeader, "testdata/dpa/scale.c", "-archive", archive)
	const want = "<nil>\n3000000003 <nil>\n"
	assert.Equal(t, want, m.run("sdk", "go", "run", "."))

	// What dpacc needs of an SDK. The kernels of the archive have another helper, by which one can tell them.
	sdk := filepath.Join(m.dir, "sdk")
	require.NoError(t, os.CopyFS(filepath.Join(sdk, "include"), os.DirFS(reference)))
	require.NoError(t, os.CopyFS(filepath.Join(sdk, "include"), os.DirFS("../headers/dpa")))
	require.NoError(t, os.CopyFS(filepath.Join(sdk, "lib/dpacc"), os.DirFS("../emulator/dpacore")))
	m.write("sdk/lib/pkgconfig/doca-dpa.pc", "Cflags:\n")
	out, err := exec.Command("go", "build", "-o", filepath.Join(sdk, "tools/dpacc"), "./dpacc").CombinedOutput()
	require.NoError(t, err, string(out))
	text, err := os.ReadFile("testdata/dpa/scale.c")
	require.NoError(t, err)
	source := m.write("scale.c.txt/scale.c", strings.Replace(string(text), "uint64_t sum = 0;", "uint64_t sum = 1000;", 1))
	testdata, err := filepath.Abs("testdata/dpa")
	require.NoError(t, err)
	m.run("", filepath.Join(sdk, "tools/dpacc"), source, "-I", testdata, "-o", archive, "--app-name=my_app", "-mcpu=nv-dpa-bf3")
	assert.Equal(t, strings.Replace(want, "3000000003", "3000001003", 1), m.run("sdk", "go", "run", "-tags", "dpacc", "."))
	assert.Equal(t, want, m.run("sdk", "go", "run", "."))
}

const emulatorTest = `package kernels_test

import (
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.com/m/kernels"
	_ "github.com/go-doca/go-doca/emulator"
	"github.com/go-doca/go-doca/generated/abi"
	"github.com/go-doca/go-doca/generated/common"
	"github.com/go-doca/go-doca/generated/dpa"
	"github.com/go-doca/go-doca/generated/syncevent"
)

func TestScale(t *testing.T) {
	ring, err := abi.NewRing()
	require.NoError(t, err)
	list, err := common.DevinfoCreateList()
	require.NoError(t, err)
	dev, err := common.DevOpen(list[0])
	require.NoError(t, err)
	ctx, err := dpa.Create(dev)
	require.NoError(t, err)
	require.NoError(t, dpa.SetApp(ctx, kernels.App()))
	require.NoError(t, dpa.Start(ring, ctx))
	event, err := syncevent.Create()
	require.NoError(t, err)
	require.NoError(t, syncevent.AddPublisherLocationDPA(event, ctx))
	require.NoError(t, syncevent.AddSubscriberLocationCPU(event, dev))
	require.NoError(t, syncevent.Start(ring, event))

	numbers := [3]uint32{1, 2, 3000000000}
	memory, err := dpa.MemAlloc(ctx, 12)
	require.NoError(t, err)
	require.NoError(t, dpa.H2DMemcpy(ctx, memory, unsafe.Slice((*byte)(unsafe.Pointer(&numbers)), 12)))
	r := kernels.ScaleRange{First: uint64(memory), Count: 3}
	opts := kernels.LaunchOptions{Threads: 1, Completion: event, CompletionCount: 1}
	require.NoError(t, kernels.LaunchScaleNumbers(ctx, opts, r, 2, kernels.ScaleSaturate, -1))
	require.NoError(t, syncevent.WaitGt(event, 0, 1<<64-1))
	require.NoError(t, dpa.D2HMemcpy(ctx, unsafe.Slice((*byte)(unsafe.Pointer(&numbers)), 12), memory))
	assert.Equal(t, [3]uint32{1, 3, 4294967294}, numbers)
	sum, err := kernels.CallSumNumbers(ctx, r)
	require.NoError(t, err)
	assert.EqualValues(t, 4294967298, sum)

	require.NoError(t, dpa.MemFree(ctx, memory))
	require.NoError(t, syncevent.Destroy(ring, event))
	require.NoError(t, dpa.Destroy(ring, ctx))
	require.NoError(t, common.DevClose(dev))
	require.NoError(t, common.DevinfoDestroyList(list))
}
`

// Where nothing of DOCA is installed, a program's test launches its kernels on the emulator.
func TestDeviceCodeOnEmulator(t *testing.T) {
	t.Parallel()
	m := newDeviceModule(t)
	m.generate("kernels", kernelsHeader, "testdata/dpa/scale.c")
	m.write("kernels/scale_test.go", emulatorTest)
	m.run("emulator", "go", "test", "./kernels")
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
	for want, c := range map[string]struct {
		status int
		args   []string
	}{
		"-device wants -app as well":       {2, []string{"-device", "testdata/dpa/scale.c"}},
		`-app "1st" is not an identifier`:  {2, []string{"-app", "1st"}},
		"-base: kernels need the bindings": {2, []string{"-base", "none"}},
		"-device: stat nowhere.c":          {1, []string{"-device", "nowhere.c", "-app", "app"}},
	} {
		status, _, errOut := gen(append([]string{"dpa", "-sdk", reference, "-header", kernelsHeader, "-out", filepath.Join(dir, "out"), "-pkg", "example.com/out"}, c.args...)...)
		assert.Equal(t, c.status, status, want)
		assert.Contains(t, errOut, "gen dpa: "+want)
	}
}

// Only who generates bindings can do without a base.
func TestNoModuleForKernels(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "out")
	want := dir + " is in no Go module: create one (go mod init) that requires the module of " + ownBindings
	status, _, errOut := gen("dpa", "-sdk", reference, "-header", kernelsHeader, "-out", dir)
	assert.Equal(t, 1, status)
	assert.Equal(t, "gen dpa: "+want+"\n", errOut)
	status, _, errOut = gen("generate", "-sdk", reference, "-out", dir)
	assert.Equal(t, 1, status)
	assert.Equal(t, "gen generate: "+want+", or generate everything with -base none\n", errOut)
}

// Who requires the project needs no SDK: gen finds the project's headers where the go command has its module.
func TestDeviceCodeWithoutSDK(t *testing.T) {
	t.Parallel()
	m := newDeviceModule(t)
	header, err := filepath.Abs(kernelsHeader)
	require.NoError(t, err)
	source, err := filepath.Abs("testdata/dpa/scale.c")
	require.NoError(t, err)
	m.run("", "env", "DOCA_SDK_DIR=", "go", "run", "github.com/go-doca/go-doca/gen", "dpa", "-header", header, "-device", source, "-app", "my_app", "-out", "kernels")
	assert.FileExists(t, filepath.Join(m.dir, "kernels", "scale_device.c"))
}
