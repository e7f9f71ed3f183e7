# SPDX-License-Identifier: Apache-2.0
#
# Code for the DPA, as NVIDIA's build scripts compile it: with the tools below a link to the prefix, which stands for
# /opt/mellanox/doca. ../run.sh reads this file.

# device_archive APP SOURCE...: compiles the sources to lib<app>.a.
device_archive() {
	local app=$1
	shift
	check "dpacc makes lib$app.a" "$doca/tools/dpacc" "${@/#/$here/dpa/}" -o "$bin/lib$app.a" -mcpu=nv-dpa-bf3,nv-dpa-cx7,nv-dpa-cx8 \
		-hostcc="$cc" -hostcc-options="-Wno-deprecated-declarations -Wall -Wextra" \
		--devicecc-options="-Wall, -Wextra, -O2 -DDOCA_ALLOW_EXPERIMENTAL_API -DFLEXIO_DEV_ALLOW_EXPERIMENTAL_API" \
		--app-name="${app}_app" -flto --dpa-proc-attr="$bin/attributes.blob" \
		-device-libs="-L$(pkg-config --variable=libdir doca-dpa) -ldoca_dpa_dev -ldoca_dpa_dev_comm -ldoca_dpa_dev_verbs"
	check "dpacc says nothing" diff "$tmp/out" /dev/null
}

# device_program PROGRAM APP...: a program of the host with archives.
device_program() {
	local program=$1 archives=()
	shift
	archives=("${@/#/$bin/lib}")
	# shellcheck disable=SC2046 # flags are words
	check "building $program" "$cc" -std=gnu11 -g -Wall -Wextra -Werror -Wno-psabi -DDOCA_ALLOW_EXPERIMENTAL_API -o "$bin/$program" \
		"$here/dpa/$program.c" -I"$prefix/lib/dpacc" -I"$root/emulator/dpacore" "${archives[@]/%/.a}" \
		-pthread $(pkg-config --cflags --libs doca-dpa doca-common libflexio)
}

test_device_headers() {
	local header

	for header in "$prefix"/include/doca_dpa_dev*.h; do
		printf '#include <%s>\n__dpa_global__ void k(void);\nvoid k(void)\n{\n}\n' "$(basename "$header")" > "$tmp/one.c"
		check "$(basename "$header") alone for the DPA" "$doca/tools/dpacc" "$tmp/one.c" -o "$tmp/libone.a" --app-name=one \
			--devicecc-options="-Wall -Wextra -Wpedantic"
		check "$(basename "$header") gives no warnings" diff "$tmp/out" /dev/null
	done
}

test_device_errors() {
	printf '#include <doca_dpa_dev.h>\n\n__dpa_global__ void k(void)\n{\n\treturn nothing;\n}\n' > "$tmp/bad.c"
	expect 1 "bad.c:5:16: error: .nothing. undeclared" "$doca/tools/dpacc" "$tmp/bad.c" -o "$tmp/bad.a" --app-name=bad
	expect 2 "dpacc: error: unknown option -fatbin; " "$doca/tools/dpacc" -fatbin
	expect 2 "there is no processor \"nv-dpa-bf2\"; there are nv-dpa-bf3, " "$doca/tools/dpacc" -mcpu=nv-dpa-bf2
	echo "features: [x]" > "$tmp/features.yaml"
	expect 1 "features.yaml: line 1: the emulator has no feature \"x\"" "$doca/tools/dpa-app-attributes2blob" "$tmp/features.yaml" "$tmp/blob"
}

test_dpa() {
	local doca=$tmp/opt/mellanox/doca

	mkdir -p "$tmp/opt/mellanox"
	ln -sfn "$prefix" "$doca"
	echo "features: []" > "$bin/attributes.yaml"
	check "dpa-app-attributes2blob" "$doca/tools/dpa-app-attributes2blob" "$bin/attributes.yaml" "$bin/attributes.blob"
	device_archive arguments arguments_device.c
	device_archive second second_device.c
	device_program arguments arguments second
	device_program launch arguments second
	device_program flexio_test
	expect 0 "^arguments: [0-9]* checks, 0 failed$" "$bin/arguments"
	expect 0 "^launch: [0-9]* checks, 0 failed$" "$bin/launch"
	expect 0 "^flexio_test: [0-9]* checks, 0 failed$" "$bin/flexio_test"
	test_device_headers
	test_device_errors
}
