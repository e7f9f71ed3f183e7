#!/usr/bin/env bash
# Runs a go test -bench and appends its rows to history.txt, in the form that benchstat reads; "make bench HISTORY=1"
# does it. To compare commits: go run golang.org/x/perf/cmd/benchstat@latest -col commit -ignore date bench/history.txt
set -euo pipefail
history=$(realpath "$(dirname "$0")")/history.txt
out=$(mktemp)
trap 'rm -f "$out"' EXIT
"$@" | tee "$out" # pipefail: what fails is no history
commit=$(git rev-parse --short HEAD)
git diff --quiet HEAD -- ':!bench/history.txt' || commit+=-dirty
rows=$(grep -E '^(goos|goarch|pkg|cpu|Benchmark)' "$out") || { echo "no benchmark ran: nothing to append" >&2; exit 1; }
printf 'date: %s\ncommit: %s\ngo: %s\n%s\n\n' "$(date -u +%F)" "$commit" "$(${GO:-go} env GOVERSION)" "$rows" >> "$history"
