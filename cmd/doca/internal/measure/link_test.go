// SPDX-License-Identifier: Apache-2.0

package measure

import (
	"bufio"
	"io"
	"net"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Whatever listens at the address costs the measuring side bounded memory, and its text is one line that a terminal prints as it is.
func TestAnswersOfOthers(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ says, want string }{
		"endless":  {`{"error": "` + strings.Repeat("x", 4*maxMessage), "no answer of the serving side: a message of 65536 bytes and more"},
		"orders":   {`{"error": "a\nb\u001b[2J Grüße"}`, "the serving side: a b\uFFFD[2J Grüße"},
		"no JSON":  {"HTTP/1.1 400 Bad Request\r\n", "no answer of the serving side: invalid character 'H' looking for beginning of value"},
		"nothing":  {"", "no answer of the serving side: EOF"},
		"cut off":  {`{"error": "`, "no answer of the serving side: unexpected EOF"},
		"no error": {"{}", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l, err := net.Listen("tcp", "127.0.0.1:0")
			require.NoError(t, err)
			defer l.Close()
			go func() {
				conn, err := l.Accept()
				if err != nil {
					return
				}
				defer conn.Close()
				_, _ = bufio.NewReader(conn).ReadString('\n') // the request
				_, _ = io.WriteString(conn, c.says)
			}()
			link, err := Dial(t.Context(), l.Addr().String())
			require.NoError(t, err)
			_, err = link.ask(request{Library: "dma", Bytes: 1, Size: 1, Window: 1})
			if c.want == "" {
				assert.NoError(t, err)
			} else {
				assert.EqualError(t, err, c.want)
			}
			assert.NoError(t, link.Close())
		})
	}
}
