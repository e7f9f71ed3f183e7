#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# dma_copy.sh [MIB [TURNS]] measures how long a file takes from the host to the DPU and back, on a tmpfs: with
# examples/dma_copy, with dma_copy of emulator/sdktest, which is in C, and with cp, in turns. It prints the smallest
# time of each. The times are those of whole programs, from start to end.
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
mib=${1:-1024}
turns=${2:-7}
tmp=$(mktemp -d /dev/shm/dma_copy.XXXXXX) # a tmpfs; it needs room for the file three times
trap 'rm -rf "$tmp"' EXIT
mkdir "$tmp/host" "$tmp/dpu"

# One DMA must be large enough for the whole file: the program in C makes only one.
export DOCA_PROVIDER=emulator DOCA_EMU_RUNTIME_DIR=$tmp/run DOCA_EMU_DMA_MAX_BUF_SIZE=$((mib << 20))
export DOCA_EMU_COMCH_CONNECT_TIMEOUT=10000

(cd "$root" && go build -o "$tmp/go" ./examples/dma_copy)
make -s -C "$root" sdk PREFIX="$tmp/sdk" > "$tmp/make"
export PKG_CONFIG_PATH=$tmp/sdk/lib/pkgconfig LD_LIBRARY_PATH=$tmp/sdk/lib
for side in DPU HOST; do
	# shellcheck disable=SC2046 # flags are words
	cc -O2 -std=gnu11 -DDOCA_ALLOW_EXPERIMENTAL_API -DDOCA_ARCH_$side -o "$tmp/c$side" \
		"$root"/emulator/sdktest/{dma_copy,dma_copy_channel,dma_common,sample}.c -pthread \
		$(pkg-config --cflags --libs doca-dma doca-comch doca-argp doca-common)
done

# both DPU_PROGRAM HOST_PROGRAM
both() {
	"$1" -f "$tmp/dpu/f" -p 03:00.0 -r b1:00.0 > "$tmp/dpu.out" 2>&1 &
	local dpu=$!
	"$2" -f "$tmp/host/f" -p b1:00.0 > "$tmp/host.out" 2>&1
	wait $dpu
}

declare -A best
# timed NAME COMMAND...
timed() {
	local name=$1 begin ns
	shift
	begin=$(date +%s%N)
	"$@" || { cat "$tmp"/*.out >&2; exit 1; }
	ns=$(($(date +%s%N) - begin))
	if [ -z "${best[$name]:-}" ] || [ $ns -lt "${best[$name]}" ]; then best[$name]=$ns; fi
}

file=$tmp/host/f
head -c "${mib}M" /dev/urandom > "$file"
for ((i = 0; i < turns; i++)); do
	timed "cp" cp "$file" "$tmp/dpu/f"
	rm "$tmp/dpu/f"
	for way in "to the DPU" "to the host"; do
		[ "$way" = "to the DPU" ] && new=$tmp/dpu/f || new=$tmp/host/f
		for lang in Go C; do
			rm -f "$new"
			if [ $lang = Go ]; then
				timed "Go $way" both "$tmp/go" "$tmp/go"
			else
				timed "C $way" both "$tmp/cDPU" "$tmp/cHOST"
			fi
			cmp "$tmp/dpu/f" "$tmp/host/f"
		done
	done
	rm "$tmp/dpu/f"
done
for name in "cp" "Go to the DPU" "Go to the host" "C to the DPU" "C to the host"; do
	awk -v name="$name" -v ns="${best[$name]}" -v cp="${best[cp]}" -v mib="$mib" \
		'BEGIN { printf "%-15s %7.3f s  %5.2f GB/s  %4.2f of cp\n", name, ns / 1e9, mib * 1048576 / ns, cp / ns }'
done
