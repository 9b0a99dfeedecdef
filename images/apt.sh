# shellcheck shell=bash
# Installs packages in a step. Debian and Ubuntu give some packages different names.

# On its first boot, Ubuntu itself installs packages.
apt_get() { apt-get -qq -o DPkg::Lock::Timeout=600 "$@" >/dev/null; }

apt_install() { apt_get install -y --no-install-recommends "$@"; }

# keep_daemons_off: packages start none of theirs until the step ends. They would fail without a configuration, and nothing
# should start in the root of an image.
keep_daemons_off() {
  if [ -e /usr/sbin/policy-rc.d ]; then return; fi
  printf '#!/bin/sh\nexit 101\n' >/usr/sbin/policy-rc.d
  chmod 755 /usr/sbin/policy-rc.d
  trap 'rm -f /usr/sbin/policy-rc.d' EXIT
}

# available NAME...: the first package that the release has, and not only as a name that another one provides
available() {
  local name
  for name in "$@"; do
    # For a name that is only provided it succeeds, and prints nothing. All is read: a reader that ends early ends apt-cache
    # with SIGPIPE, which steps take for a failure.
    if [ -n "$(apt-cache show --no-all-versions "$name" 2>/dev/null)" ]; then echo "$name" && return; fi
  done
  echo "this release has none of the packages $*" >&2
  return 1
}

# add_archive NAME KEY SUITE...: an archive whose key is at the address KEY, and its SUITE as in sources.list, from the address
add_archive() {
  local keyring=/usr/share/keyrings/slipway-$1.asc
  curl --fail --silent --show-error --location --retry 5 --output "$keyring" "$2"
  echo "deb [signed-by=$keyring] ${*:3}" >"/etc/apt/sources.list.d/slipway-$1.list"
  apt_get update
}

# hold PACKAGE...: keeps the installed version; a name may have `*`
hold() {
  local names
  mapfile -t names < <(dpkg-query --show --showformat '${db:Status-Abbrev}${Package}\n' "$@" 2>/dev/null | sed -n 's/^.i //p')
  if [ ${#names[@]} -gt 0 ]; then apt-mark hold "${names[@]}" >/dev/null; fi
}

# kernel_that_boots: its version. GRUB takes the newest, whichever kernel runs now.
kernel_that_boots() {
  local newest
  newest=$({ find /boot -maxdepth 1 -name 'vmlinuz-*' -printf '%f\n' 2>/dev/null || true; } | sed 's/^vmlinuz-//' | sort -V | tail -n 1)
  if [ -z "$newest" ]; then echo "there is no kernel in /boot" >&2 && return 1; fi
  echo "$newest"
}
