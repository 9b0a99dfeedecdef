# Only root reaches the metadata server: real packets on machines of a fake Google Cloud, whose server hands out tokens
# at the real address. `slipway node boot` made the machines a cluster, with real munge, slurmctld and slurmd.

load helper
load google_helper

C=quickstart-controller
N=quickstart-a3meganodeset-0
SERVER=169.254.169.254
TOKEN=computeMetadata/v1/instance/service-accounts/default/token

setup_file() {
  cloud_start "$TOP/examples/quickstart.yaml"
  machine_start $C $N
  boot $C --deadline 30 >"$SUITE/controller.out" 2>&1 3>&-
  boot $N --deadline 30 >"$SUITE/node.out" 2>&1 3>&-
}

teardown_file() { cloud_stop; }

# as USER COMMAND...: on the node, as a user who is not root
as() {
  local user=$1
  shift
  machine $N setpriv --reuid="$user" --regid="$user" --clear-groups "$@"
}

# asks [COMMAND...]: requests the machine's token, on the node, through a command
asks() { machine $N "$@" curl -sS --max-time 5 -H 'Metadata-Flavor: Google' "http://$SERVER/$TOKEN"; }

gets_token() { [ "$status" -eq 0 ] && [[ "$output" == *ya29* ]]; }

# curl's exit status when a connection is refused.
is_refused() { [ "$status" -eq 7 ] && [[ "$output" != *ya29* ]]; }

