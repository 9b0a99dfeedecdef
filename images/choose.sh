# shellcheck shell=bash disable=SC2034  # read by the scripts that source it
# Chooses an image by options: --transport, --base, --machine-type and --containers, with blueprints/catalogue/images.yaml.

images_catalogue=${BASH_SOURCE[0]%/*}/../blueprints/catalogue/images.yaml

die() { echo "${0##*/}: $*" >&2 && exit 2; }

# rows SECTION: each row of the catalogue as "NAME {KEY: VALUE, ...}"
rows() {
  awk -v section="$1:" '/^[a-z]/ { on = $1 == section; next }
    on && match($0, /^  [^ #].*: \{/) {
      name = substr($0, 3, RLENGTH - 5); gsub(/"/, "", name)
      print name, substr($0, RLENGTH)
    }' "$images_catalogue"
}

# names SECTION: the names of its rows, in one line
names() { rows "$1" | cut -d' ' -f1 | paste -sd, | sed 's/,/, /g'; }

# field ROW KEY: the value of a key; empty if the row has no such key
field() { sed -nE "s/, lacks: .*//; s/.*[{ ]$2: ([^,}]*).*/\1/p" <<<"$1"; }

# row SECTION NAME: fails if there is none
row() {
  local line
  line=$(rows "$1" | awk -v name="$2" '$1 == name { print; exit }')
  [ -n "$line" ] && echo "$line"
}

# row_of_machine TYPE: the first row whose pattern matches
row_of_machine() {
  local pattern rest
  while read -r pattern rest; do
    # shellcheck disable=SC2053  # a pattern
    if [[ $1 == $pattern ]]; then echo "$pattern $rest" && return; fi
  done < <(rows machines)
}

# choose OPTION...: sets `transport`, `base`, the base's properties, `containers`, and `rest`, all other options
choose() {
  local machine line
  transport='' base='' containers=slipway rest=()
  while [ $# -gt 0 ]; do
    case $1 in
      --transport | --base | --machine-type | --containers)
        [ $# -gt 1 ] || die "\`$1\` needs a value"
        case $1 in
          --transport) transport=$2 ;;
          --base) base=$2 ;;
          --containers)
            case $2 in
              slipway | pyxis | none) containers=$2 ;;
              *) die "\`--containers $2\`: known are slipway, pyxis and none" ;;
            esac
            ;;
          --machine-type)
            [[ $2 =~ ^[a-z0-9]+-[-a-z0-9]+$ ]] || die "\`$2\` is not a machine type"
            machine=$(row_of_machine "$2")
            transport=$(field "$machine" transport) base=$(field "$machine" base)
            ;;
        esac
        shift
        ;;
      *) rest+=("$1") ;;
    esac
    shift
  done
  transport=${transport:-socket}
  line=$(row transports "$transport") || die "unknown transport \`$transport\`; known: $(names transports)"
  base=${base:-$(field "$line" base)}
  line=$(row bases "$base") || die "unknown base \`$base\`; known: $(names bases)"
  default_base=$(field "$(row transports "$transport")" base)
  system=$(field "$line" system) release=$(field "$line" release) architecture=$(field "$line" architecture)
  kernel=$(field "$line" kernel) driver=$(field "$line" driver)
  base_project=$(field "$line" project) base_family=$(field "$line" family)
  builder=$(field "$line" builder) disk=$(field "$line" disk)
  if [ "$driver" = none ] && [ "$transport" != socket ]; then
    die "the transport $transport needs GPUs, and the base $base has no driver for them"
  fi
}
