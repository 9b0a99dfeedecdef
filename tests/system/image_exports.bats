# Folders that a controller of a fake Google Cloud shares, with the real exportfs, which reads exports(5) as the cloud's
# controller does. Its package is only unpacked, on the controller. Needs Debian's archive: ./test.sh --images

# bats file_tags=apart,alone
load helper
load google_helper
load packages_helper

C=settings-controller

setup_file() {
  get_packages nfs-kernel-server
  cloud_start "$TOP/tests/system/settings.yaml"
  machine_start $C
  put_packages $C
  boot $C --deadline 120 >"$SUITE/controller.out" 2>&1 3>&- || { cat "$SUITE/controller.out" && false; }
}

teardown_file() { cloud_stop; }

# exported: what exportfs gives the kernel's server, a line for each folder, sorted
exported() { machine $C cat /var/lib/nfs/etab | sort; }

@test "exports: every folder is exported to the cluster's machines, to be written by root" {
  # No stand-in.
  [ "$(machine $C head -c 4 /usr/sbin/exportfs | tail -c 3)" = ELF ]
  run exported
  [ "$status" -eq 0 ]
  [ "${#lines[@]}" -eq 2 ]
  local line
  for line in "${lines[@]}"; do
    for option in rw sync no_subtree_check no_root_squash sec=sys; do [[ ${line//[()]/,} == *",$option,"* ]]; done
  done
  [[ "${lines[0]}" == "/home	*("* && "${lines[1]}" == "/opt/apps	*("* ]]
}

@test "exports: what the controller shares has no word that exportfs complains about" {
  run machine $C exportfs -rav
  says "exporting *:/home"
  says "exporting *:/opt/apps"
  [[ "$output" != *[Ww]arning* && "$output" != *"No options"* && "$output" != *[Uu]nknown* && "$output" != *bad* ]]
}

@test "exports: a folder that is no longer shared is not exported after the next boot" {
  machine $C sh -c 'mkdir -p /site; echo "/site *(rw,sync,no_subtree_check)" >>/etc/exports.d/slipway.exports; exportfs -ra'
  [[ "$(exported)" == *"/site	"* ]]
  boot $C --deadline 120
  [[ "$(exported)" != *"/site	"* ]]
}
