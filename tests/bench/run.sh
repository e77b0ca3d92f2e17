#!/bin/sh
# What a turn costs, what tools cost on large files, then what whole runs cost.   tests/bench/run.sh [BUILD]    (a build with -DSIMAGENT_BENCH=ON)
# Needs python3.  Nothing here judges: figures of other machines are read beside the floor of the same machine.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
build=${1:-$here/../../build/release}
"$build/tests/bench/scan"
echo
"$build/tests/bench/tools"
echo
exec python3 "$here/whole.py" "$build/simagent"
