#!/bin/bash
# Makes this machine use a web proxy: PROXY NO_PROXY.
set -euo pipefail
proxy=$1 no_proxy=$2

for name in http_proxy https_proxy HTTP_PROXY HTTPS_PROXY no_proxy NO_PROXY; do
  sed -i "/^$name=/d" /etc/environment
done
{
  echo "http_proxy=$proxy"
  echo "https_proxy=$proxy"
  echo "HTTP_PROXY=$proxy"
  echo "HTTPS_PROXY=$proxy"
  echo "no_proxy=$no_proxy"
  echo "NO_PROXY=$no_proxy"
} >>/etc/environment

if [ -d /etc/apt/apt.conf.d ]; then
  {
    echo "Acquire::http::Proxy \"$proxy\";"
    echo "Acquire::https::Proxy \"$proxy\";"
  } >/etc/apt/apt.conf.d/95proxy
fi
for file in /etc/dnf/dnf.conf /etc/yum.conf; do
  [ -f "$file" ] || continue
  [ ! -L "$file" ] || continue # yum.conf may be a link to the other
  sed -i '/^proxy=/d' "$file"
  sed -i "/^\[main\]/a proxy=$proxy" "$file"
done
