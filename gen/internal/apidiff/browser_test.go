//go:build browser

package apidiff

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// chrome is the browser; without one the test fails, for the tag asked for it.
func chrome(t *testing.T) string {
	t.Helper()
	for _, name := range []string{os.Getenv("CHROME"), "chromium", "chromium-browser", "google-chrome", "chrome"} {
		if path, err := exec.LookPath(name); name != "" && err == nil {
			return path
		}
	}
	t.Fatal("no browser: install chromium, or name one in $CHROME; without the build tag browser this test is not asked for")
	return ""
}

// console collects what the page complains about.
type console struct {
	mu   sync.Mutex
	says []string
}

func (c *console) hear(ev any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch ev := ev.(type) {
	case *runtime.EventExceptionThrown:
		c.says = append(c.says, ev.ExceptionDetails.Text)
	case *runtime.EventConsoleAPICalled:
		c.says = append(c.says, string(ev.Type))
	case *log.EventEntryAdded:
		c.says = append(c.says, ev.Entry.Text)
	}
}

func (c *console) text() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return strings.Join(c.says, "\n")
}

// tab is a page in the browser.
type tab struct {
	*testing.T
	ctx context.Context
}

func (p tab) do(steps ...chromedp.Action[chromedp.Void]) {
	p.Helper()
	require.NoError(p, chromedp.Do(p.ctx, steps...))
}

// eval is the value of an expression in the page.
func eval[V any](p tab, js string) V {
	p.Helper()
	v, err := chromedp.Run(p.ctx, chromedp.Evaluate[V](js))
	require.NoError(p, err, js)
	return v
}

// media sets what the page is shown on.
func (p tab) media(kind, scheme string) {
	p.Helper()
	m := emulation.SetEmulatedMediaParams{Media: kind}
	if scheme != "" {
		m.Features = []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}
	}
	_, err := chromedp.Call(p.ctx, emulation.SetEmulatedMedia, m)
	require.NoError(p, err)
}

func (p tab) choose(id, value string) {
	p.Helper()
	eval[bool](p, fmt.Sprintf(`(() => { const e = document.getElementById(%q); e.value = %q; return e.dispatchEvent(new Event('input', {bubbles: true})); })()`, id, value))
}

// visible counts the changes that are to be seen, and checks the number that the page says.
func (p tab) visible() int {
	p.Helper()
	n := eval[int](p, `Array.from(document.querySelectorAll('article')).filter(a => a.checkVisibility()).length`)
	assert.Equal(p, n, eval[int](p, `Number(document.getElementById('shown').textContent)`))
	return n
}

// reset shows all again. The page does that a moment after the click.
func (p tab) reset() {
	p.Helper()
	p.do(chromedp.Click(chromedp.CSS(`button[type=reset]`)), chromedp.Sleep(50*time.Millisecond))
}

