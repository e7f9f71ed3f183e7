# SPDX-License-Identifier: Apache-2.0
#
# make demo       copy a text and 64 MiB with DOCA DMA; run a kernel on the DPA; send messages, write with RDMA and copy a file between two processes
# make test       all tests
# make test-arm64 where the machine is not arm64: all compiles for it, and the tests of the bindings pass under qemu
# make bench      the Go packages against the same work in C, as a table (ROWS=regexp: some rows; BENCHTIME=50ms, TURNS=101: longer;
#                 HISTORY=1: append it to bench/history.jsonl and draw docs/bench.svg; DOCS=1: write it to docs/performance.md)
# make generate   the bindings, from the reference headers (SDK=dir: from an SDK's)
# make lint       formatting, vet, doca-vet, staticcheck, revive (comments), dead code, workflows, warnings in the generated C
# make sanitize   the C code under AddressSanitizer, UndefinedBehaviorSanitizer and ThreadSanitizer
# make stress     load, kills and faults: a million messages, 10 GiB, 500 rounds each, all calls, all chains of storage programs
#                 (takes minutes)
# make storage    all chains of storage programs in Go and C++ alone (STORAGE_IOS=1000000: of each core)
# make fuzz       broken headers of chance for the parser (FUZZTIME=10m)
# make sdk        the emulator as an installable SDK for C programs (see emulator/sdk/sdk.mk)
# make sdktest    build and run C programs on that SDK

GO ?= go
SDK ?=
BENCHTIME ?= 20ms
TURNS ?= 41
ROWS ?= .
FUZZTIME ?= 1m
STORAGE_IOS ?= 20000
# Modules of their own, beside the one here.
MODULES = bench/report examples/grpc_over_comch examples/sha examples/storage/files examples/storage/plot
CHECKFLAGS = -std=gnu11 -O2 -Wall -Wextra -Werror -fsyntax-only

.PHONY: help demo test test-arm64 fuzz bench generate lint sanitize stress storage sdktest clean

help:
	@sed -n 's/^# \(make .*\)/\1/p' Makefile

include emulator/sdk/sdk.mk

demo:
	@$(GO) build -o build/dma_copy ./examples/dma_copy
	@$(GO) run ./examples/demo build/dma_copy

# The generator reads much and has few goroutines, so it is tested without the race detector here; .ci/run tests
# those few with it.
test:
	$(GO) test -race $$($(GO) list ./... | grep -v go-doca/gen)
	$(GO) test ./gen/...
	$(MAKE) -s -C emulator/test check

# On arm64 itself make test is the proof. Tests that start another process do so under the same runner.
QEMU_ARM64 ?= $(shell command -v qemu-aarch64 || command -v qemu-aarch64-static)
RUN_ARM64 = $(QEMU_ARM64) -L /usr/aarch64-linux-gnu
ON_ARM64 = GOARCH=arm64 CGO_ENABLED=1 CC=aarch64-linux-gnu-gcc GO_DOCA_TEST_RUNNER="$(RUN_ARM64)" $(GO)

test-arm64:
ifeq ($(shell $(GO) env GOHOSTARCH),arm64)
	@echo "this machine is arm64: make test is this test"
else
	@[ -n "$(QEMU_ARM64)" ] || { echo "want qemu-aarch64 (package qemu-user-static)"; exit 1; }
	$(ON_ARM64) vet ./...
	$(ON_ARM64) build ./...
	$(ON_ARM64) test -exec "$(RUN_ARM64)" ./doca/... ./generated/... ./emulator
endif

# The table: build/bench.json has what it says.
bench: export DOCA_PROVIDER ?= emulator
bench: bench-programs
	@$(GO) run ./bench -o build/bench.json -turn $(BENCHTIME) -turns $(TURNS) -rows '$(ROWS)'
	@cd bench/report && $(GO) run . $(if $(HISTORY),-history ../history.jsonl -picture ../../docs/bench.svg) \
		$(if $(DOCS),-page ../../docs/performance.md) ../../build/bench.json

