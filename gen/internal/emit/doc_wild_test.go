package emit

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// wild is a header in whose comments nothing is uniform.
const wild = "/*!\r\n" +
	" * \\file doca_dma.h\r\n" +
	" * \\brief Copies.\r\n" +
	" */\r\n" + `
#include <doca_buf.h>
#include <doca_error.h>

/** The most <b>copies</b>.
 *  It is fixed */
#define DOCA_DMA_MOST 8

struct doca_dma; /**< Copies. */

/// How it ends.
/// Or not.
enum doca_dma_end {
	DOCA_DMA_END_GOOD, //!< all is @b well
	/*! @brief something
	 *
	 *  is wrong, see doca_dma_stop() */
	DOCA_DMA_END_BAD,
	DOCA_DMA_END_NEVER /**< a long comment behind an enumerator, which has no room there, since it goes on and on and on */
};

/*! A piece. */
struct doca_dma_piece {
	void *addr; ///< where it starts
	size_t len; /*!< its @p addr is as long */
};

/**
 * \brief Called when a copy ends.
 * \param[in] dma the context
 * \param[in] end   how
 * \param user_data what doca_dma_start() got
 */
typedef void (*doca_dma_end_cb_t)(struct doca_dma *dma, enum doca_dma_end end, void *user_data);

/**
 * @brief
 * Start a copy
 *
 * @dma [in]: the context
 * @param [in] dma - DOCA DMA.
 * @param[in] src
 *   the source
 * @param   end_cb  for the end
 * @param cookie
 * @return
 * DOCA_SUCCESS - in case of success.
 * Error code - in case of failure:
 * - DOCA_ERROR_INVALID_VALUE - if dma is NULL.
 *
 * @note This is slow:
 * @code
 *   doca_dma_start(dma, src, NULL, NULL);
 * @endcode
 */
doca_error_t doca_dma_start(struct doca_dma *dma, struct doca_buf *src, doca_dma_end_cb_t end_cb, void *user_data);

//! Stops it.
//! @param dma its context
//! @deprecated by nobody
doca_error_t doca_dma_stop(struct doca_dma *dma);
`

func TestDocsOfWildHeader(t *testing.T) {
	t.Parallel()
	sdk := t.TempDir()
	for _, h := range []string{"error", "types", "compat", "version", "buf", "mmap", "pe", "ctx", "dev", "buf_inventory", "buf_pool", "config", "build_config", "common_defines", "log"} {
		text, err := os.ReadFile("../../../headers/3.0/doca_" + h + ".h")
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(sdk, "doca_"+h+".h"), text, 0o644))
	}
	require.NoError(t, os.WriteFile(filepath.Join(sdk, "doca_dma.h"), []byte(wild), 0o644))
	files := generateFrom(t, sdk)
	checkDocs(t, files, 200, false)
	text := string(files["dma/dma.go"])
	for _, want := range []string{
		`
// End is enum doca_dma_end: how it ends. Or not.
type End int32
`, `
	// EndGood is DOCA_DMA_END_GOOD: all is well.
	EndGood End = 0
	// EndBad is DOCA_DMA_END_BAD: something.
	//
	// Is wrong, see [Stop].
	EndBad End = 1
	// EndNever is DOCA_DMA_END_NEVER: a long comment behind an enumerator, which has no room
	// there, since it goes on and on and on.
	EndNever End = 2
`, `
// DMA copies.
//
// It is struct doca_dma in C. Only pointers to it exist in Go.
type DMA struct {
`, `
// Piece is a piece.
//
// It is struct doca_dma_piece in C. It has the layout of C.
type Piece struct {
	// Where it starts.
	Addr unsafe.Pointer
	// Its addr is as long.
	Len uint64
}
`, `
	// Most is DOCA_DMA_MOST: the most copies. It is fixed.
	Most = 8
`, `
	// KindStartEnd is the callback end_cb of [Start]: for the end.
	//
	// Called when a copy ends.
	//
	// Its records ([abi.Record]) hold:
	//   - Object, a [*DMA]: the context.
	//   - Args[0], an [End]: how.
	//   - User: what [Start] got.
	//   - Ctx: [abi.NoContext].
	KindStartEnd abi.Kind =`, `
// Start starts a copy.
//
// Note: This is slow:
//
//	doca_dma_start(dma, src, NULL, NULL);
//
// Parameters:
//   - ring: receives the records of callbacks that run during the call; nil leaves them to Collect.
//   - dma: the context. DOCA DMA.
//   - src: the source.
//
// It installs callbacks that leave these records:
//   - [KindStartEnd]: for the end.
//
// Errors:
//   - [abi.ErrorInvalidValue]: if dma is nil.
//
// In C:
//
//	doca_error_t doca_dma_start(struct doca_dma *dma, struct doca_buf *src,
//		doca_dma_end_cb_t end_cb, void *user_data)
func Start(`, `
// Stop stops it.
//
// Parameters:
//   - ring: receives the records of callbacks that run during the call; nil leaves them to Collect.
//   - dma: its context.
//
// Deprecated: By nobody.
//
// In C:
//
//	doca_error_t doca_dma_stop(struct doca_dma *dma)
func Stop(`,
	} {
		assert.Contains(t, text, want)
	}
	assert.Contains(t, string(files["dma/library.go"]), "//\n// # doca_dma.h\n//\n// Copies.\npackage dma\n")
}
