#!/usr/bin/env bash
# Slipway's programs, plugins and bandwidth tests, and the unit that boots the machine
# needs: nothing

build=$(mktemp -d)
finish() {
  local status=$?
  [ $status -eq 0 ] || tail -n 40 "$build/log"
  rm -rf "$build"
}
trap finish EXIT
# Built here: it uses the libraries that this release has.
mapfile -t packages < <(awk '/^# to build/ { on = 1; next } /^#/ { on = 0 } on && NF' "${source_folder:?}/packages.debian")
apt-get install -y -qq --no-install-recommends "${packages[@]}" >/dev/null
meson setup "$build/slipway" "${source_folder:?}" --prefix=/opt/slipway -Dunity=on -Dunity_size=12 -Ddebug=false \
  -Doptimization=2 -Dtests=false >"$build/log"
ninja -C "$build/slipway" >>"$build/log"
meson install -C "$build/slipway" --no-rebuild --quiet
/opt/slipway/bin/slipway --version
install -m 644 "${images_folder:?}/slipway-node.service" /etc/systemd/system/
systemctl --root=/ enable slipway-node.service 2>/dev/null
