// SPDX-License-Identifier: Apache-2.0

//go:build browser

package conformance

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
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

// The page can be filtered, is readable at 400 pixels, and has two color schemes.
func TestPageInBrowser(t *testing.T) {
	var b bytes.Buffer
	require.NoError(t, sampleReport().WriteHTML(&b))
	file := filepath.Join(t.TempDir(), "report.html")
	require.NoError(t, os.WriteFile(file, b.Bytes(), 0o600))
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(chrome(t)), chromedp.NoSandbox,
		chromedp.Flag("disable-dev-shm-usage", true), chromedp.WindowSize(400, 800))
	ctx, cancel := chromedp.NewExecAllocator(context.Background(), options...)
	defer cancel()
	ctx, cancel = chromedp.NewContext(ctx)
	defer cancel()
	ctx, cancel = context.WithTimeout(ctx, 2*time.Minute)
	defer cancel()
	number := func(js string) int {
		n, err := chromedp.Run(ctx, chromedp.Evaluate[int](js))
		require.NoError(t, err, js)
		return n
	}
	visible := func() int {
		return number(`[...document.querySelectorAll("article")].filter(a => a.checkVisibility()).length`)
	}
	narrow := emulation.SetDeviceMetricsOverrideParams{Width: 400, Height: 800, DeviceScaleFactor: 1}
	_, err := chromedp.Call(ctx, emulation.SetDeviceMetricsOverride, narrow)
	require.NoError(t, err)
	require.NoError(t, chromedp.Do(ctx, chromedp.Navigate("file://"+file), chromedp.WaitVisible(chromedp.CSS("#shown"))))
	assert.Equal(t, 7, visible())
	assert.Equal(t, 7, number(`parseInt(document.getElementById("shown").textContent)`))
	require.NoError(t, chromedp.Do(ctx, chromedp.Click(chromedp.CSS("input[value=passed]"))))
	assert.Equal(t, 5, visible())
	require.NoError(t, chromedp.Do(ctx, chromedp.Click(chromedp.CSS("input[value=passed]"))))
	set := func(id, value string) {
		number(`(() => { const e = document.getElementById("` + id + `"); e.value = "` + value + `"; e.dispatchEvent(new Event("input")); return 0; })()`)
	}
	set("library", "dma")
	assert.Equal(t, 1, visible())
	set("library", "")
	set("words", "doca_x DIFFERS")
	assert.Equal(t, 1, visible())
	set("words", "")
	assert.Equal(t, 400, number("window.innerWidth"))
	assert.LessOrEqual(t, number("document.documentElement.scrollWidth"), 400, "nothing is wider than the window")
	for scheme, want := range map[string]string{"light": "rgb(255, 255, 255)", "dark": "rgb(13, 17, 23)"} {
		media := emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}}
		_, err := chromedp.Call(ctx, emulation.SetEmulatedMedia, media)
		require.NoError(t, err)
		back, err := chromedp.Run(ctx, chromedp.Evaluate[string](`getComputedStyle(document.body).backgroundColor`))
		require.NoError(t, err)
		assert.Equal(t, want, back, scheme)
	}
}