# The programs whose start is measured. The one in C loads the libraries of the emulator, as it would DOCA's.
.PHONY: bench-programs
bench-programs:
	@mkdir -p build/bench
	@$(GO) build -o build/bench/ ./bench/first/...
	@$(MAKE) -s PREFIX=build/bench build/sdk-dpu/libdoca_common.so.2 build/sdk-dpu/libdoca_dma.so.2
	@$(CC) -O2 -std=gnu11 -Wall -Wextra -Werror -DDOCA_ALLOW_EXPERIMENTAL_API -Iheaders/3.0 -o build/bench/copy_c bench/first/copy.c \
		-Wl,-rpath,$(CURDIR)/build/sdk-dpu build/sdk-dpu/libdoca_common.so.2 build/sdk-dpu/libdoca_dma.so.2

generate:
	$(if $(SDK),$(GO) run ./gen generate -sdk $(SDK),$(GO) generate ./... && (cd examples/sha && $(GO) generate ./...) && \
		cd gen && $(GO) run . dpa -header testdata/dpa/kernels.h -out testdata/dpa/kernels -pkg example.com/kernels -archive testdata/dpa/libkernels.a -app my_app > /dev/null)

lint:
	@out=$$(gofmt -l .); [ -z "$$out" ] || { echo "gofmt differs:"; echo "$$out"; exit 1; }
	$(GO) vet ./...
	@$(GO) build -o build/doca-vet ./cmd/doca-vet
	$(GO) vet -vettool=build/doca-vet ./...
	@for m in $(MODULES); do (cd $$m && $(GO) vet -vettool=$(CURDIR)/build/doca-vet ./...) || exit 1; done
	$(GO) tool -modfile=tools/go.mod staticcheck ./...
	@$(GO) tool -modfile=tools/go.mod revive -config revive.toml -formatter plain ./...
	@out=$$($(GO) tool -modfile=tools/go.mod deadcode -test -filter 'go-doca/(.*internal/|cmd/|conformance|examples/|gen/|gen$$|test/|vet)' ./...) || exit 1; \
		out=$$(echo "$$out" | grep -vE '/kernels/|/(dpa|msgq|rdma)test/'); `# generated: each kernel has all its functions` \
		[ -z "$$out" ] || { echo "$$out"; exit 1; }
	$(GO) tool -modfile=tools/go.mod actionlint
	@for f in generated/*/*.c; do $(CC) $(CHECKFLAGS) $$f || exit 1; done

# First the Go packages with the emulator in them, then the emulator by itself.
sanitize:
	ASAN_OPTIONS=allocator_may_return_null=1 $(GO) test -asan ./doca/... ./generated/... ./emulator/... # tests ask for too much
	$(MAKE) -s -C emulator/test asan
	$(MAKE) -s -C emulator/test tsan

stress: export DOCA_PROVIDER ?= emulator
stress:
	$(GO) build -o build/stress ./test/stress
	build/stress messages
	build/stress data
	build/stress faults
	build/stress rdma
	DOCA_SWEEP=long $(GO) test -count=1 -run 'TestEachCallFails|TestEachTaskFails' ./doca/internal/alltests
	DOCA_RDMA_STEPS=300000 $(GO) test -count=1 -run TestWalk ./doca/rdma
	$(MAKE) storage

# The program of the test, and not go test, prints each line as soon as it is there.
storage:
	$(GO) test -c -o build/examples.test ./examples
	cd examples && DOCA_STORAGE_IOS=$(STORAGE_IOS) ../build/examples.test -test.timeout 24h -test.run TestStorageMatrix

# An input takes milliseconds to parse, so the default of 60 seconds to minimise one would take all the time.
fuzz:
	$(GO) test -run '^$$' -fuzz 'FuzzParse$$' -fuzztime $(FUZZTIME) -fuzzminimizetime 3x ./gen/internal/cparse

sdktest:
	bash emulator/sdktest/run.sh

clean:
	rm -rf build
	$(MAKE) -s -C emulator/test clean
