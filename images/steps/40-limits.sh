#!/usr/bin/env bash
# limits for jobs, and kernel network settings
# needs: nothing

# RDMA registers memory and NCCL opens many files; jobs inherit slurmd's limits.
mkdir -p /etc/systemd/system/slurmd.service.d /etc/sysctl.d
cat >/etc/systemd/system/slurmd.service.d/slipway.conf <<'UNIT'
[Service]
LimitMEMLOCK=infinity
LimitNOFILE=1048576
# A job is not to end when the daemon is restarted.
KillMode=process
UNIT
cat >/etc/sysctl.d/60-slipway.conf <<'SYSCTL'
# Ranks of a large job connect at the same time.
net.core.somaxconn = 4096
net.ipv4.tcp_max_syn_backlog = 4096
# Several network interfaces a machine: an answer may go out by another one.
net.ipv4.conf.all.rp_filter = 0
SYSCTL
