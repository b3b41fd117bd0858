#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# gpu-check [OUT]: what can only be shown on a machine with a GPU. In an unpacked bundle it is libexec/opscope/gpu-check; from
# a source tree, ./dev gpu-check. Writes sessions, CSV and the tests' output into OUT; ends with 0 only if all of it passed.
set -uo pipefail
here=$(dirname "$(readlink -f "$0")")
out=$(realpath -m "${1:-gpu-check}")
if [[ -n ${OPSCOPE_BIN:-} ]]; then
  bin=$OPSCOPE_BIN tests=${OPSCOPE_GPU_TESTS:-$OPSCOPE_BIN}
else
  bin=$(realpath "$here/../../bin") tests=$here
  # The tests lie deeper than the programs, so what is found beside a program is named to them.
  export OPSCOPE_RESOURCES=$(realpath "$here/../../share/opscope") OPSCOPE_MODULE_PATH=$(realpath "$here/../../lib/opscope")
fi
[[ -x $bin/opscope ]] || {
  echo "gpu-check: there is no opscope in $bin" >&2
  exit 2
}
mkdir -p "$out" || exit 2

passed=0 failed=0
check() { # check NAME COMMAND...: its output goes to the terminal and to OUT/NAME.txt
  local name=$1 began=$SECONDS rc
  shift
  printf '==== %s: %s\n' "$name" "$*"
  "$@" 2>&1 | tee "$out/$name.txt"
  rc=${PIPESTATUS[0]}
  if ((rc == 0)); then
    passed=$((passed + 1))
    printf '==== %s: ok, %d s\n\n' "$name" $((SECONDS - began))
  else
    failed=$((failed + 1))
    printf '==== %s: FAILED with exit code %d, %d s\n\n' "$name" "$rc" $((SECONDS - began))
  fi
}

check doctor "$bin/opscope" doctor

shopt -s nullglob
programs=("$tests"/test_gpu*)
if ((${#programs[@]} == 0)); then
  check gpu-tests false "there is no test_gpu program in $tests"
fi
for program in "${programs[@]}"; do
  check "$(basename "$program")" "$program"
done

compare() { # compare NAME ARGS...: one comparison on the GPU, its session, and what the window draws of it
  local name=$1 session=$out/$1.opscope
  shift
  rm -f "$session"
  check "compare-$name" "$bin/opscope" compare --device cuda --session "$session" "$@"
  if [[ -f $session ]]; then
    check "export-$name" env QT_QPA_PLATFORM=offscreen "$bin/opscope-ui" --export "$out/$name" "$session"
  fi
}
compare rms_norm --op rms_norm --workload llama-8b-prefill --dtype bf16
compare gemm --op gemm --dtype bf16

printf '%d passed, %d failed\n' "$passed" "$failed"
((failed == 0))
