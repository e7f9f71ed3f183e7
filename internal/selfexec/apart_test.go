package selfexec

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/rdma"
	"github.com/go-doca/go-doca/emulator"
)

const listens = "SELFEXEC_TEST_LISTENS"

func TestMain(m *testing.M) {
	os.Setenv("DOCA_PROVIDER", emulator.Name)
	end := Apart()
	if os.Getenv(listens) != "" {
		if err := listen(); err != nil {
			fmt.Println(err)
		}
		end()
		os.Exit(0)
	}
	code := m.Run()
	end()
	os.Exit(code)
}

// listen listens for connections, and says so, until the test has ended.
func listen() error {
	dev, err := doca.OpenDevice("03:00.0")
	if err != nil {
		return err
	}
	defer dev.Close()
	pe, err := doca.NewProgressEngine(doca.EngineConfig{})
	if err != nil {
		return err
	}
	defer pe.Close()
	server, err := rdma.New(dev, pe, rdma.Config{})
	if err != nil {
		return err
	}
	if _, err = server.Listen(18999); err != nil {
		return err
	}
	fmt.Println(listens)
	_, err = os.Stdin.Read(make([]byte, 1))
	if err == io.EOF {
		return nil
	}
	return err
}

// Processes that are apart have servers with the same port. One that is started by another is not apart from it.
func TestApart(t *testing.T) {
	process := func(dir string) string {
		cmd := Command(t)
		cmd.Env = append(os.Environ(), listens+"=1", "DOCA_EMU_RDMA_ADDRESS=none", runtimeDir+"="+dir)
		cmd.Stderr = os.Stderr
		in, err := cmd.StdinPipe()
		require.NoError(t, err)
		out, err := cmd.StdoutPipe()
		require.NoError(t, err)
		require.NoError(t, cmd.Start())
		t.Cleanup(func() {
			assert.NoError(t, in.Close())
			assert.NoError(t, cmd.Wait())
		})
		said, err := bufio.NewReader(out).ReadString('\n')
		require.NoError(t, err)
		return said
	}
	assert.Equal(t, listens+"\n", process(""))
	assert.Equal(t, listens+"\n", process(""))
	inherited := os.Getenv(runtimeDir)
	assert.Equal(t, listens+"\n", process(inherited))
	assert.Contains(t, process(inherited), "port 18999 may be in use")
}
