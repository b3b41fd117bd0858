#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# bundle.sh SOURCE BUILD VERSION: makes SOURCE/bundle/opscope-VERSION-linux-x86_64.tar.gz out of a build. What is
# unpacked from it runs from any folder on a system with nothing but glibc (as new as the one built with) and libstdc++:
# no Qt, no fontconfig, no X11. CUDA's libraries are not in it; they are found on the machine when it has them.
set -euo pipefail
source=$1 build=$2
name=opscope-$3-linux-$(uname -m)
readonly source build name
stage=$source/bundle/$name
tarball=$stage.tar.gz
limit=$((55 * 1000 * 1000))

die() {
  echo "bundle: $*" >&2
  exit 1
}

# The C library belongs to the system it runs on, and its kernel; libstdc++ and libgcc come with every distribution's base
# and must be the newest of all that are loaded; a driver's libraries belong to the driver.
readonly not_ours='^(ld-linux.*|linux-vdso|lib(c|m|dl|rt|pthread|util|resolv|anl|nsl|mvec)|libstdc\+\+|libgcc_s|libcuda|libnvidia.*)\.so'

elf_files() { find "$stage" -type f \( -perm -u+x -o -name '*.so*' \) -exec sh -c 'file -b "$1" | grep -q "^ELF"' _ {} \; -print; }

rm -rf "$stage"
mkdir -p "$stage"
cmake --install "$build" --prefix "$stage" --strip >/dev/null
install -D -m 755 "$source/cmake/gpu-check.sh" "$stage/libexec/opscope/gpu-check"

