#!/bin/bash
# Checks the profiles from WRITER against the schema, and that the schema rejects wrong ones: node_schema.sh WRITER
# VALIDATE SCHEMA
set -eu
writer=$1 validate=$2 schema=$3
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

"$writer" "$folder"
[ "$(ls "$folder" | wc -l)" = 9 ]
[ -e "$folder/tcpx.json" ] && [ -e "$folder/tcpxo.json" ] && [ -e "$folder/gib.json" ]
"$validate" "$schema" "$folder"/*.json

# refuse EDIT MESSAGE: the document with EDIT applied must be rejected with MESSAGE.
refuse() {
  python3 -c "import json, sys; d = json.load(open(sys.argv[1])); $1; json.dump(d, open(sys.argv[2], 'w'))" \
    "$folder/quickstart-login-001.json" "$folder/wrong"
  said=$("$validate" "$schema" "$folder/wrong" 2>&1) && { echo "accepted: $1"; exit 1; }
  [ "$said" = "$folder/wrong: $2" ] || { echo "for $1 it said: $said"; exit 1; }
}
refuse "del d['transport']" "\$: 'transport' is a required property"
refuse "d['schema'] = 'slipway/node/2'" "\$.schema: 'slipway/node/1' was expected"
refuse "d['gpus']['count'] = '8'" "\$.gpus.count: '8' is not of type 'integer'"
refuse "d['network_interfaces'][0]['purpose'] = 'storage'" \
  "\$.network_interfaces[0].purpose: 'storage' is not one of ['host', 'gpu']"
refuse "d['expected_bandwidth'][0]['tolerance'] = 10" \
  "\$.expected_bandwidth[0].tolerance: 10 is greater than or equal to the maximum of 1"
