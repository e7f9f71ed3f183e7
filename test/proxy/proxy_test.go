//go:build proxy

package proxy

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// installed is where the pages have the SDK.
const installed = "/opt/mellanox/doca"

// machine is a user's: it has the SDK, and Go that gets this module from a proxy.
type machine struct {
	env []string
	sdk string
}

func newMachine(t *testing.T) *machine {
	t.Helper()
	goEnv := func(name string) string {
		out, err := exec.Command("go", "env", name).Output()
		require.NoError(t, err)
		return strings.TrimSpace(string(out))
	}
	m := &machine{sdk: t.TempDir()}
	require.NoError(t, os.CopyFS(m.sdk, os.DirFS(filepath.Join(root, "headers", "3.0"))))
	require.NoError(t, os.CopyFS(m.sdk, os.DirFS(filepath.Join(root, "examples", "sha", "sdk", "include"))))
	// The module cache is the proxy for what this module requires, so that a network is not needed. The cache that the
	// user's go fills is a new one, since a version's contents never change elsewhere: go keeps an index of them.
	proxies := publish(t) + ",file://" + filepath.Join(goEnv("GOMODCACHE"), "cache", "download") + "," + goEnv("GOPROXY")
	m.env = append(os.Environ(), "GOPROXY="+proxies, "GOMODCACHE="+t.TempDir(), "GOSUMDB=off", "GOWORK=off",
		"GOFLAGS=-modcacherw -trimpath", "DOCA_PROVIDER=emulator")
	return m
}

// run has the shell run a line of a page in dir, and returns its standard output and the exit status.
func (m *machine) run(t *testing.T, dir, line string) (stdout string, status int) {
	t.Helper()
	cmd := exec.Command("bash", "-c", strings.ReplaceAll(line, installed, m.sdk))
	var errOut strings.Builder
	cmd.Dir, cmd.Env, cmd.Stderr = dir, m.env, &errOut
	out, err := cmd.Output()
	t.Logf("$ %s\n%s%s", line, out, errOut.String())
	if cmd.ProcessState == nil {
		require.NoError(t, err)
	}
	return string(out), cmd.ProcessState.ExitCode()
}

// follow runs commands one after the other. What a page shows of their output is what they begin with: notes that
// depend on the machine may come behind.
func (m *machine) follow(t *testing.T, dir string, commands []command) {
	t.Helper()
	for _, c := range commands {
		out, status := m.run(t, dir, c.line)
		require.Zero(t, status, c.line)
		require.Regexp(t, "^"+regexp.QuoteMeta(strings.Join(strings.Fields(c.output), " ")), strings.Join(strings.Fields(out), " "), c.line)
	}
}

// write has a file that a page shows.
func (m *machine) write(t *testing.T, path, text string) {
	t.Helper()
	require.NoError(t, os.WriteFile(path, []byte(strings.ReplaceAll(text, installed, m.sdk)), 0o644))
}

