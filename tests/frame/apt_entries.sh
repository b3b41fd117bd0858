#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# apt_entries.sh DEV: it reads both formats of apt's sources, and takes the mirror from the first that offers main.
set -euo pipefail
# shellcheck disable=SC1090
source "$1"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir "$folder/sources.list.d"

expect() { # expect WHAT WANTED FOUND
  [[ $2 == "$3" ]] || {
    printf '%s\nwanted: %s\nfound:  %s\n' "$1" "$2" "$3"
    exit 1
  }
}

expect "no sources" '|' "$(bookworm_mirror "$folder")"

cat >"$folder/sources.list" <<'EOF'
# deb http://commented.example/debian bookworm main
deb-src http://source.example/debian bookworm main
deb cdrom:[Debian 12]/ bookworm main
deb http://security.example/debian bookworm-security main
deb http://other.example/debian bookworm contrib non-free
EOF
expect "nothing that offers main" '|' "$(bookworm_mirror "$folder")"

cat >"$folder/sources.list.d/debian.sources" <<'EOF'
Types: deb
URIs: http://off.example/debian
Suites: bookworm
Components: main
Enabled: no

# a comment
Types: deb deb-src
URIs: http://mirror.example/debian
Suites: bookworm bookworm-updates
Components: contrib main
Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg
EOF
expect "deb822" '/usr/share/keyrings/debian-archive-keyring.gpg|http://mirror.example/debian' "$(bookworm_mirror "$folder")"

echo 'deb [arch=amd64 signed-by=/etc/apt/k.gpg] https://list.example/debian bookworm main contrib # ours' \
  >"$folder/sources.list.d/a.list"
expect "one line, with options" '/etc/apt/k.gpg|https://list.example/debian' "$(bookworm_mirror "$folder")"

echo 'deb http://plain.example/debian bookworm main' >"$folder/sources.list"
expect "one line, plain" '|http://plain.example/debian' "$(bookworm_mirror "$folder")"
