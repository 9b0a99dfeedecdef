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
# Built here, against this release's libraries.
mapfile -t packages < <(awk '/^# to build/ { on = 1; next } /^#/ { on = 0 } on && NF' "${source_folder:?}/packages.debian")
apt-get install -y -qq --no-install-recommends "${packages[@]}" >/dev/null
# Several files as one, in a third of the time.
meson setup "$build/slipway" "${source_folder:?}" --prefix=/opt/slipway -Dunity=on -Dunity_size=48 -Ddebug=false \
  -Doptimization=2 -Dtests=false >"$build/log"
ninja -C "$build/slipway" >>"$build/log"
meson install -C "$build/slipway" --no-rebuild --quiet
/opt/slipway/bin/slipway --version
# For scripts that call enroot, where it is not installed; it runs a real one that comes later.
if ! command -v enroot >/dev/null; then ln -sf /opt/slipway/bin/enroot /usr/local/bin/enroot; fi
install -m 644 "${images_folder:?}/slipway-guard.service" "${images_folder:?}/slipway-node.service" \
  "${images_folder:?}/slipway-watch.service" "${images_folder:?}/slipway-reconcile.service" \
  "${images_folder:?}/slipway-reconcile.timer" "${images_folder:?}/slipway-follow.service" \
  "${images_folder:?}/slipway-follow.timer" "${images_folder:?}/slipway-export.service" \
  "${images_folder:?}/slipway-export.timer" "${images_folder:?}/slipway-tell.service" \
  "${images_folder:?}/slipway-metrics.service" "${images_folder:?}/slipway-prometheus.service" \
  "${images_folder:?}/slipway-admission.service" /etc/systemd/system/
systemctl --root=/ enable slipway-guard.service slipway-node.service 2>/dev/null
# A site's own rules begin with `flush ruleset`, as Debian's do, so restore ours after them.
mkdir -p /etc/systemd/system/nftables.service.d
cat >/etc/systemd/system/nftables.service.d/slipway.conf <<'UNIT'
[Service]
ExecStartPost=-/usr/sbin/nft --file /etc/slipway/metadata.nft
ExecReload=-/usr/sbin/nft --file /etc/slipway/metadata.nft
UNIT
# Keep logs from growing forever. The packages' own files make the daemons reread their whole configuration, and
# logrotate allows each log in one file only.
rm -f /etc/logrotate.d/slurmctld /etc/logrotate.d/slurmd /etc/logrotate.d/slurmdbd
install -m 644 "${images_folder:?}/logrotate.conf" /etc/logrotate.d/slipway
