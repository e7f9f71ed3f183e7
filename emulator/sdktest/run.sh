#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Tests the installable SDK (make sdk) from outside, as its users see it: for both sides, plain and with sanitizers,
# it installs the SDK in a temporary directory, builds the programs of this directory with pkg-config alone, runs them
# with LD_LIBRARY_PATH alone and checks exit codes and output.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cc=${CC:-cc}
cxx=${CXX:-c++}
unset LD_LIBRARY_PATH LD_PRELOAD DOCA_EMU_SIDE DOCA_EMU_FAULTS
failed=0
passed=0

pass() {
	passed=$((passed + 1))
}

fail() { # message [file with details]
	failed=$((failed + 1))
	echo "FAIL: $variant: $1" >&2
	if [ $# -gt 1 ]; then
		sed 's/^/    /' "$2" >&2
	fi
}

# check NAME COMMAND...: the command must succeed.
check() {
	local name=$1
	shift
	if "$@" > "$tmp/out" 2>&1; then pass; else fail "$name" "$tmp/out"; fi
}

# expect STATUS PATTERN COMMAND...: exit status and a line of the output (basic regular expression).
expect() {
	local status=$1 pattern=$2 got=0 name
	shift 2
	name="$(basename "$1") ${*:2}"
	name=${name:0:70}
	LD_LIBRARY_PATH=$prefix/lib timeout 120 "$@" > "$tmp/out" 2>&1 < /dev/null || got=$?
	if [ "$got" -ne "$status" ]; then
		fail "$name: exit status $got, not $status" "$tmp/out"
	elif ! grep -q -- "$pattern" "$tmp/out"; then
		fail "$name: no line matches \"$pattern\"" "$tmp/out"
	else
		pass
	fi
}

build() { # PROGRAM SOURCE...
	local program=$1
	shift
	# shellcheck disable=SC2046 # flags are words
	check "building $program" "$cc" -std=gnu11 -g -Wall -Wextra -Werror -DDOCA_ALLOW_EXPERIMENTAL_API \
		-o "$bin/$program" "${@/#/$here/}" -pthread $(pkg-config --cflags --libs doca-dma doca-argp doca-common)
}

exported() { # LIBRARY...: the symbols that the libraries define
	nm -D --defined-only "${@/#/$prefix/lib/libdoca_}" | awk 'NF >= 3 {print $3}' | sort -u
}

test_headers() {
	local header flags
	flags="-Wall -Wextra -Wpedantic -Werror -DDOCA_ALLOW_EXPERIMENTAL_API -fsyntax-only"
	for header in "$prefix"/include/doca_*.h; do
		case $header in */doca_dpa_dev*) continue ;; esac # for the device compiler
		printf '#include <%s>\nextern int not_empty;\n' "$(basename "$header")" > "$tmp/one.c"
		cp "$tmp/one.c" "$tmp/one.cc"
		# shellcheck disable=SC2086,SC2046
		check "$(basename "$header") alone in C" "$cc" -std=gnu11 $flags $(pkg-config --cflags doca-common) "$tmp/one.c"
		# shellcheck disable=SC2086,SC2046
		check "$(basename "$header") alone in C++" "$cxx" -std=gnu++17 $flags $(pkg-config --cflags doca-common) "$tmp/one.cc"
	done

	# Experimental functions need consent.
	printf '#include <doca_log.h>\nint main(void) { return doca_log_backend_create_standard(); }\n' > "$tmp/one.c"
	# shellcheck disable=SC2046
	if "$cc" -Werror -fsyntax-only $(pkg-config --cflags doca-common) "$tmp/one.c" 2> /dev/null; then
		fail "an experimental function is accepted without DOCA_ALLOW_EXPERIMENTAL_API"
	else
		pass
	fi

	printf '#include <doca_types.h>\n#include <doca_error.h>\n#ifndef DOCA_ARCH_%s\n#error\n#endif\n' "${side^^}" > "$tmp/one.c"
	printf '#ifdef DOCA_ARCH_%s\n#error\n#endif\n' "$([ "$side" = host ] && echo DPU || echo HOST)" >> "$tmp/one.c"
	# shellcheck disable=SC2046
	check "the side of the headers" "$cc" -fsyntax-only $(pkg-config --cflags doca-common) "$tmp/one.c"
}

test_libraries() {
	local lib
	for lib in common dma argp; do
		check "soname of libdoca_$lib" grep -q "\[libdoca_$lib.so.2\]" <(readelf -d "$prefix/lib/libdoca_$lib.so")
		check "version of doca-$lib" test "$(pkg-config --modversion "doca-$lib")" = 3.0.0058
	done
	exported common.so.2 | grep -v '^doca_' | grep -v '^emu_' > "$tmp/alien" || true
	exported dma.so.2 argp.so.2 | grep -v '^doca_' >> "$tmp/alien" || true
	check "nothing but DOCA's and EMU_API's symbols is exported" diff "$tmp/alien" /dev/null

	# Every host function of the headers is there; libdoca_comch is not installed.
	sed -nE '/^doca_(dpa_dev|comch)/!s/^[^|]*\| (stable|experimental) \|[^(]*[ *](doca_[a-z0-9_]+)\(.*/\2/p' \
		"$root/headers/3.0/api.txt" | sort -u > "$tmp/declared"
	exported common.so.2 dma.so.2 argp.so.2 | comm -13 - "$tmp/declared" > "$tmp/missing"
	check "the list of functions is read" test "$(wc -l < "$tmp/declared")" -gt 150
	check "every declared function is exported" diff "$tmp/missing" /dev/null
}

