#!/usr/bin/env python3
"""Makes a small container image from this machine's own programs, in a second or two, for tests.

  container_image.py OUT.sqsh                      bash, coreutils and a few more programs
  container_image.py OUT.sqsh --python             and python3 with its standard library
  container_image.py OUT.sqsh --program strace     and that program, with its libraries
  container_image.py OUT.sqsh --env NCCL_NET=IB --env LD_LIBRARY_PATH=/x      /etc/environment
  container_image.py OUT.sqsh --file usr/bin/nvidia-smi=stub.sh               a file of the test's
  container_image.py OUT.sqsh --text etc/motd=hello --mode usr/bin/id=4755    its text; a file's mode
  container_image.py OUT.sqsh --workdir /workspace --entrypoint /usr/bin/env  what /etc/rc does
  container_image.py OUT.sqsh --rc 'export SEEN=1; exec "$@"'                 an /etc/rc of the test's
  container_image.py OUT.sqsh --tree /usr/lib/python3/dist-packages/torch     a folder, with its libraries
  container_image.py OUT.sqsh --pseudo 'dev/sda b 666 0 0 8 0'                as mksquashfs -p: devices, owners
  container_image.py OUT.sqsh --libraries /opt/lib   all libraries in this folder, as in no distribution, and its loader's cache
  container_image.py OUT.sqsh --megabytes 100      and a file /padding of so many MiB that do not compress
  container_image.py FOLDER --folder               only the root folder, for `slipway container import dir:FOLDER`

The image has what `enroot import` writes: /etc/rc, /etc/fstab and /etc/environment. All files belong to root, as there.
Options may be given several times. A program is a name in PATH or a path; it has the same path in the image.
"""
import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

PROGRAMS = """bash sh env cat ls id sleep hostname mkdir rmdir rm mv cp ln touch stat chmod chown chroot echo printf printenv
pwd true false head tail sort uniq wc tr cut tee date seq test readlink realpath dirname basename uname whoami nproc df dd
mktemp sync kill timeout sha256sum grep sed mount umount findmnt unshare setpriv ps""".split()
FOLDERS = "dev etc home mnt opt proc root run srv sys tmp usr/bin usr/lib usr/sbin usr/local var/tmp".split()
LEFT_OUT = {"__pycache__", "test", "tests", "idlelib", "lib2to3", "tkinter", "turtledemo", "ensurepip", "pydoc_data"}
SEARCH = "/usr/bin:/bin:/usr/sbin:/sbin:/usr/local/bin"


def say_and_exit(text):
    sys.exit(f"container_image.py: {text}")


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("output", type=pathlib.Path)
    for name in ("program", "env", "file", "text", "mode", "tree", "pseudo", "fstab"):
        parser.add_argument(f"--{name}", action="append", default=[])
    for name in ("workdir", "entrypoint", "rc", "libraries"):
        parser.add_argument(f"--{name}")
    parser.add_argument("--megabytes", type=int, default=0)
    parser.add_argument("--python", action="store_true")
    parser.add_argument("--folder", action="store_true")
    return parser.parse_args()


def split(pair):
    name, equals, value = pair.partition("=")
    if not equals:
        say_and_exit(f"`{pair}` is not NAME=VALUE")
    return name, value


