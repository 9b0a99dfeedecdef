#!/usr/bin/env bash
# Prometheus, for controllers whose blueprint has `monitoring: prometheus`
# needs: nothing

# shellcheck source=../apt.sh
. "${images_folder:?}/apt.sh"
keep_daemons_off
apt_install prometheus
# `slipway node boot` starts slipway-prometheus.service instead, where the blueprint asks for it.
systemctl --root=/ disable prometheus.service 2>/dev/null