test_programs() {
	local ok="\] Sample finished successfully$" bad="\] Sample finished with errors$" sample

	expect 0 "^log_test: [0-9]* checks, 0 failed$" "$bin/log_test"
	expect 0 "^later: [0-9]* checks, 0 failed$" "$bin/later"
	expect 0 "^argp_test: [0-9]* checks, 0 failed$" "$bin/argp_test"
	for sample in "${pe_samples[@]}"; do
		expect 0 "$ok" "$bin/$sample"
		expect 0 "^Usage: $sample \[DOCA Flags\]" "$bin/$sample" --help
	done

	expect 0 "^Usage: dma_local_copy \[DOCA Flags\] \[Program Flags\]$" "$bin/dma_local_copy" -h
	expect 0 "^DOCA Version: 3\.0\.0058$" "$bin/dma_local_copy" -v
	expect 1 "^Unknown flag: -x$" "$bin/dma_local_copy" -x
	expect 1 "$bad" "$bin/dma_local_copy" -ns 0
	expect 1 "$bad" "$bin/dma_local_copy" -t "$(printf '%04097d' 0)"
	if [ "$side" = host ]; then
		expect 1 "\[DOCA\]\[ERR\].* can run on the DPU only$" "$bin/dma_local_copy"
		return
	fi
	expect 0 "verified as correct: This is a sample piece of text$" "$bin/dma_local_copy"
	expect 0 "$ok" "$bin/dma_local_copy"
	expect 0 "verified as correct: another text$" "$bin/dma_local_copy" -t "another text" -p 0000:03:00.1
	expect 0 "$ok" "$bin/dma_local_copy" -ns 5 -nd 3 --text "$(printf '%04096d' 0)"
	expect 0 "$ok" "$bin/dma_local_copy" --num-src-buf 1 --num-dst-buf 7
	expect 1 "$bad" "$bin/dma_local_copy" -ns 50 -nd 50
	expect 1 "$bad" "$bin/dma_local_copy" -p 77:00.0
	echo '{"doca_general_flags": {"log-level": 60}, "doca_program_flags": {"text": "from JSON", "num-dst-buf": 2}}' \
		> "$tmp/flags.json"
	expect 0 "verified as correct: from JSON$" "$bin/dma_local_copy" --json "$tmp/flags.json"
}

test_moved() {
	mv "$prefix" "$prefix-moved"
	prefix=$prefix-moved
	export PKG_CONFIG_PATH=$prefix/lib/pkgconfig
	build moved dma_local_copy.c sample.c
	expect 0 "^DOCA Version: " "$bin/moved" -v
}

test_meson() {
	if ! command -v meson > /dev/null; then
		echo "sdktest: meson is not installed: the meson build of a program is not tested"
		return
	fi
	check "meson setup" meson setup "$tmp/meson-$side" "$here/meson"
	check "meson compile" meson compile -C "$tmp/meson-$side"
	expect "$([ "$side" = host ] && echo 1 || echo 0)" "\] Sample finished" "$tmp/meson-$side/dma_local_copy"
}

pe_samples=(pe_polling pe_event pe_multi_context pe_reactive pe_task_resubmit pe_task_error pe_task_try_submit
	pe_async_stop)

for side in dpu host; do
	for sanitize in "" 1; do
		variant="$side${sanitize:+ sanitized}"
		prefix=$tmp/$side${sanitize:+-sanitized}
		bin=$prefix-bin
		mkdir "$bin"
		make -C "$root" --no-print-directory -j"$(nproc)" sdk PREFIX="$prefix" SIDE="$side" SANITIZE="$sanitize" > "$tmp/make" 2>&1 ||
			{ cat "$tmp/make" >&2; exit 1; }
		check "make sdk says what it did" grep -x ".* installed in $prefix; .*" "$tmp/make"
		check "make sdk says nothing else" test "$(wc -l < "$tmp/make")" -eq 1
		export PKG_CONFIG_PATH=$prefix/lib/pkgconfig

		failed_before=$failed
		build log_test log_test.c
		build argp_test argp_test.c
		build later later.c
		build dma_local_copy dma_local_copy.c sample.c
		for sample in "${pe_samples[@]}"; do
			build "$sample" "$sample.c" pe_common.c sample.c
		done
		if [ "$failed" -eq "$failed_before" ]; then
			test_programs
		fi
		if [ -z "$sanitize" ]; then
			test_headers
			test_libraries
			test_meson
			test_moved
		fi
	done
done

echo "sdktest: $passed passed, $failed failed"
[ $failed -eq 0 ]
