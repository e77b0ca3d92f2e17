#!/bin/sh
# goldens.sh BINARY [--update]: every scenario in scenarios/ against scenarios/golden/STEM.json, byte by byte.
set -u
binary=$1
update=${2:-}
cd "$(dirname "$0")/.." || exit 2
bad=0
count=0
new=$(mktemp) || exit 2
trap 'rm -f "$new"' EXIT
for scenario in scenarios/*.lua; do
    golden=scenarios/golden/$(basename "$scenario" .lua).json
    count=$((count + 1))
    if ! "$binary" "$scenario" --json --quiet >"$new"; then
        echo "FAIL $scenario: exit code not 0"
        bad=$((bad + 1))
    elif [ "$update" = --update ]; then
        cp "$new" "$golden"
    elif ! cmp "$golden" "$new"; then
        echo "FAIL $scenario: the report differs from $golden"
        bad=$((bad + 1))
    fi
done
for golden in scenarios/golden/*.json; do
    [ -f "scenarios/$(basename "$golden" .json).lua" ] || { echo "FAIL $golden: no scenario of that name"; bad=$((bad + 1)); }
done
echo "goldens: $((count - bad)) passed, $bad failed"
[ "$bad" -eq 0 ]
