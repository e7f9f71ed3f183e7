#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# release.sh dir: makes the headers of DOCA 3.2 in a directory: those of 3.0, and what 3.1 and 3.2 have added to them. The
# additions are known for doca_buf, doca_buf_inventory, doca_comch, doca_ctx, doca_dev, doca_dma, doca_error, doca_mmap, doca_pe,
# doca_sync_event and doca_types. doca_version.h is that of 3.0, for so the emulator says.
#
# The declarations of 3.2/doca_x.h go to the end of doca_x.h, enumerators to the end of their enumeration.
set -e
here=$(dirname "$0")
mkdir -p "$1"
install -m 644 "$here"/../3.0/*.h "$1"

# change header script: what awk makes of the header.
change() {
	awk "$2" "$1" > "$1.new" || { echo "release.sh: $1 has no place for the additions" >&2; exit 1; }
	mv "$1.new" "$1"
}

# value header last text: adds enumerators to the enumeration whose last one is named.
value() {
	change "$1" '/^\t'"$2"' =/ { found = 1 } found == 1 && /^}/ { print "\t'"$3"'"; found = 2 } { print } END { exit found != 2 }'
}

value "$1/doca_error.h" DOCA_ERROR_SKIPPED \
	'DOCA_ERROR_DEVICE_FATAL_ERROR = 31, /**< The device had a fatal error. Since 3.2. */'
value "$1/doca_pe.h" DOCA_TASK_SUBMIT_FLAG_OPTIMIZE_REPORTS \
	'DOCA_TASK_SUBMIT_FLAG_RANGE_PROFILING_REQUESTED = 4,\n\t/**< A profiler shows the task as a range. Since 3.2. */'
value "$1/doca_pe.h" DOCA_TASK_SUBMIT_FLAG_RANGE_PROFILING_REQUESTED \
	'DOCA_TASK_SUBMIT_FLAG_RANGE_PROFILING_PROCESSED = 8,\n\t/**< The profiler has seen the task. Programs leave it alone. Since 3.2. */'

for additions in "$here"/doca_*.h; do
	header=$1/$(basename "$additions")
	change "$header" '/^#ifdef __cplusplus/ { n++ } n == 2 && !done { while ((getline line < "'"$additions"'") > 0)
		if (++head > 3) print line; print ""; done = 1 } { print } END { exit !done }'
done
