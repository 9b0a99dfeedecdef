# shellcheck shell=bash
# Docker in a step: the machine's own, or one for the time of the step, in the root of an image without systemd.

# with_docker: makes `docker` work until the script ends
with_docker() {
  if docker info >/dev/null 2>&1; then return; fi
  if [ -d /run/systemd/system ]; then systemctl start docker.service && return; fi
  # The installers need no network, and the root of an image can be without a network stack of its own.
  dockerd --iptables=false --ip6tables=false --bridge=none >/var/log/slipway-dockerd.log 2>&1 &
  dockerd=$!
  trap 'kill $dockerd 2>/dev/null; wait $dockerd; rm -f /var/log/slipway-dockerd.log' EXIT
  for _ in $(seq 300); do
    if docker info >/dev/null 2>&1; then return; fi
    kill -0 $dockerd 2>/dev/null || break
    sleep 0.1
  done
  tail -n 5 /var/log/slipway-dockerd.log >&2
  return 1
}

# pull CONTAINER: from the mirror if there is one, under its own name
pull() {
  local from=${registry_mirror:?}/${1#*/}
  docker pull --quiet "$from"
  if [ "$from" != "$1" ]; then docker tag "$from" "$1" && docker rmi "$from" >/dev/null; fi
}
