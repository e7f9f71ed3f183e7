#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Tests the installable SDK (make sdk) from outside, as its users see it. For both sides, plain and with sanitizers, it
# installs the SDK in a temporary directory, builds the programs of this directory with pkg-config alone, runs them
# with LD_LIBRARY_PATH alone, and checks exit codes and output. Programs that talk to each other run as pairs, one with
# the host's SDK, the other with the DPU's. They must leave nothing behind.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cc=${CC:-cc}
cxx=${CXX:-c++}
unset LD_LIBRARY_PATH LD_PRELOAD DOCA_EMU_SIDE DOCA_EMU_FAULTS
export DOCA_EMU_RUNTIME_DIR=$tmp/run
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
		-o "$bin/$program" "${@/#/$here/}" -pthread $(pkg-config --cflags --libs doca-dma doca-comch doca-rdma doca-argp doca-common)
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

so_name() { # LIBRARY: doca-erasure-coding is in libdoca_erasure_coding
	echo "${1//-/_}"
}

test_libraries() {
	local lib so libs=() others=()
	for lib in "$prefix"/lib/pkgconfig/doca-*.pc; do
		lib=$(basename "$lib" .pc)
		libs+=("${lib#doca-}")
		if [ "$lib" != doca-common ]; then others+=("$(so_name "${lib#doca-}").so.2"); fi
	done
	check "the libraries are found" test "${#others[@]}" -ge 7
	for lib in "${libs[@]}"; do
		so=libdoca_$(so_name "$lib")
		check "soname of $so" grep -q "\[$so.so.2\]" <(readelf -d "$prefix/lib/$so.so")
		check "version of doca-$lib" test "$(pkg-config --modversion "doca-$lib")" = 3.0.0058
	done
	exported common.so.2 | grep -v '^doca_' | grep -v '^emu_' > "$tmp/alien" || true
	exported "${others[@]}" | grep -v '^doca_' >> "$tmp/alien" || true
	check "nothing but DOCA's and EMU_API's symbols is exported" diff "$tmp/alien" /dev/null

	# Every host function of the headers is there.
	sed -nE '/^doca_dpa_dev/!s/^[^|]*\| (stable|experimental) \|[^(]*[ *](doca_[a-z0-9_]+)\(.*/\2/p' \
		"$root/headers/3.0/api.txt" | sort -u > "$tmp/declared"
	exported common.so.2 "${others[@]}" | comm -13 - "$tmp/declared" > "$tmp/missing"
	check "the list of functions is read" test "$(wc -l < "$tmp/declared")" -gt 150
	check "doca_buf_inventory_buf_reuse_by_args alone is exported" \
		test "$(exported common.so.2 | grep reuse_by)" = doca_buf_inventory_buf_reuse_by_args
	check "every declared function is exported" diff "$tmp/missing" /dev/null
	check "building unload" "$cc" -std=gnu11 -g -Wall -Wextra -Werror -o "$bin/unload" "$here/unload.c" -ldl
	expect 0 "^unload: libdoca_common is still there$" "$bin/unload"
}

# A fault names a function of any library; one that it cannot name is told.
test_fault_names() {
	local no="is no function of the control path in the libraries of the emulator that are loaded, so its calls do not fail unless a library that is loaded later has it; one that can fail is"

	DOCA_EMU_FAULTS=fail-call=doca_pe_create:1:NO_MEMORY expect 1 "doca_pe_create.*Memory allocation failure" "$bin/dma_local_copy"
	DOCA_EMU_FAULTS=fail-call=doca_dma_create:1:NO_MEMORY expect 1 "doca_dma_create.*Memory allocation failure" "$bin/dma_local_copy"
	DOCA_EMU_FAULTS=fail-call=doca_argp_start:1:NO_MEMORY expect 1 "Sample finished with errors" "$bin/dma_local_copy"
	DOCA_EMU_FAULTS=fail-call=doca_dma_creat:1 expect 0 "doca_dma_creat $no doca_dma_create$" "$bin/dma_local_copy"
	DOCA_EMU_FAULTS=fail-call=doca_task_submit:1 expect 0 "doca_task_submit $no doca_" "$bin/dma_local_copy"
	DOCA_EMU_FAULTS=fail-call=dma_create:1 expect 0 "no faults are set$" "$bin/dma_local_copy"
}

# What one program of each pair does without the other.
test_comch_programs() {
	local bad="\] Sample finished with errors$" program

	for program in comch_ctrl_path_client comch_ctrl_path_server comch_data_path_high_speed_client \
		comch_data_path_high_speed_server; do
		expect 0 "^  -t, --text  *Text to send" "$bin/$program" -h
		expect 1 "$bad" "$bin/$program" -t "$(printf '%04081d' 0)"
		expect 1 "$bad" "$bin/$program" -p 77:00.0
	done
	expect 1 "$bad" "$bin/comch_ctrl_path_server" -p b1:00.0
	expect 1 "$bad" "$bin/comch_ctrl_path_server" -r b1:00.1
	expect 1 "$bad" "$bin/comch_ctrl_path_client" -p 03:00.0
	# The client stops trying to connect.
	DOCA_EMU_COMCH_CONNECT_TIMEOUT=100 expect 1 "$bad" "$bin/comch_ctrl_path_client"
	for program in sync_event_local_pci sync_event_remote_pci; do
		expect 0 "^  --async-num-tasks  *Number of tasks" "$bin/$program" -h
		expect 1 "$bad" "$bin/$program"
		expect 1 "$bad" "$bin/$program" -d 77:00.0 -r b1:00.0
	done
	expect 0 "^Usage: doca_secure_channel " "$bin/secure_channel" -h
	expect 1 "" "$bin/secure_channel" -s 0 -n 1 -p 03:00.0
	expect 1 "" "$bin/secure_channel" -s 65536 -n 1 -p 03:00.0
	expect 1 "" "$bin/secure_channel" -s 1 -n 0 -p 03:00.0
	expect 1 "" "$bin/secure_channel" -s 1 -n 1
	expect 0 "^Usage: doca_dma_copy " "$bin/dma_copy" -h
	expect 1 "" "$bin/dma_copy" -p 03:00.0
}

# on SIDE STATUS PROGRAM ARG...: runs the program on the SDK of a side in the background, with the same input.
on() {
	local side=$1 status=$2 program=$3
	shift 3
	(
		got=0
		LD_LIBRARY_PATH=$tmp/$side${sanitize:+-sanitized}/lib timeout 60 \
			"$tmp/$side${sanitize:+-sanitized}-bin/$program" "$@" > "$tmp/$side.out" 2>&1 || got=$?
		[ "$got" -eq "$status" ] || echo "exit status $got, not $status" >> "$tmp/$side.out"
		[ "$got" -eq "$status" ]
	) <&0 &
}

# both NAME DPU_PATTERN HOST_PATTERN: waits for the two programs. The output of each must have a line that matches.
both() {
	local name=$1 ended=0

	wait "$dpu_pid" || ended=1
	wait "$host_pid" || ended=1
	cat "$tmp/dpu.out" "$tmp/host.out" > "$tmp/out"
	if [ "$ended" -ne 0 ]; then
		fail "$name: exit status" "$tmp/out"
	elif ! grep -q -- "$2" "$tmp/dpu.out" || ! grep -q -- "$3" "$tmp/host.out"; then
		fail "$name: no line matches \"$2\" and \"$3\"" "$tmp/out"
	else
		pass
	fi
	check "$name leaves no directory" test ! -e "$DOCA_EMU_RUNTIME_DIR"
	check "$name leaves no shared memory" test -z "$(find /dev/shm -name '*doca*' 2> /dev/null)"
}

# pair NAME DPU_PATTERN HOST_PATTERN DPU_PROGRAM ARG... -- HOST_PROGRAM ARG...
pair() {
	local name=$1 dpu_pattern=$2 host_pattern=$3 dpu=()
	shift 3
	while [ "$1" != -- ]; do
		dpu+=("$1")
		shift
	done
	shift
	on dpu 0 "${dpu[@]}"
	dpu_pid=$!
	on host 0 "$@"
	host_pid=$!
	both "$name" "$dpu_pattern" "$host_pattern"
}

# dma_copy NAME TEXT HOST_ARG... -- DPU_ARG...: the host exports its memory until the DPU has copied it.
dma_copy() {
	local name=$1 text=$2 host=() files=(-d "$tmp/desc" -b "$tmp/info") i
	shift 2
	while [ "$1" != -- ]; do
		host+=("$1")
		shift
	done
	shift
	rm -f "$tmp/info" "$tmp/enter" "$tmp/host.out"
	mkfifo "$tmp/enter"
	exec 3<> "$tmp/enter"
	on host 0 dma_copy_host "${files[@]}" -t "$text" ${host[@]+"${host[@]}"} < "$tmp/enter"
	host_pid=$!
	for ((i = 0; i < 300; i++)); do
		if grep -q "Press Enter" "$tmp/host.out" 2> /dev/null; then break; fi
		sleep 0.1
	done
	on dpu 0 dma_copy_dpu "${files[@]}" "$@"
	dpu_pid=$!
	wait "$dpu_pid" || true
	echo >&3
	both "$name" "Memory content: ${text:0:100}" "\] Sample finished successfully$"
	check "$name says when it is over" grep -q "Host sample can be closed, DMA copy ended$" "$tmp/dpu.out"
	exec 3>&-
	rm "$tmp/desc" "$tmp/info" "$tmp/enter"
}

test_dma_copies() {
	local long
	long=$(printf '%04096d' 0)

	dma_copy "dma_copy" "from the host" --
	dma_copy "dma_copy on the other port, in lists" "in parts" -p b1:00.1 -- -p 0000:03:00.1 -ns 3 -nd 2
	dma_copy "dma_copy of a long text" "$long" -- --num-src-buf 20 --num-dst-buf 30
}

test_pairs() {
	local ok="\] Sample finished successfully$" program
	local long
	long=$(printf '%04080d' 0)

	for program in comch_ctrl_path comch_data_path_high_speed; do
		pair "$program" "Message received: 'Message from the client'$" "Message received: 'Message from the client'$" \
			${program}_server -- ${program}_client
		pair "$program on the other port" "Message received: 'from the host'$" "Message received: 'from the DPU'$" \
			${program}_server -p 03:00.1 -r b1:00.1 -t "from the DPU" -- \
			${program}_client -p b1:00.1 -t "from the host"
		pair "$program with long texts" "$ok" "$ok" ${program}_server -t "$long" -- ${program}_client -t "$long"
	done
	# The one that starts first waits for the other.
	on host 0 comch_ctrl_path_client
	host_pid=$!
	sleep 0.2
	on dpu 0 comch_ctrl_path_server
	dpu_pid=$!
	both "the client first" "$ok" "$ok"

	pair "secure_channel" "Consumer received 1500 messages" "Consumer received 3000 messages" \
		secure_channel -s 1024 -n 3000 -p 03:00.0 -r b1:00.0 -- secure_channel -s 64 -n 1500 -p b1:00.0
	head -c 1000001 /dev/urandom > "$tmp/file"
	pair "dma_copy to the DPU" "DMA copy was done Successfully$" "Final status message was successfully received$" \
		dma_copy -f "$tmp/to-dpu" -p 03:00.0 -r b1:00.0 -- dma_copy -f "$tmp/file" -p b1:00.0
	pair "dma_copy to the host" "DMA copy was done Successfully$" "Final status message was successfully received$" \
		dma_copy -f "$tmp/file" -p 03:00.1 -r b1:00.1 -- dma_copy -f "$tmp/to-host" -p b1:00.1
	check "dma_copy copies" cmp "$tmp/file" "$tmp/to-dpu"
	check "dma_copy copies" cmp "$tmp/file" "$tmp/to-host"
	rm -f "$tmp/file" "$tmp/to-dpu" "$tmp/to-host"

	pair "sync_event" "$ok" "$ok" sync_event_local_pci -d 03:00.0 -r b1:00.0 -- sync_event_remote_pci -d b1:00.0
	pair "sync_event of the host" "$ok" "$ok" \
		sync_event_remote_pci -d 03:00.1 -r b1:00.1 --atomic -- sync_event_local_pci -d b1:00.1 --atomic
	pair "sync_event with tasks" "$ok" "$ok" \
		sync_event_local_pci -d 03:00.0 -r b1:00.0 --async --async-num-tasks 8 -- sync_event_remote_pci -d b1:00.0 --async --atomic

	pair "secure_channel, the smallest and the largest" "Consumer received 1 messages" "Consumer received 100 messages" \
		secure_channel -s 1 -n 100 -p 03:00.0 -r b1:00.0 -- secure_channel -s 65535 -n 1 -p b1:00.0
}

# count PATTERN NUMBER FILE: waits until the file has that many lines that match.
count() {
	local i

	for ((i = 0; i < 300; i++)); do
		if [ "$(grep -c -- "$1" "$3" 2> /dev/null)" -ge "$2" ] 2> /dev/null; then return; fi
		sleep 0.1
	done
}

# rdma_options NAME: what a program of a pair wants besides, in the array options.
rdma_options() {
	options=()
	case $1 in *_requester | *_responder) options=(-m "$tmp/resource") ;; esac
}

rdma_begin() {
	rm -f "$tmp/dpu.out" "$tmp/host.out" "$tmp/dpu.enter" "$tmp/host.enter"
	mkfifo "$tmp/dpu.enter" "$tmp/host.enter"
	exec 3<> "$tmp/dpu.enter" 4<> "$tmp/host.enter"
}

rdma_end() { # NAME DPU_PATTERN HOST_PATTERN
	both "$@"
	exec 3>&- 4>&-
	check "$1 leaves no files" test -z "$(find "$tmp" -maxdepth 1 -name '*.details' -o -maxdepth 1 -name resource)"
	rm -f "$tmp/dpu.enter" "$tmp/host.enter" "$tmp/dpu.peer" "$tmp/host.peer"
}

# rdma_files CONNECTIONS DPU_PATTERN HOST_PATTERN DPU_PROGRAM HOST_PROGRAM [HOST_ARG...]: the two exchange their connection
# details as files. Another Enter tells the DPU's program that the other has ended, if it waits for that.
rdma_files() {
	local num=$1 dpu_pattern=$2 host_pattern=$3 dpu=$4 host=$5 several=() options i
	shift 5
	if [ "$num" -gt 1 ]; then several=(-nc "$num"); fi
	rdma_begin
	rdma_options "$dpu"
	on dpu 0 "$dpu" -d mlx5_0 -ld "$tmp/dpu.details" -re "$tmp/dpu.peer" ${options[@]+"${options[@]}"} \
		${several[@]+"${several[@]}"} < "$tmp/dpu.enter"
	dpu_pid=$!
	on host 0 "$host" -d mlx5_2 -ld "$tmp/host.details" -re "$tmp/host.peer" ${options[@]+"${options[@]}"} \
		${several[@]+"${several[@]}"} "$@" < "$tmp/host.enter"
	host_pid=$!
	for ((i = 1; i <= num; i++)); do
		count "press Enter$" "$i" "$tmp/dpu.out"
		count "press Enter$" "$i" "$tmp/host.out"
		cp "$tmp/dpu.details" "$tmp/host.peer"
		cp "$tmp/host.details" "$tmp/dpu.peer"
		echo >&3
		echo >&4
	done
	wait "$host_pid" || true
	echo >&3
	rdma_end "$dpu and $host by files" "$dpu_pattern" "$host_pattern"
}

# rdma_cm SERVER TYPE ADDRESS DPU_PATTERN HOST_PATTERN DPU_PROGRAM HOST_PROGRAM [ARG...]: by address. SERVER is dpu or host.
rdma_cm() {
	local server=$1 type=$2 address=$3 dpu_pattern=$4 host_pattern=$5 dpu=$6 host=$7 side program options
	local -A dev=([dpu]=mlx5_0 [host]=mlx5_2) programs=([dpu]=$dpu [host]=$host)
	shift 7
	rdma_begin
	for side in $server $([ "$server" = dpu ] && echo host || echo dpu); do
		program=${programs[$side]}
		options=(-d "${dev[$side]}" -cm -lp "$port")
		if [ "$side" != "$server" ]; then options+=(-sa "$address" -sat "$type"); fi
		on "$side" 0 "$program" "${options[@]}" "$@" < "$tmp/$side.enter"
		declare "${side}_pid=$!"
		if [ "$side" = "$server" ]; then count "Listening on port" 1 "$tmp/$side.out"; fi # a client does not wait
	done
	echo >&3
	echo >&4
	rdma_end "$dpu and $host by $type, the $server serves" "$dpu_pattern" "$host_pattern"
}

# rdma DPU_PATTERN HOST_PATTERN DPU_PROGRAM HOST_PROGRAM: in all ways.
rdma() {
	rdma_files 1 "$@"
	rdma_cm dpu IPv4 127.0.0.1 "$@"
	rdma_cm host IPv4 10.0.0.1 "$@"
	rdma_cm dpu IPv6 ::1 "$@"
	rdma_cm host GID ::ffff:10.0.0.1 "$@"
}

test_rdma() {
	local ok="\] Sample finished successfully$" port=$((20000 + $$ % 12000)) server
	local dpu_pid host_pid

	rdma "Got from sender: \"Hi DOCA RDMA!\"$" "$ok" rdma_receive rdma_send
	rdma "Immediate data: 0x12345678$" "$ok" rdma_receive_immediate rdma_send_immediate
	rdma "Requester has written: \"Hi DOCA RDMA!\"$" "$ok" rdma_write_responder rdma_write_requester
	rdma "Immediate data: 0x12345678$" "$ok" rdma_write_immediate_responder rdma_write_immediate_requester
	rdma "$ok" "Read from responder: \"Hi DOCA RDMA!\"$" rdma_read_responder rdma_read_requester
	rdma "Sync event value: 2$" "Sync event: added 1 to 1$" rdma_sync_event_responder rdma_sync_event_requester
	rdma_files 8 "on connection 8: \"Hi DOCA RDMA!\"$" "on connection 8$" rdma_multi_conn_receive rdma_multi_conn_send
	for server in dpu host; do
		rdma_cm $server IPv4 127.0.0.1 "on connection 8: \"Hi DOCA RDMA!\"$" "on connection 8$" \
			rdma_multi_conn_receive rdma_multi_conn_send -nc 8
	done
	rdma_files 1 "Got from sender: \"$(printf '%0256d' 0)\"$" "$ok" rdma_receive rdma_send -s "$(printf '%0256d' 0)"
	rdma_files 1 "$ok" "$ok" rdma_write_responder rdma_write_requester -w "over there" -g 1
}

# What the RDMA programs do without the other.
test_rdma_programs() {
	local bad="\] Sample finished with errors$" program

	for program in "${rdma_programs[@]}"; do
		expect 0 "^Usage: doca_$program " "$bin/$program" -h
		expect 1 "No device nothing that can do this$" "$bin/$program" -d nothing
		expect 1 "$bad" "$bin/$program"
		expect 1 "DC goes with one connection by files alone$" "$bin/$program" -d mlx5_0 -tt DC -cm
	done
	expect 1 "$bad" "$bin/rdma_send" -d mlx5_0 -s "$(printf '%0257d' 0)"
	expect 1 "The GID index is at least 0$" "$bin/rdma_send" -d mlx5_0 -g -1
	expect 1 "$bad" "$bin/rdma_send" -d mlx5_0 -g 99
	expect 1 "The number of connections is 1 to 8$" "$bin/rdma_multi_conn_send" -d mlx5_0 -nc 9
	# The input is at its end: there are no details of the other.
	expect 1 "Cannot open /nowhere$" "$bin/rdma_send" -d mlx5_0 -ld "$tmp/details" -re /nowhere
	expect 1 "Cannot create /nowhere/details: " "$bin/rdma_send" -d mlx5_0 -ld /nowhere/details
	echo nothing > "$tmp/details"
	expect 1 "details is there already$" "$bin/rdma_receive" -d mlx5_0 -ld "$tmp/details"
	expect 1 "Invalid input$" "$bin/rdma_receive" -d mlx5_0 -ld "$tmp/other" -re "$tmp/details"
	expect 1 "nobody listens on port 9 of 127.0.0.1$" "$bin/rdma_send" -d mlx5_0 -cm -sa 127.0.0.1 -lp 9
	expect 1 "$bad" "$bin/rdma_send" -d mlx5_0 -cm -sa nowhere
	expect 1 "$bad" "$bin/rdma_send" -d mlx5_0 -cm -sa ::1
	rm -f "$tmp/details" "$tmp/other"
}

# What the programs that share memory do without the other.
test_dma_copy_programs() {
	local bad="\] Sample finished with errors$" files=(-d "$tmp/desc" -b "$tmp/info")

	expect 0 "^  -d, --descriptor-path  *Path of " "$bin/dma_copy_host" -h
	expect 0 "^  -nd, --num-dst-buf  *Number of " "$bin/dma_copy_dpu" -h
	expect 1 "$bad" "$bin/dma_copy_host" -p 77:00.0 "${files[@]}"
	expect 1 "Cannot create /nowhere/desc$" "$bin/dma_copy_host" -d /nowhere/desc -b "$tmp/info"
	# The input is at its end, so the host ends at once, and with it the export.
	expect 0 "Press Enter when it has ended$" "$bin/dma_copy_host" "${files[@]}"
	check "the descriptor is short enough for any program" test "$(wc -c < "$tmp/desc")" -le 512
	expect 1 "run.*: Invalid input$" "$bin/dma_copy_dpu" "${files[@]}"
	echo 0x1000 > "$tmp/info"
	expect 1 ": Resource is empty$\|buffer is empty$" "$bin/dma_copy_dpu" "${files[@]}"
	printf '0x1000\n0x200001' > "$tmp/info"
	expect 1 "at most 2097152 bytes$" "$bin/dma_copy_dpu" "${files[@]}"
	printf '0x1000\n010' > "$tmp/info"
	expect 1 "$bad" "$bin/dma_copy_dpu" "${files[@]}" -ns 50 -nd 50
	expect 1 "Cannot open /nowhere$" "$bin/dma_copy_dpu" -d /nowhere -b "$tmp/info"
	rm "$tmp/desc" "$tmp/info"
}

test_programs() {
	local ok="\] Sample finished successfully$" bad="\] Sample finished with errors$" sample

	expect 0 "^log_test: [0-9]* checks, 0 failed$" "$bin/log_test"
	expect 0 "^headers_test: passed$" "$bin/headers_test"
	expect 0 "^later: [0-9]* checks, 0 failed$" "$bin/later"
	expect 0 "^argp_test: [0-9]* checks, 0 failed$" "$bin/argp_test"
	for sample in "${pe_samples[@]}"; do
		expect 0 "$ok" "$bin/$sample"
		expect 0 "^Usage: $sample \[DOCA Flags\]" "$bin/$sample" --help
	done

	if [ "$side" = dpu ]; then test_fault_names; fi # its programs copy there alone
	test_comch_programs
	test_dma_copy_programs
	test_rdma_programs
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

# shellcheck source=storage/run.sh
. "$here/storage/run.sh"

# shellcheck source=dpa/run.sh
. "$here/dpa/run.sh"

# The rules that the bindings rely on, asked of the installed SDK.
test_conformance() {
	check "building doca" bash -c "cd '$root' && ${GO:-go} build -o '$tmp/doca' ./cmd/doca"
	DOCA_PROVIDER=sdk expect 0 '^DOCA:  *sdk .*libdoca_common.so' "$tmp/doca" conformance
	DOCA_PROVIDER=sdk expect 0 '^ *argp  *\([0-9]*\)  *\1  *0  *0  *0  *0  *0' "$tmp/doca" conformance --match '^argp/'
}

test_moved() {
	mv "$prefix" "$prefix-moved"
	prefix=$prefix-moved
	export PKG_CONFIG_PATH=$prefix/lib/pkgconfig
	build moved dma_local_copy.c dma_common.c sample.c
	expect 0 "^DOCA Version: " "$bin/moved" -v
	mv "$prefix" "${prefix%-moved}"
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
	pe_async_stop graph cache_invalidate)
rdma_programs=(rdma_{send,receive}{,_immediate} rdma_{write,write_immediate,read,sync_event}_{requester,responder}
	rdma_multi_conn_{send,receive})

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
		build headers_test headers_test.c
		build argp_test argp_test.c
		build later later.c
		build dma_local_copy dma_local_copy.c dma_common.c sample.c
		build dma_copy_host dma_copy_host.c sample.c
		build dma_copy_dpu dma_copy_dpu.c dma_common.c sample.c
		for program in comch_ctrl_path_client comch_ctrl_path_server; do
			build "$program" "$program.c" comch_common.c sample.c
		done
		for program in comch_data_path_high_speed_client comch_data_path_high_speed_server; do
			build "$program" "$program.c" comch_data_path_common.c comch_common.c sample.c
		done
		for program in "${rdma_programs[@]}"; do
			build "$program" "$program.c" rdma_connect.c rdma_common.c sample.c
		done
		build secure_channel secure_channel.c secure_channel_control.c secure_channel_threads.c sample.c
		build dma_copy dma_copy.c dma_copy_channel.c dma_common.c sample.c
		for program in sync_event_local_pci sync_event_remote_pci; do
			build "$program" "$program.c" sync_event_common.c comch_common.c sample.c
		done
		for sample in "${pe_samples[@]}"; do
			build "$sample" "$sample.c" pe_common.c sample.c
		done
		if [ "$failed" -eq "$failed_before" ]; then
			test_programs
			test_dpa
		fi
		if [ "$variant" = "dpu sanitized" ]; then test_storage; fi
		if [ -z "$sanitize" ]; then
			test_headers
			test_libraries
			test_meson
			test_conformance
			test_moved # the last: the prefix is elsewhere then
		fi
	done
done

for sanitize in "" 1; do
	variant="pairs${sanitize:+ sanitized}"
	test_pairs < /dev/null
	test_dma_copies
	test_rdma
done

echo "sdktest: $passed passed, $failed failed"
[ $failed -eq 0 ]
