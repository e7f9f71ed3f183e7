# SPDX-License-Identifier: Apache-2.0
#
# Part of ../run.sh: chains of storage programs.
# shellcheck shell=bash disable=SC2154 # its variables

# chain NAME TARGET RELAY INITIATOR ARG...: the three storage programs. The arguments are the initiator's.
chain() {
	local name=$1 target=$2 relay=$3 initiator=$4 port=$((20000 + $$ % 12000)) ended=0 target_pid relay_pid
	shift 4
	export LD_LIBRARY_PATH=$prefix/lib DOCA_EMU_COMCH_CONNECT_TIMEOUT=20000
	timeout 120 "$bin/doca_storage_$target" -d 03:00.0 --cpu 0 --cpu 1 --listen-port "$port" > "$tmp/target.out" 2>&1 &
	target_pid=$!
	timeout 120 "$bin/doca_storage_$relay" -d 03:00.0 -r b1:00.0 --cpu 0 --cpu 1 --storage-server "127.0.0.1:$port" > "$tmp/relay.out" 2>&1 &
	relay_pid=$!
	timeout 120 "$bin/doca_storage_$initiator" -d b1:00.0 --cpu 0 --cpu 1 --control-timeout 60 --run-limit-operation-count 2000 "$@" \
		> "$tmp/initiator.out" 2>&1 || ended=1
	wait "$relay_pid" || ended=1
	wait "$target_pid" || ended=1
	unset LD_LIBRARY_PATH DOCA_EMU_COMCH_CONNECT_TIMEOUT
	cat "$tmp/target.out" "$tmp/relay.out" "$tmp/initiator.out" > "$tmp/out"
	if [ "$ended" -ne 0 ]; then
		fail "$name: exit status" "$tmp/out"
	elif ! grep -q "^| Operation count: 4000$" "$tmp/initiator.out"; then
		fail "$name: not all operations" "$tmp/out"
	else
		pass
	fi
	check "$name leaves no directory" test ! -e "$DOCA_EMU_RUNTIME_DIR"
}

# The storage programs with sanitizers; examples/storage_chain_test.go runs them without.
test_storage() {
	check "building the storage programs" make -s -j"$(nproc)" -C "$here/storage" OUT="$bin" CXXFLAGS="-O1 -g"
	chain "storage" target_rdma comch_to_rdma_zero_copy initiator_comch --execution-strategy read_write_data_validity_test
	chain "storage of the older variant" zero_copy_target_rdma zero_copy_comch_to_rdma zero_copy_initiator_comch \
		--operation write --validate-writes
}