class Root:
    def __init__(self, folder, libraries=None):
        """With the folder of libraries, the loader's is the only other that has any."""
        self.folder = folder
        self.libraries = libraries
        self.linked = set()  # files whose libraries are still to come
        for name in FOLDERS:
            (folder / name).mkdir(parents=True, exist_ok=True)
        for name in ("bin", "sbin", "lib"):
            (folder / name).symlink_to(f"usr/{name}")
        if libraries is None:
            (folder / "usr/lib64").mkdir()
            (folder / "lib64").symlink_to("usr/lib64")
        for name in ("tmp", "var/tmp"):
            (folder / name).chmod(0o1777)

    def place(self, path):
        """Where a path of this machine is in the image: /bin and /lib are links there, whatever they are here."""
        if self.libraries and not str(path).startswith("/lib64/") and ".so" in os.path.basename(path):
            return self.folder / self.libraries.lstrip("/") / os.path.basename(path)
        loaders = "" if self.libraries else "|lib64"
        return self.folder / re.sub(rf"^/(bin|sbin|lib{loaders})/", r"usr/\1/", str(path)).lstrip("/")

    def add(self, path):
        """A file under its own name, and what it links to."""
        target = self.place(path)
        if target.exists():
            return
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(os.path.realpath(path), target)
        self.linked.add(str(path))

    def add_program(self, name):
        found = name if "/" in name else shutil.which(name, path=SEARCH)
        if not found or not os.path.exists(found):
            say_and_exit(f"there is no program `{name}` here")
        self.add(found)

    def add_tree(self, path):
        def left_out(_, names):
            return [name for name in names if name in LEFT_OUT or name.startswith("config-")]

        if not os.path.isdir(path):
            say_and_exit(f"there is no folder `{path}` here")
        shutil.copytree(path, self.place(path), symlinks=False, ignore=left_out, ignore_dangling_symlinks=True,
                        dirs_exist_ok=True)
        for folder, _, names in os.walk(path):
            if not LEFT_OUT & set(folder.split("/")):
                self.linked.update(os.path.join(folder, name) for name in names if ".so" in name)

    def add_libraries(self):
        """One call of ldd for all; it prints `name => path (address)`, and the loader as `path (address)`."""
        said = subprocess.run(["ldd", *sorted(self.linked)], capture_output=True, text=True).stdout
        for path in sorted(set(re.findall(r"(?:=>|^)\s*(/\S+) \(0x", said, re.MULTILINE))):
            self.add(path)
        if self.libraries:
            self.write("etc/ld.so.conf", f"{self.libraries}\n")
            subprocess.run(["/sbin/ldconfig", "-r", str(self.folder)], check=True)

    def write(self, path, text, mode=0o644):
        target = self.folder / path.lstrip("/")
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text)
        target.chmod(mode)


def rc_text(arguments):
    if arguments.rc is not None:
        return arguments.rc + "\n"
    folder = f'mkdir -p "{arguments.workdir}" 2>/dev/null\ncd "{arguments.workdir}" || exit 1\n' if arguments.workdir else ""
    before = f"{arguments.entrypoint} " if arguments.entrypoint else ""
    return f'{folder}[ $# -gt 0 ] || set -- /bin/bash\nexec {before}"$@"\n'


def fill(root, arguments):
    for name in PROGRAMS + arguments.program:
        root.add_program(name)
    if arguments.python:
        python = os.path.realpath(shutil.which("python3", path="/usr/bin"))
        root.add_program(python)
        (root.folder / "usr/bin/python3").symlink_to(os.path.basename(python))
        root.add_tree(f"/usr/lib/{os.path.basename(python)}")
    for path in arguments.tree:
        root.add_tree(path)
    root.add_libraries()
    root.write("etc/passwd", "root:x:0:0:root:/root:/bin/bash\nnobody:x:65534:65534:nobody:/:/bin/false\n")
    root.write("etc/group", "root:x:0:\nnogroup:x:65534:\n")
    root.write("etc/hosts", "127.0.0.1 localhost\n")
    root.write("etc/nsswitch.conf", "passwd: files\ngroup: files\nhosts: files dns\n")
    root.write("etc/os-release", 'ID=slipway-test\nPRETTY_NAME="A test image"\n')
    root.write("etc/environment", "".join(f"{line}\n" for line in arguments.env))
    root.write("etc/fstab", "".join(f"{line}\n" for line in arguments.fstab))
    root.write("etc/rc", rc_text(arguments), 0o755)
    for pair in arguments.text:
        root.write(*split(pair))
    for pair in arguments.file:
        target, source = split(pair)
        (root.folder / target.lstrip("/")).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(source, root.folder / target.lstrip("/"))
    for pair in arguments.mode:
        target, mode = split(pair)
        (root.folder / target.lstrip("/")).chmod(int(mode, 8))
    if arguments.megabytes:
        with open(root.folder / "padding", "wb") as padding:
            for _ in range(arguments.megabytes):
                padding.write(os.urandom(1 << 20))


def main():
    arguments = parse()
    if arguments.folder:
        arguments.output.mkdir(parents=True)
        fill(Root(arguments.output, arguments.libraries), arguments)
        return
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder) / "root"
        root.mkdir()
        root.chmod(0o755)
        fill(Root(root, arguments.libraries), arguments)
        made = arguments.output.with_name(arguments.output.name + ".part")
        made.unlink(missing_ok=True)
        # Uncompressed: a test has the image for a minute.
        command = ["mksquashfs", str(root), str(made), "-all-root", "-noI", "-noD", "-noF", "-noX", "-no-xattrs", "-no-progress"]
        for line in arguments.pseudo:
            command += ["-p", line]
        result = subprocess.run(command, capture_output=True, text=True)
        if result.returncode != 0:
            say_and_exit(f"mksquashfs failed: {result.stderr.strip() or result.stdout.strip()}")
        made.rename(arguments.output)


if __name__ == "__main__":
    os.umask(0o022)
    main()