# finding [option...]: the health check's result for the metadata server, as root
finding() { machine $N /opt/slipway/bin/slipway health --json "$@" | python3 -c 'import json, sys
for one in json.load(sys.stdin)["findings"]:
    if one["finding"] == "metadata-open": print(one["action"], one["evidence"])'; }

@test "metadata: root gets the machine's token, a user is refused" {
  run asks
  gets_token
  for user in games daemon 65534; do
    run asks setpriv --reuid="$user" --regid="$user" --clear-groups
    is_refused
  done
}

@test "metadata: root of a user namespace counts as a user" {
  run as games unshare --user --map-root-user sh -c "id -u && exec curl -sS --max-time 5 http://$SERVER/$TOKEN"
  is_refused
  [[ "$output" == "0"* ]]
}

@test "metadata: no other port or spelling of the address helps a user" {
  local url
  for url in "https://$SERVER/" "http://$SERVER:8080/" "http://[::ffff:$SERVER]/" "http://0xa9fea9fe/" "http://$SERVER:988/"; do
    run as games curl -sS --max-time 5 "$url"
    is_refused
  done
}

@test "metadata: a job is refused, but not a job of root's" {
  wait_for node_is_idle $C $N
  run machine $C setpriv --reuid=games --regid=games --clear-groups srun --chdir=/ --nodelist=$N \
    curl -sS --max-time 5 -H 'Metadata-Flavor: Google' "http://$SERVER/$TOKEN"
  [ "$status" -ne 0 ]
  [[ "$output" == *"curl: (7)"* && "$output" != *ya29* ]]
  run machine $C srun --chdir=/ --nodelist=$N curl -sS --max-time 5 -H 'Metadata-Flavor: Google' "http://$SERVER/$TOKEN"
  gets_token
}

# shellcheck disable=SC2016  # it is for the shell on the node
@test "metadata: a container with its own network is refused, even as root" {
  # Its packets are forwarded and look like the machine's, as those from docker's bridge do.
  machine $N sh -ec '
    echo 1 >/proc/sys/net/ipv4/ip_forward
    unshare --net sleep 60 3>&- & inside=$!
    trap "kill $inside; nft delete table ip test" EXIT
    until [ "$(readlink /proc/$inside/ns/net)" != "$(readlink /proc/self/ns/net)" ]; do sleep 0.05; done
    ip link add outer type veth peer name inner netns $inside
    ip address add 192.168.7.1/24 dev outer
    ip link set outer up
    nsenter --net --target $inside ip address add 192.168.7.2/24 dev inner
    nsenter --net --target $inside ip link set inner up
    nsenter --net --target $inside ip route add default via 192.168.7.1
    nft "table ip test { chain post { type nat hook postrouting priority srcnat; masquerade; }; }"
    ask() { nsenter --net --target $inside curl -sS --max-time 5 -H "Metadata-Flavor: Google" http://'$SERVER/$TOKEN' 2>&1; }
    ask >/tmp/closed && exit 1
    # The route works: without the rules it gets an answer.
    nft delete table inet slipway_metadata
    ask >/tmp/open
    nft --file /etc/slipway/metadata.nft'
  run machine $N cat /tmp/closed
  says "curl: (7)"
  run machine $N cat /tmp/open
  gets_token
}

@test "metadata: its IPv6 address is closed, too" {
  # The node itself is the server.
  machine $N ip address add fd20:ce::254/128 dev lo
  machine $N python3 -m http.server --bind fd20:ce::254 --directory /usr/share/doc/nftables 80 >/dev/null 2>&1 3>&- &
  root_gets() { machine $N curl -sS 'http://[fd20:ce::254]/' -o /dev/null; }
  wait_for root_gets
  run as games curl -sS --max-time 5 'http://[fd20:ce::254]/'
  machine $N pkill -f http.server
  machine $N ip address delete fd20:ce::254/128 dev lo
  is_refused
}

@test "metadata: users can still look up names" {
  run as games getent hosts $C
  [ "$status" -eq 0 ]
  # Over TCP the tests' server answers nothing: the request arrives, and the server refuses it.
  run machine $N nft --numeric list chain inet slipway_metadata others
  says "tcp dport 53 accept"
}

@test "metadata: a connection of root's ends properly" {
  run asks
  half_closed() { enter "$(cat "$CLOUD/pid")" ss --no-header --tcp state last-ack state fin-wait-1 src $SERVER; }
  all_are_closed() { [ -z "$(half_closed)" ]; }
  wait_for all_are_closed
}

@test "metadata: health drains a node whose rules are missing or changed, until the next boot" {
  [ "$(finding)" = "" ]
  machine $N nft flush ruleset
  run asks setpriv --reuid=games --clear-groups
  gets_token
  [ "$(finding)" = "drain an ordinary user could connect" ]
  [ "$(finding --stage prolog)" = "drain an ordinary user could connect" ]
  boot $N --deadline 20
  [ "$(finding)" = "" ]
  machine $N nft insert rule inet slipway_metadata forward accept
  [ "$(finding)" = "drain the rules that close it to users have changed since boot" ]
  boot $N --deadline 20
  [ "$(finding)" = "" ]
  run asks setpriv --reuid=games --clear-groups
  is_refused
}

@test "metadata: rules of the site stay" {
  machine $N nft 'table inet site { chain one { }; }'
  boot $N --deadline 20
  run machine $N nft list tables
  says "table inet site"
  machine $N nft delete table inet site
}

@test "metadata: on the controller Slurm's user gets in, others do not" {
  run machine $C setpriv --reuid=slurm --clear-groups curl -sS -H 'Metadata-Flavor: Google' "http://$SERVER/$TOKEN"
  gets_token
  run machine $C setpriv --reuid=games --clear-groups curl -sS --max-time 5 "http://$SERVER/$TOKEN"
  is_refused
}

# opens_to USERS: the result of the blueprint's `metadata_users`
opens_to() {
  as_tester sed -i -E 's|"slipway-metadata-users": "[^"]*", ||; s|"slipway-role"|"slipway-metadata-users": "'"$1"'", "slipway-role"|' \
    "$CLOUD/instances/$N.json"
  run boot $N --deadline 20
}

@test "metadata: the blueprint can let users in, or everyone" {
  opens_to "games,no-such-user"
  says "this machine has no user \`no-such-user\`"
  run asks setpriv --reuid=games --clear-groups
  gets_token
  run asks setpriv --reuid=daemon --clear-groups
  is_refused
  [ "$(finding)" = "" ]
  opens_to "*"
  run asks setpriv --reuid=daemon --clear-groups
  gets_token
  [ "$(finding)" = "" ]
  run machine $N /opt/slipway/bin/slipway health --json
  says "the blueprint gives every user access"
}

@test "metadata: before the boot everyone except root is out, and a machine without nft does not become a node" {
  machine $N /opt/slipway/bin/slipway node guard
  run asks setpriv --reuid=games --clear-groups
  is_refused
  run asks
  gets_token
  opens_to games
  machine $N mount --bind /dev/null /usr/sbin/nft
  run boot $N --deadline 5
  machine $N umount /usr/sbin/nft
  fails_with 1 "cannot close the metadata server to users"
}
