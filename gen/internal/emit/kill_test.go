package emit

import (
	"bufio"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-doca/go-doca/internal/selfexec"
)

// edition is a set of files of which no two editions have all in common.
func edition(n int) Files {
	f := Files{}
	for i := range 60 {
		text := fmt.Sprintf("// %s\nedition %d\n%s", generated, n, strings.Repeat("x", 2000))
		if i%3 == 0 {
			text = "// " + generated + "\nthe same in all\n"
		}
		f[fmt.Sprintf("p%d/f%d.go", i%7, i)] = []byte(text)
	}
	f[fmt.Sprintf("only%d/f.go", n)] = []byte(fmt.Sprintf("// %s\n%d\n", generated, n))
	return f
}

// files is all that is in a directory.
func filesIn(t *testing.T, dir string) Files {
	t.Helper()
	f := Files{}
	require.NoError(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(dir, path)
		switch {
		case err != nil:
			return err
		case d.IsDir():
			entries, err := os.ReadDir(path)
			if len(entries) == 0 {
				f[rel+"/"] = nil
			}
			return err
		}
		f[rel], err = os.ReadFile(path)
		return err
	}))
	return f
}

const writer = "DOCA_TEST_WRITE_DIR"

// TestMain is also the process that TestKilledWrite kills.
func TestMain(m *testing.M) {
	dir := os.Getenv(writer)
	if dir == "" {
		os.Exit(m.Run())
	}
	for n := 0; ; n++ {
		if err := edition(n % 2).Write(dir); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		if n == 0 {
			fmt.Println("writing")
		}
	}
}

// A writer that is killed leaves the old files or the new, whenever that happens, and the next run removes what it left.
func TestKilledWrite(t *testing.T) {
	t.Parallel()
	above := t.TempDir()
	dir := filepath.Join(above, "generated")
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "p1", "empty"), 0o755))
	own := map[string]string{"p1/own.go": "mine", "go.mod": "module mine"}
	for name, text := range own {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	require.NoError(t, os.Symlink("own.go", filepath.Join(dir, "p1", "link.go")))
	var want [2]Files
	for i := range want {
		want[i] = edition(i)
		for name, text := range own {
			want[i][name] = []byte(text)
		}
		want[i]["p1/link.go"] = []byte("mine")
		want[i]["p1/empty/"] = nil
	}
	seen, left := [2]int{}, 0
	const rounds = 60
	for range rounds {
		cmd := selfexec.Command(t)
		cmd.Env = append(os.Environ(), writer+"="+dir)
		out, err := cmd.StdoutPipe()
		require.NoError(t, err)
		require.NoError(t, cmd.Start())
		said, err := bufio.NewReader(out).ReadString('\n')
		require.NoError(t, err)
		require.Equal(t, "writing\n", said)
		time.Sleep(time.Duration(rand.IntN(60_000)) * time.Microsecond) // whenever: nothing depends on it
		require.NoError(t, cmd.Process.Kill())
		_ = cmd.Wait()

		have := filesIn(t, dir)
		which := 0
		if _, ok := have["only1/f.go"]; ok {
			which = 1
		}
		seen[which]++
		require.Equal(t, names(want[which]), names(have))
		for name := range have {
			require.True(t, string(want[which][name]) == string(have[name]), "%s is of another edition", name)
		}
		entries, err := os.ReadDir(above)
		require.NoError(t, err)
		left += len(entries) - 1
		require.NoError(t, edition(0).Write(dir))
		entries, err = os.ReadDir(above)
		require.NoError(t, err)
		require.Len(t, entries, 1, "what the killed run left is still there")
	}
	t.Logf("%d kills: the first edition %d times, the other %d times, something left beside %d times", rounds, seen[0], seen[1], left)
}

func names(f Files) []string { return f.Paths() }

// What a run left that wrote in place, and was killed, is removed too; what only looks like it stays.
func TestLeftovers(t *testing.T) {
	t.Parallel()
	for name, write := range map[string]func(Files, string) error{"exchange": Files.Write, "in place": Files.WriteAmong} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			above := t.TempDir()
			dir := filepath.Join(above, "out")
			require.NoError(t, edition(0).Write(dir))
			for _, path := range []string{".gen-123", "p1/.gen-4567", "p1/.gen-notes", ".gen-"} {
				require.NoError(t, os.WriteFile(filepath.Join(dir, path), nil, 0o600))
			}
			require.NoError(t, os.MkdirAll(filepath.Join(above, ".gen-out-notes"), 0o755))
			require.NoError(t, write(edition(1), dir))
			want := edition(1)
			want["p1/.gen-notes"], want[".gen-"] = nil, nil
			assert.Equal(t, names(want), names(filesIn(t, dir)))
			assert.DirExists(t, filepath.Join(above, ".gen-out-notes"))
		})
	}
}

// The working directory is not exchanged: a shell would stay in the old one.
func TestWriteWorkingDirectory(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "out")
	require.NoError(t, edition(0).Write(dir))
	t.Chdir(dir)
	before, err := os.Stat(dir)
	require.NoError(t, err)
	require.NoError(t, edition(1).Write("."))
	after, err := os.Stat(dir)
	require.NoError(t, err)
	assert.True(t, os.SameFile(before, after))
	assert.Equal(t, names(edition(1)), names(filesIn(t, dir)))
}

// A directory among others is not exchanged either, nor does it matter that nobody may write beside it.
func TestWriteInPlace(t *testing.T) {
	t.Parallel()
	above := t.TempDir()
	dir := filepath.Join(above, "out")
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "below"), 0o755))
	mark := "// " + generated + "\n"
	require.NoError(t, os.WriteFile(filepath.Join(dir, "below", "x.go"), []byte(mark), 0o644))
	require.NoError(t, Files{"a.go": []byte(mark)}.WriteInto(dir))
	assert.FileExists(t, filepath.Join(dir, "below", "x.go"))
	require.NoError(t, os.Chmod(above, 0o555))
	defer os.Chmod(above, 0o755)
	require.NoError(t, Files{"b.go": []byte(mark)}.Write(dir))
	assert.Equal(t, []string{"b.go"}, names(filesIn(t, dir)))
}