func TestPageInBrowser(t *testing.T) {
	r := sample(t)
	var b bytes.Buffer
	require.NoError(t, WriteHTML(&b, r))
	file := filepath.Join(t.TempDir(), "report.html")
	require.NoError(t, os.WriteFile(file, b.Bytes(), 0o644))

	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(chrome(t)), chromedp.NoSandbox,
		chromedp.Flag("disable-dev-shm-usage", true), chromedp.WindowSize(1300, 1000))
	ctx, cancel := chromedp.NewExecAllocator(context.Background(), options...)
	defer cancel()
	ctx, cancel = chromedp.NewContext(ctx)
	defer cancel()
	ctx, cancel = context.WithTimeout(ctx, 2*time.Minute)
	defer cancel()
	p := tab{t, ctx}
	var says console
	require.NoError(t, chromedp.Listen(ctx, says.hear))
	count := func(pass func(Change) bool) (n int) {
		for _, c := range r.Changes {
			if pass(c) {
				n++
			}
		}
		require.NotZero(t, n)
		return n
	}
	page := "file://" + file
	_, err := chromedp.Call(ctx, log.Enable, cdp.Empty{})
	require.NoError(t, err)
	p.do(chromedp.Navigate(page), chromedp.WaitVisible(chromedp.CSS(`#filters`)))
	assert.Equal(t, len(r.Changes), p.visible())

	p.do(chromedp.Click(chromedp.CSS(`input[value=addition]`)))
	assert.Equal(t, count(func(c Change) bool { return c.Class != Addition }), p.visible())
	assert.False(t, eval[bool](p, `document.querySelector('section[data-section=addition]').checkVisibility()`))
	p.reset()
	assert.Equal(t, len(r.Changes), p.visible())

	p.do(chromedp.Click(chromedp.CSS(`input[value=renamed]`)), chromedp.Click(chromedp.CSS(`input[value=layout]`)))
	either := func(c Change) bool { return c.Has(Renamed) || c.Has(Layout) }
	assert.Equal(t, count(either), p.visible())
	assert.Equal(t, count(func(c Change) bool { return c.Class == Breaking && either(c) }),
		eval[int](p, `Number(document.querySelector('#classes .breaking output').textContent)`), "counts follow the other filters")
	p.reset()

	p.choose("library", "comch")
	assert.Equal(t, count(func(c Change) bool { return c.Library == "comch" }), p.visible())
	assert.Equal(t, "experimental (0)", eval[string](p, `document.querySelector('#stability option[value=experimental]').textContent`))
	p.reset()
	p.choose("stability", "experimental")
	assert.Equal(t, count(func(c Change) bool { return c.Stability == "experimental" }), p.visible())
	p.reset()
	p.do(chromedp.Click(chromedp.CSS(`#forgo`)))
	assert.Equal(t, r.Summary.ForGo, p.visible())
	p.reset()

	// The keyboard alone: / goes to the search, Escape clears it.
	for _, typ := range []input.DispatchKeyEventType{input.DispatchKeyEventTypeKeyDown, input.DispatchKeyEventTypeKeyUp} {
		key := input.DispatchKeyEventParams{Type: typ, Key: "/", Code: "Slash"}
		if typ == input.DispatchKeyEventTypeKeyDown {
			key.Text = "/" // the page may keep the letter from being written
		}
		_, err := chromedp.Call(ctx, input.DispatchKeyEvent, key)
		require.NoError(t, err)
	}
	p.do(chromedp.KeyEvent("doca_x_send conn"))
	assert.True(t, eval[bool](p, `document.activeElement.id === 'search'`))
	assert.Equal(t, "doca_x_send conn", eval[string](p, `document.getElementById('search').value`))
	assert.Equal(t, 1, p.visible())
	assert.True(t, eval[bool](p, `document.getElementById('function-doca_x_send').checkVisibility()`))
	p.do(chromedp.KeyEvent(" zzz"))
	assert.Equal(t, 0, p.visible())
	assert.True(t, eval[bool](p, `document.getElementById('nothing').checkVisibility()`))
	p.do(chromedp.KeyEvent(kb.Escape))
	assert.Equal(t, len(r.Changes), p.visible())

	// Old and new stand side by side, with what differs marked.
	const sides = `document.querySelector('#function-doca_x_send .sides tbody tr')`
	assert.True(t, eval[bool](p, `(() => { const [a, b] = `+sides+`.querySelectorAll('td'), p = a.getBoundingClientRect(), q = b.getBoundingClientRect();
		return p.right <= q.left + 1 && Math.abs(p.top - q.top) < 1; })()`))
	assert.True(t, eval[bool](p, sides+`.querySelector('ins').textContent.includes('struct doca_conn *conn')`))
	assert.Equal(t, 0, eval[int](p, sides+`.querySelectorAll('del').length`))

	// A link to a symbol shows it although a filter hides it.
	p.choose("library", "comch")
	eval[string](p, `location.hash = '#function-doca_x_send'`)
	p.do(chromedp.Sleep(100 * time.Millisecond))
	assert.True(t, eval[bool](p, `(() => { const a = document.getElementById('function-doca_x_send'), r = a.getBoundingClientRect();
		return a.checkVisibility() && r.top >= 0 && r.bottom <= innerHeight; })()`))

	// Dark and light.
	background := `getComputedStyle(document.body).backgroundColor`
	eval[bool](p, `(scrollTo(0, 0), true)`)
	p.media("", "light")
	light := eval[string](p, background)
	p.do(chromedp.Click(chromedp.CSS(`#theme`)))
	dark := eval[string](p, background)
	assert.NotEqual(t, light, dark)
	p.do(chromedp.Click(chromedp.CSS(`#theme`)))
	assert.Equal(t, light, eval[string](p, background))
	p.do(chromedp.Reload(), chromedp.WaitVisible(chromedp.CSS(`#filters`)))
	p.media("", "dark")
	assert.Equal(t, dark, eval[string](p, background))

	// On paper there are no filters.
	p.media("print", "")
	assert.False(t, eval[bool](p, `document.getElementById('filters').checkVisibility()`))
	assert.True(t, eval[bool](p, `document.querySelector('article').checkVisibility()`))

	assert.True(t, eval[bool](p, `performance.getEntriesByType('resource').length === 0`), "the page loads nothing")
	assert.Empty(t, says.text())

	// Without scripts everything is there, without the filters.
	p.media("", "")
	_, err = chromedp.Call(ctx, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
	require.NoError(t, err)
	p.do(chromedp.Navigate(page), chromedp.WaitReady(chromedp.CSS(`article`)))
	assert.Equal(t, len(r.Changes), eval[int](p, `document.querySelectorAll('article:not([hidden])').length`))
	assert.False(t, eval[bool](p, `document.getElementById('filters').checkVisibility()`))
}
