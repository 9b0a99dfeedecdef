#!/bin/sh
# symbols_test.sh PLUGIN LIST: checks that the plugin exports exactly what Slurm looks up, imports exactly
# the functions in LIST, and needs no libraries but those in LIST.
set -eu
plugin=$1
list=$2
{
  nm -D --defined-only "$plugin" | awk '{print "exports " $3}'
  nm -D --undefined-only "$plugin" | awk '$2 ~ /^(slurm|spank)_/ {print "asks " $2}'
  readelf -d "$plugin" | sed -n 's/.*(NEEDED).*\[\([^]]*\)\.so.*/needs \1/p' | grep -v -e libasan -e libubsan
} | LC_ALL=C sort | diff -u "$list" -
