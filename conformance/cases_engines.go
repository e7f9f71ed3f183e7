// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"github.com/go-doca/go-doca/generated/common"
	"github.com/go-doca/go-doca/generated/compress"
	"github.com/go-doca/go-doca/generated/erasurecoding"
)

func compressCases() []Case {
	limits := func(t *T) *compress.Compress {
		c, err := compress.Create(t.dev(NeedCompress))
		t.must("doca_compress_create", err)
		t.onEnd(func() { _ = compress.Destroy(t.ring, c) })
		return c
	}
	one := func(name, rule string, run func(*T)) Case {
		return Case{Name: name, Library: "compress", Rule: rule, Source: Documented, Needs: needs(NeedCompress), Run: run}
	}
	return []Case{
		nullWith(NeedCompress, "compress", "compress",
			nullCall{"compress_create", func(*T) error { return second(compress.Create(nil)) }},
			nullCall{"compress_task_decompress_deflate_set_conf", func(*T) error { return compress.TaskDecompressDeflateSetConf(nil, 1) }},
		),
		one("compress/limits", "A device that decompresses names its largest buffer.", func(t *T) {
			n, err := compress.CapTaskDecompressDeflateGetMaxBufSize(t.info(NeedCompress))
			t.must("doca_compress_cap_task_decompress_deflate_get_max_buf_size", err)
			t.that("doca_compress_cap_task_decompress_deflate_get_max_buf_size", "1 or more", n, n > 0)
		}),
		one("compress/start-and-stop", "A context starts and stops at once, and is not configured when running.", func(t *T) {
			pe, c := t.pe(), limits(t)
			ctx, err := compress.AsCtx(c)
			t.must("doca_compress_as_ctx", err)
			t.must("doca_compress_task_decompress_deflate_set_conf", compress.TaskDecompressDeflateSetConf(c, 2))
			t.must("doca_pe_connect_ctx", common.PEConnectCtx(pe, ctx))
			t.code("doca_ctx_start of Compress", t.ctxStart(ctx), success)
			t.code("doca_compress_destroy when running", compress.Destroy(t.ring, c), inUse, badState)
			t.code("doca_ctx_stop of Compress", t.ctxStop(ctx), success)
		}),
		one("compress/start-without-engine", "A context without an engine does not start.", func(t *T) {
			c := limits(t)
			ctx, err := compress.AsCtx(c)
			t.must("doca_compress_as_ctx", err)
			t.must("doca_compress_task_decompress_deflate_set_conf", compress.TaskDecompressDeflateSetConf(c, 2))
			t.code("doca_ctx_start without an engine", common.CtxStart(t.ring, ctx), notConnected)
		}),
	}
}

func erasureCodingCases() []Case {
	ec := func(t *T) *erasurecoding.Ec {
		c, err := erasurecoding.EcCreate(t.dev(NeedErasureCoding))
		t.must("doca_ec_create", err)
		t.onEnd(func() { _ = erasurecoding.EcDestroy(t.ring, c) })
		return c
	}
	one := func(name, rule string, run func(*T)) Case {
		return Case{Name: name, Library: "erasurecoding", Rule: rule, Source: Documented, Needs: needs(NeedErasureCoding), Run: run}
	}
	return []Case{
		nullWith(NeedErasureCoding, "erasurecoding", "erasure-coding",
			nullCall{"ec_create", func(*T) error { return second(erasurecoding.EcCreate(nil)) }},
			nullCall{"ec_task_create_set_conf", func(*T) error { return erasurecoding.EcTaskCreateSetConf(nil, 1) }},
		),
		one("erasure-coding/limits", "A device with erasure coding names its largest block.", func(t *T) {
			n, err := erasurecoding.EcCapGetMaxBlockSize(t.info(NeedErasureCoding))
			t.must("doca_ec_cap_get_max_block_size", err)
			t.that("doca_ec_cap_get_max_block_size", "1 or more", n, n > 0)
		}),
		one("erasure-coding/start-and-stop", "A context starts and stops at once.", func(t *T) {
			pe, c := t.pe(), ec(t)
			ctx, err := erasurecoding.EcAsCtx(c)
			t.must("doca_ec_as_ctx", err)
			t.must("doca_ec_task_create_set_conf", erasurecoding.EcTaskCreateSetConf(c, 2))
			t.must("doca_pe_connect_ctx", common.PEConnectCtx(pe, ctx))
			t.code("doca_ctx_start of erasure coding", t.ctxStart(ctx), success)
			t.code("doca_ctx_stop of erasure coding", t.ctxStop(ctx), success)
		}),
	}
}
