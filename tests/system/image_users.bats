# Users whom machines of a fake Google Cloud look up, with the clients that the images have: sssd with a real LDAP server,
# and OS Login's library for the name service. The packages are only unpacked, on the machines. Needs the archive of this
# machine's Debian: ./test.sh --images

# bats file_tags=apart,alone
load helper
load google_helper
load packages_helper

C=users-controller
N=users-cpunodes-0
L=users-login-001
SERVER=ldap.example.com # as the guide has it

# put_clients NAME: as images/steps/79-users.sh and Google's guest agent leave a machine
put_clients() {
  put_packages "$1"
  machine "$1" sh -ec "printf 'passwd: files sss cache_oslogin oslogin\ngroup: files sss cache_oslogin oslogin\nhosts: files dns\n' >/etc/nsswitch.conf
    echo '$(address_of $C) $SERVER' >>/etc/hosts"
}

# address_of NAME: of a machine
address_of() { python3 -c '
import json, sys
print(json.load(open(sys.argv[1]))["address"].split("/")[0])' "$CLOUD/instances/$1.json"; }

# start_directory: an LDAP server with alice and her group, which people of no machine's /etc/passwd are
start_directory() {
  as_tester sh -ec "cd '$CLOUD'
    openssl req -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -keyout ldap.key -out ldap.csr -subj /CN=$SERVER
    echo subjectAltName=DNS:$SERVER >ldap.names
    openssl x509 -req -in ldap.csr -CA ca.crt -CAkey ca.key -out ldap.crt -days 2 -extfile ldap.names" 2>/dev/null
  machine $C mkdir -p /run/directory/data
  for name in key crt; do machine $C tee "/run/directory/ldap.$name" <"$CLOUD/ldap.$name" >/dev/null; done
  machine $C sh -ec 'cat >/run/directory/slapd.conf
    slapadd -f /run/directory/slapd.conf <<ENTRIES
dn: dc=example,dc=com
objectClass: domain
dc: example

dn: uid=alice,dc=example,dc=com
objectClass: account
objectClass: posixAccount
uid: alice
cn: Alice
uidNumber: 50001
gidNumber: 50100
homeDirectory: /tmp
loginShell: /bin/sh

dn: cn=physics,dc=example,dc=com
objectClass: posixGroup
cn: physics
gidNumber: 50100

dn: cn=lattice,dc=example,dc=com
objectClass: posixGroup
cn: lattice
gidNumber: 50200
memberUid: alice
ENTRIES' <<'SETTINGS'
include /etc/ldap/schema/core.schema
include /etc/ldap/schema/cosine.schema
include /etc/ldap/schema/nis.schema
pidfile /run/directory/slapd.pid
TLSCertificateFile /run/directory/ldap.crt
TLSCertificateKeyFile /run/directory/ldap.key
database ldif
suffix dc=example,dc=com
directory /run/directory/data
SETTINGS
  machine $C slapd -f /run/directory/slapd.conf -h "ldaps://$SERVER/"
}

# start_sssd NAME: with the settings that the guide gives
start_sssd() {
  sed -n "/<<'SETTINGS'$/,/^SETTINGS$/p" "$TOP/docs/guides/users.md" | sed '1d;$d' | machine "$1" sh -c 'umask 077; cat >/etc/sssd/sssd.conf'
  machine "$1" grep -qx "ldap_uri = ldaps://$SERVER" /etc/sssd/sssd.conf
  machine "$1" sssd --daemon
}

setup_file() {
  local name
  get_packages slapd sssd-ldap libnss-sss google-compute-engine-oslogin
  cloud_start "$TOP/tests/system/image_users.yaml"
  machine_start $C $N $L
  for name in $C $N $L; do put_clients $name; done
  start_directory
  for name in $C $N $L; do start_sssd $name; done
  for name in $N $L; do boot $name --deadline 120 >"$SUITE/$name.out" 2>&1 3>&- & done
  boot $C --deadline 120 >"$SUITE/controller.out" 2>&1 3>&- || { cat "$SUITE/controller.out" && false; }
  wait_for node_is_idle $C $N
  wait_for machine $L scontrol ping
}

teardown_file() { cloud_stop; }

# as USER COMMAND...: on the login node
as() { machine $L runuser --user "$1" -- "${@:2}"; }

@test "users: one whom only the directory knows submits a job, which has her name and her groups on the node" {
  for name in $C $N $L; do refuse machine $name grep -q alice /etc/passwd; done
  run as alice srun --chdir=/tmp sh -c 'echo "$(hostname) $(id --user) $(id --user --name) $(id --groups --name)"'
  says "$N 50001 alice physics lattice"
  local job
  job=$(as alice sbatch --parsable --chdir=/tmp --output=/dev/null --wrap "sleep 600")
  run machine $C squeue --noheader --format='%i %u'
  says "$job alice"
  as alice scancel "$job"
}

@test "users: while the directory is away, users that machines have seen run jobs" {
  machine $C sh -c 'kill "$(cat /run/directory/slapd.pid)"'
  wait_for refuse machine $C pgrep -x slapd
  run as alice srun --chdir=/tmp id --user --name
  says alice
}

@test "users: one of OS Login submits a job, which has a name once the node has refreshed its cache" {
  echo '[{"username": "bob_example_com", "uid": "61001"}]' | as_tester tee "$CLOUD/oslogin.json" >/dev/null
  run as bob_example_com srun --chdir=/tmp sh -c 'echo "$(hostname) $(id --user) $(id --group)"'
  says "$N 61001 61001"
  run machine $C getent passwd bob_example_com
  says "bob_example_com:*:61001:61001::/home/bob_example_com:/bin/bash"
  # Users' programs do not reach the metadata server.
  run as bob_example_com srun --quiet --chdir=/tmp id --user --name
  [ "$status" -ne 0 ]
  machine $N google_oslogin_nss_cache 2>/dev/null # which says that nobody has groups
  run as bob_example_com srun --quiet --chdir=/tmp id --user --name
  says bob_example_com
}

@test "users: one whom nobody knows gets no account" {
  run machine $L getent passwd mallory
  [ "$status" -eq 2 ]
}