# -- Qt's plugins, and where Qt finds them
qt_plugins=$(qtpaths6 --query QT_INSTALL_PLUGINS 2>/dev/null || qmake6 -query QT_INSTALL_PLUGINS)
[[ -d $qt_plugins/platforms ]] || die "Qt's plugins are not in '$qt_plugins'"
for plugin in platforms/libqoffscreen platforms/libqxcb platforms/libqminimal imageformats/libqsvg iconengines/libqsvgicon \
  xcbglintegrations/libqxcb-glx-integration platforminputcontexts/libcomposeplatforminputcontextplugin; do
  if [[ -f $qt_plugins/$plugin.so ]]; then
    install -D -m 644 "$qt_plugins/$plugin.so" "$stage/plugins/$plugin.so"
  elif [[ $plugin == platforms/* ]]; then
    die "$qt_plugins/$plugin.so is missing: without it the window cannot start"
  fi
done
printf '[Paths]\nPrefix = ..\nPlugins = plugins\n' >"$stage/bin/qt.conf"

# -- a font, and where fontconfig finds it: the system's fonts too, where it has any
dejavu=$(find /usr/share/fonts -name DejaVuSans.ttf -print -quit)
[[ -n $dejavu ]] || die "no DejaVu Sans under /usr/share/fonts (package fonts-dejavu-core)"
for font in DejaVuSans DejaVuSans-Bold DejaVuSansMono DejaVuSansMono-Bold; do
  install -D -m 644 "$(dirname "$dejavu")/$font.ttf" "$stage/share/fonts/$font.ttf"
done
mkdir -p "$stage/etc/fonts"
cat >"$stage/etc/fonts/fonts.conf" <<'EOF'
<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "urn:fontconfig:fonts.dtd">
<fontconfig>
  <include ignore_missing="yes">/etc/fonts/fonts.conf</include>
  <dir prefix="relative">../../share/fonts</dir>
  <cachedir prefix="xdg">fontconfig</cachedir>
  <alias><family>sans-serif</family><default><family>DejaVu Sans</family></default></alias>
  <alias><family>monospace</family><default><family>DejaVu Sans Mono</family></default></alias>
  <match target="pattern">
    <test name="family" qual="all" compare="not_eq"><string>sans-serif</string></test>
    <test name="family" qual="all" compare="not_eq"><string>monospace</string></test>
    <edit name="family" mode="append_last"><string>sans-serif</string></edit>
  </match>
</fontconfig>
EOF
# fontconfig knows its configuration only through the environment of the process.
mv "$stage/bin/opscope-ui" "$stage/bin/opscope-ui.bin"
cat >"$stage/bin/opscope-ui" <<'EOF'
#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
bin=$(dirname "$(readlink -f "$0")")
FONTCONFIG_FILE=${FONTCONFIG_FILE:-$bin/../etc/fonts/fonts.conf}
export FONTCONFIG_FILE
exec "$bin/opscope-ui.bin" "$@"
EOF
chmod 755 "$stage/bin/opscope-ui"

# -- every shared library that anything in here needs, and where each looks for the others
mapfile -t elves < <(elf_files)
((${#elves[@]} > 3)) || die "nothing was installed into $stage"
missing=$(ldd "${elves[@]}" 2>/dev/null | grep 'not found' | sort -u || true)
[[ -z $missing ]] || die "libraries that are not found on this machine: $missing"
mkdir -p "$stage/lib"
declare -A packages=()
while read -r library path; do
  [[ $library =~ $not_ours || $path == "$stage"/* ]] && continue
  install -m 644 "$(readlink -f "$path")" "$stage/lib/$library"
  chmod u+w "$stage/lib/$library"
  strip --strip-unneeded "$stage/lib/$library"
  patchelf --set-rpath '$ORIGIN' "$stage/lib/$library"
  # dpkg knows a library by the path it was shipped under, which may lack the /usr of the one it is found under.
  package=$(dpkg-query -S "$(readlink -f "$path")" 2>/dev/null || dpkg-query -S "$(readlink -f "$path" | sed 's,^/usr,,')" 2>/dev/null || true)
  [[ -n $package ]] && packages[${package%%:*}]=1
done < <(ldd "${elves[@]}" | sed -nE 's/^\s*(\S+) => (\/\S+) .*/\1 \2/p' | sort -u)
while read -r plugin; do
  patchelf --set-rpath '$ORIGIN/../../lib' "$plugin"
done < <(find "$stage/plugins" -name '*.so')

# -- what the licences of all these ask for
mkdir -p "$stage/share/doc/opscope/third-party"
cp -r "$source/LICENSE" "$source/LICENSES" "$stage/share/doc/opscope/"
packages[fonts-dejavu-core]=1
for package in "${!packages[@]}"; do
  [[ -f /usr/share/doc/$package/copyright ]] && cp -L "/usr/share/doc/$package/copyright" "$stage/share/doc/opscope/third-party/$package"
done

# -- nothing in it may need a library that is neither the system's nor where the file itself looks for it
while read -r file; do
  folders=$(patchelf --print-rpath "$file" | sed "s,\$ORIGIN,$(dirname "$file"),g")
  while read -r needed; do
    [[ $needed =~ $not_ours ]] && continue
    found=no
    IFS=: read -r -a look_in <<<"$folders"
    for folder in "${look_in[@]}"; do
      [[ -e $folder/$needed ]] && found=yes
    done
    [[ $found == yes ]] || die "${file#"$stage"/} needs $needed, and none of '$folders' has it"
  done < <(objdump -p "$file" | awk '$1 == "NEEDED" {print $2}')
done < <(elf_files)
[[ -f $stage/lib/opscope/libopscope_cuda.so ]] || echo "bundle: built without the CUDA toolkit, so this bundle measures on the host alone" >&2
[[ -f $stage/lib/opscope/libopscope_cub.so ]] || echo "bundle: built without nvcc, so this bundle has no baselines by CUB" >&2

# The same sources give the same bytes: names sorted, no owner, the time of the sources.
epoch=${SOURCE_DATE_EPOCH:-$(git -C "$source" log -1 --format=%ct 2>/dev/null || date +%s)}
tar -C "$source/bundle" --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$epoch" -cf - "$name" | gzip -9n >"$tarball"
size=$(stat -c %s "$tarball")
((size <= limit)) || die "$tarball is $((size / 1000000)) MB, over the limit of $((limit / 1000000))"
newest=$(while read -r file; do objdump -T "$file" 2>/dev/null; done < <(elf_files) | grep -oE 'GLIBC_2\.[0-9]+' | sort -uV | tail -n 1)
echo "$tarball: $((size / 1000000)) MB, needs ${newest/_/ } or newer"
