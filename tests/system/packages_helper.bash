# Packages of this machine's Debian that are only unpacked, on machines of a fake Google Cloud. Needs Debian's archive.

# get_packages NAME...: with what they need and this machine does not have; nothing is installed
get_packages() {
  local package
  mkdir -p "$SUITE/packages/partial" "$SUITE/unpacked"
  apt-get install --download-only --no-install-recommends --yes --quiet -o Debug::NoLocking=1 -o APT::Sandbox::User=root \
    -o Dir::Cache::archives="$SUITE/packages" "$@" >"$SUITE/apt.out" 2>&1 || { cat "$SUITE/apt.out" && false; }
  for package in "$SUITE"/packages/*.deb; do dpkg --extract "$package" "$SUITE/unpacked"; done
}

# put_packages MACHINE
put_packages() {
  tar --create --directory="$SUITE/unpacked" . | machine "$1" tar --extract --directory=/ --keep-directory-symlink --no-overwrite-dir --no-same-owner
  machine "$1" ldconfig
}