// One after the other: the first that runs the generator compiles it for all.
func TestDocumentedStart(t *testing.T) {
	m := newMachine(t)
	t.Run("program", func(t *testing.T) {
		page := blocks(t, "README.md", "Use it")
		require.Len(t, page, 4)
		dir := t.TempDir()
		start := page[0].commands(t)
		require.Len(t, start, 2)
		m.follow(t, dir, start[:1])
		dir = filepath.Join(dir, "hello") // where the first line goes
		m.follow(t, dir, start[1:])
		require.Equal(t, "go", page[1].language)
		m.write(t, filepath.Join(dir, "main.go"), page[1].text)
		m.follow(t, dir, page[2].commands(t))
		// What the generator and the tests of this module need is no requirement of a program.
		goMod, err := os.ReadFile(filepath.Join(dir, "go.mod"))
		require.NoError(t, err)
		assert.Equal(t, 1, strings.Count(string(goMod), "require"), "%s", goMod)
		assert.Contains(t, string(goMod), "\nrequire "+released.Path+" "+released.Version)
		if _, err := exec.LookPath("aarch64-linux-gnu-gcc"); err != nil {
			t.Log("the build for a BlueField is left out:", err)
		} else {
			m.follow(t, dir, page[3].commands(t))
		}
	})
	t.Run("commands", func(t *testing.T) {
		dir := t.TempDir()
		for _, name := range []string{"doca", "doca-vet"} {
			_, status := m.run(t, dir, "GOBIN="+dir+" go install "+released.Path+"/cmd/"+name+"@latest")
			require.Zero(t, status)
		}
		out, status := m.run(t, dir, "./doca devices")
		assert.Zero(t, status)
		assert.Contains(t, out, "0000:03:00.0")
		out, status = m.run(t, dir, "./doca bench rdma --size 64 --window 8 --time 5ms") // it starts itself once more
		assert.Zero(t, status)
		assert.Contains(t, out, "write")
		_, status = m.run(t, dir, "./doca-vet help")
		assert.Zero(t, status)
	})
	t.Run("README's bindings", func(t *testing.T) {
		dir := t.TempDir()
		m.follow(t, dir, []command{{line: "go mod init example.com/you"}})
		page := blocks(t, "README.md", "Regenerate it")
		require.Len(t, page, 2) // the first is of commands in a clone of this module
		m.follow(t, dir, page[1].commands(t))
		assert.FileExists(t, filepath.Join(dir, "internal", "doca", "sha", "sha.go"))
	})
	t.Run("bindings", func(t *testing.T) {
		dir := t.TempDir()
		m.follow(t, dir, []command{{line: "git init -q && go mod init example.com/you"}})
		page := blocks(t, "docs/new-sdk.md", "Bindings of your own")
		require.Len(t, page, 4)
		m.follow(t, dir, page[0].commands(t))

		imports, use, found := strings.Cut(page[1].text, ")\n")
		require.True(t, found, page[1].text)
		m.write(t, filepath.Join(dir, "use.go"), "package you\n\n"+imports+")\n\nfunc use(dev *common.Dev) (*sha.SHA, error) {\n"+use+"\nreturn ctx, err\n}\n")
		require.Regexp(t, "^//go:generate .*\n$", page[2].text)
		m.write(t, filepath.Join(dir, "doca.go"), "package you\n\n"+page[2].text)
		const commit = "git add . && git -c user.name=you -c user.email=you@example.com commit -qm bindings"
		m.follow(t, dir, []command{{line: "go vet ./..."}, {line: commit}})

		again := page[3].commands(t)
		require.Len(t, again, 3)
		m.follow(t, dir, again)
		m.follow(t, dir, []command{{line: "git diff --exit-code -- internal"}})

		// Another SDK, in which an enumerator has another name.
		newer := *m
		newer.sdk = t.TempDir()
		require.NoError(t, os.CopyFS(newer.sdk, os.DirFS(m.sdk)))
		header, err := os.ReadFile(filepath.Join(newer.sdk, "doca_sha.h"))
		require.NoError(t, err)
		m.write(t, filepath.Join(newer.sdk, "doca_sha.h"), strings.ReplaceAll(string(header), "DOCA_SHA_ALGORITHM_SHA256", "DOCA_SHA_ALGORITHM_OTHER"))
		newer.write(t, filepath.Join(dir, "doca.go"), "package you\n\n"+page[2].text)
		newer.follow(t, dir, again[:1])
		out, status := newer.run(t, dir, again[1].line)
		assert.Equal(t, 2, status, "something breaks")
		assert.Contains(t, out, "DOCA_SHA_ALGORITHM_OTHER")
		newer.follow(t, dir, again[2:])
	})
	t.Run("check", func(t *testing.T) {
		dir := t.TempDir()
		m.follow(t, dir, []command{{line: "go mod init example.com/you && go get -tool github.com/go-doca/go-doca/gen"}})
		page := blocks(t, "docs/check.md", "")
		require.Len(t, page, 2) // the first is of a clone of this module
		check := page[1].commands(t)
		require.Len(t, check, 1)
		out, status := m.run(t, dir, check[0].line)
		assert.Zero(t, status)
		assert.Contains(t, out, "\n0 differences; ")
	})
}
