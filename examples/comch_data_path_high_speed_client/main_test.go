package main

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-doca/go-doca/doca"
	"github.com/go-doca/go-doca/doca/comch"
	"github.com/go-doca/go-doca/emulator"
	"github.com/go-doca/go-doca/examples/internal/datapath"
	"github.com/go-doca/go-doca/internal/selfexec"
)

func TestMain(m *testing.M) {
	os.Setenv("DOCA_PROVIDER", emulator.Name)
	end := selfexec.Apart() // the server's name is the sample's
	code := m.Run()
	end()
	os.Exit(code)
}

// A client that the server turns away says what has happened and where to look.
func TestTurnedAway(t *testing.T) {
	dev, err := doca.OpenDevice("03:00.0")
	require.NoError(t, err)
	defer dev.Close()
	rep, err := dev.OpenRepresentor("b1:00.0")
	require.NoError(t, err)
	srv, err := comch.Listen(t.Context(), dev, rep, datapath.ServerName, comch.Config{})
	require.NoError(t, err)
	go func() {
		if conn, err := srv.Accept(t.Context()); assert.NoError(t, err) {
			assert.NoError(t, conn.Close())
		}
	}()
	err = run(t.Context(), "b1:00.0", "text")
	require.ErrorIs(t, err, comch.ErrPeerGone)
	t.Log(err)
	for _, words := range []string{"start_data_path_test", "comch client#", "nothing has arrived from the server before", "its log"} {
		require.ErrorContains(t, err, words)
	}
}
