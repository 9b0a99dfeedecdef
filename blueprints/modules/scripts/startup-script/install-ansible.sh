#!/bin/bash
# Installs Ansible in a Python virtual environment: FOLDER.
set -euo pipefail
folder=$1

if [ -x "$folder/bin/ansible-playbook" ]; then
  echo "Ansible is in $folder"
  exit 0
fi

if command -v dnf >/dev/null; then
  # On version 8 the system's python3 is 3.6.
  python3 -c 'import sys; sys.exit(sys.version_info < (3, 9))' 2>/dev/null ||
    dnf install -y python3.11 python3.11-pip
elif command -v apt-get >/dev/null; then
  export DEBIAN_FRONTEND=noninteractive
  apt-get update
  apt-get install -y python3-venv python3-pip
fi

python=
for candidate in python3.12 python3.11 python3.10 python3.9 python3; do
  if command -v "$candidate" >/dev/null && "$candidate" -c 'import venv' 2>/dev/null; then
    python=$candidate
    break
  fi
done
if [ -z "$python" ]; then
  echo "Ansible needs Python 3.9 or newer with its module venv" >&2
  exit 1
fi

# The newest release that still manages systems with Python 3.6, such as Rocky Linux 8.
version='ansible>=9,<10'
"$python" -c 'import sys; sys.exit(sys.version_info < (3, 10))' || version='ansible>=6,<7'
"$python" -m venv "$folder"
"$folder/bin/python" -m pip install --quiet --upgrade pip setuptools wheel
"$folder/bin/python" -m pip install --quiet "$version"

# Runners of type shell call these programs by name.
mkdir -p /usr/local/bin
for program in "$folder"/bin/ansible*; do
  ln -sf "$program" "/usr/local/bin/$(basename "$program")"
done
"$folder/bin/ansible" --version
