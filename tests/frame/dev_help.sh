#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# dev_help.sh DEV: its help lists every command that it takes, and a command that it does not know is exit code 2.
set -euo pipefail
dev=$1
help=$("$dev" help)

# The commands are read from the script itself, so that a new one without a line of help fails here.
mapfile -t commands < <(sed -n 's/^cmd_\([a-z_]*\)() {.*/\1/p' "$dev" | tr _ -)
((${#commands[@]} >= 9)) || { echo "only ${#commands[@]} commands found in $dev"; exit 1; }
for command in "${commands[@]}"; do
  grep -qE "^  $command( |\$)" <<<"$help" || { echo "help does not list '$command'"; exit 1; }
done

code=0
output=$("$dev" no-such-command 2>&1) || code=$?
((code == 2)) || { echo "an unknown command ended with $code, not 2"; exit 1; }
grep -q "no command 'no-such-command'" <<<"$output" || { echo "not said: $output"; exit 1; }
