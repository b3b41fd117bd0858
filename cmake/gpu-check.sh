#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# gpu-check [OUT [PATTERN]]: what can only be shown on a machine with a GPU. In an unpacked bundle it is libexec/opscope/gpu-check; from
# a source tree, ./dev gpu-check. Writes sessions, tables, pictures and every command's output into OUT, and a table of
# what passed last; ends with 0 only if all of it passed. PATTERN leaves out the comparisons whose line below it does not
# match (rms_norm, zero.*gemm, ' add '), for when minutes are few. OPSCOPE_DEVICE chooses the device (default cuda:0).
set -uo pipefail
here=$(dirname "$(readlink -f "$0")")
out=$(realpath -m "${1:-gpu-check}")
device=${OPSCOPE_DEVICE:-cuda:0}
pattern=${2:-.}
readonly here out device pattern
if [[ -n ${OPSCOPE_BIN:-} ]]; then
  bin=$OPSCOPE_BIN tests=${OPSCOPE_GPU_TESTS:-$OPSCOPE_BIN}
else
  bin=$(realpath "$here/../../bin") tests=$here
  # The tests lie deeper than the programs, so what is found beside a program is named to them.
  OPSCOPE_RESOURCES=$(realpath "$here/../../share/opscope")
  OPSCOPE_MODULE_PATH=$(realpath "$here/../../lib/opscope")
  export OPSCOPE_RESOURCES OPSCOPE_MODULE_PATH
fi
[[ -x $bin/opscope ]] || {
  echo "gpu-check: there is no opscope in $bin" >&2
  exit 2
}
mkdir -p "$out" || exit 2
out_log=$out/log
rm -rf "$out_log" && mkdir -p "$out_log" || exit 2

# What is measured, one comparison a line: session, op, workload, dtype, other options. A dash is the op's first.
comparisons() {
  cat <<'EOF'
clean rms_norm llama-8b-prefill         bfloat16
clean rms_norm llama-8b-decode          bfloat16
clean rms_norm llama-70b-prefill        bfloat16
clean rms_norm llama-405b-prefill       bfloat16
clean gemm     square-1k-nn             bfloat16
clean gemm     ds-v3-decode-gate-up     bfloat16
clean gemm     ds-v3-decode-down        bfloat16
clean add      hidden-state-prefill     bfloat16
clean add      cnn-feat-broadcast       bfloat16
zero  gemm     square-1k-nn             bfloat16 --l2 zero
zero  gemm     ds-v3-decode-gate-up     bfloat16 --l2 zero
zero  gemm     ds-v3-decode-down        bfloat16 --l2 zero
zero  gemm     ds-v3-prefill-gate-up    bfloat16 --l2 zero --impl cublaslt
zero  gemm     ds-v3-prefill-down       bfloat16 --l2 zero --impl cublaslt
zero  gemm     ds-v3-prefill-attn-proj  bfloat16 --l2 zero --impl cublaslt
zero  gemm     k-dominant-7168x16384    bfloat16 --l2 zero --impl cublaslt
zero  gemm     wide-n-24576             bfloat16 --l2 zero --impl cublaslt
zero  gemm     mid-m16-attn             bfloat16 --l2 zero
zero  gemm     mid-m32-attn             bfloat16 --l2 zero
zero  gemm     mid-m64-down             bfloat16 --l2 zero
zero  gemm     mid-m96-gate-up          bfloat16 --l2 zero
zero  add      hidden-state-prefill     bfloat16 --l2 zero
zero  add      cnn-feat-broadcast       bfloat16 --l2 zero
zero  rms_norm llama-8b-prefill         float16  --l2 zero --impl one-pass
zero  rms_norm llama-8b-prefill         bfloat16 --l2 zero --impl one-pass
zero  rms_norm llama-8b-decode          bfloat16 --l2 zero --impl one-pass
zero  rms_norm llama-70b-prefill        float16  --l2 zero --impl one-pass
zero  rms_norm llama-70b-prefill        bfloat16 --l2 zero --impl one-pass
zero  rms_norm llama-70b-decode         bfloat16 --l2 zero --impl one-pass
zero  rms_norm llama-405b-prefill       float16  --l2 zero --impl one-pass
zero  rms_norm llama-405b-prefill       bfloat16 --l2 zero --impl one-pass
zero  rms_norm llama-405b-decode        bfloat16 --l2 zero --impl one-pass
zero  add      hidden-state-prefill     float16  --l2 zero --impl vectorised
zero  add      hidden-state-prefill     float32  --l2 zero --impl vectorised
zero  add      cnn-feat-broadcast       float16  --l2 zero --impl vectorised
zero  add      cnn-feat-broadcast       float32  --l2 zero --impl vectorised
zero  gemm     square-1k-nn             float16  --l2 zero --impl cublaslt
zero  gemm     ds-v3-prefill-attn-proj  float16  --l2 zero --impl cublaslt
EOF
}

passed=0 failed=0 lines=()
check() { # check NAME COMMAND...: its output goes to the terminal and to OUT/log/NAME.txt
  local name=$1 began=$SECONDS rc line
  shift
  printf '==== %s\n' "$name"
  "$@" </dev/null 2>&1 | tee "$out_log/$name.txt"
  rc=${PIPESTATUS[0]}
  if ((rc == 0)); then
    passed=$((passed + 1))
    printf -v line 'ok      %4d s  %s' $((SECONDS - began)) "$name"
  else
    failed=$((failed + 1))
    printf -v line 'FAILED  %4d s  %s (exit code %d): %s' $((SECONDS - began)) "$name" "$rc" "$(head -n 1 "$out_log/$name.txt")"
  fi
  lines+=("$line")
}

gpu_tests() { # gpu_tests PROGRAM: the figures it prints, and its verdict; a machine on which all is skipped has shown nothing
  local text="$out_log/${1##*/}.all.txt" rc=0
  "$1" >"$text" 2>&1 || rc=$?
  if ((rc == 0)); then
    grep -E '^GPU: |SKIPPED|^test cases:|^assertions:|^All tests' "$text"
    return 0
  fi
  cat "$text"
  return "$rc"
}

check doctor "$bin/opscope" doctor

shopt -s nullglob
programs=("$tests"/test_gpu*)
if ((${#programs[@]} == 0)); then
  check test_gpu sh -c "echo 'there is no test_gpu program in $tests: was this built without the CUDA toolkit?'; exit 1"
fi
for program in "${programs[@]}"; do
  check "$(basename "$program")" gpu_tests "$program"
done

rm -f "$out"/{clean,zero}.opscope
chosen=$(comparisons | grep -E -- "$pattern") || {
  echo "gpu-check: no comparison matches '$pattern'" >&2
  exit 2
}
while read -r session op workload dtype options; do
  # shellcheck disable=SC2086 # options are words
  check "compare-$op-$workload-$session" "$bin/opscope" compare --quiet --op "$op" --workload "$workload" --dtype "$dtype" \
    --device "$device" --session "$out/$session.opscope" $options
done <<<"$chosen"

for session in clean zero; do
  [[ -f $out/$session.opscope ]] || continue
  check "export-$session" env QT_QPA_PLATFORM=offscreen "$bin/opscope-ui" --export "$out/$session" "$out/$session.opscope"
  check "csv-$session" "$bin/opscope" show "$out/$session.opscope" --csv "$out/$session.csv"
done

printf '\n%s\n' "---- gpu-check"
printf '%s\n' "${lines[@]}"
printf '%d passed, %d failed; written to %s\n' "$passed" "$failed" "$out"
((failed == 0))
