#!/bin/sh
# library.sh CC HEADER LIBRARY: the header is plain C, a C program links with the library, and that needs only the C library
set -eu
cc=$1 header=$2 library=$3
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cat >"$folder/program.c" <<'TEXT'
#include <slipway_checkpoints.h>
#include <stdio.h>
int main(void) {
  printf("%s\n", slipway_checkpoints_text(slipway_complete_step()));
  return slipway_wait_until_complete(1, 0) == SLIPWAY_CHECKPOINTS_ABSENT ? 0 : 1;
}
TEXT
# shellcheck disable=SC2086 # a compiler may be several words
$cc -x c -std=c99 -pedantic -Wall -Wextra -Werror -I"$(dirname "$header")" "$folder/program.c" -x none -o "$folder/program" "$library"
unset SLIPWAY_CHECKPOINTS SLIPWAY_CHECKPOINTS_STATE
LD_LIBRARY_PATH=$(dirname "$library")${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} "$folder/program" >"$folder/out"
grep -qx 'the program does not run under slipway launch --fast-checkpoints' "$folder/out"
others=$(readelf -d "$library" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' | grep -v '^libc\.so' || true)
[ -z "$others" ] || { echo "it needs $others" >&2; exit 1; }
names=$(nm -D --defined-only "$library" | awk '{ print $3 }' | sort | tr '\n' ' ')
[ "$names" = "slipway_checkpoints_text slipway_complete_step slipway_is_complete slipway_wait_until_complete " ] ||
  { echo "it exports $names" >&2; exit 1; }
