"""Makes small images for the tests of containers: a root with a shell and the tools that the tests call."""

import os
import re
import shutil
import subprocess

TOOLS = ["sh", "cat", "ls", "id", "mkdir", "touch", "stat", "readlink", "mount", "umount", "grep", "env", "sleep", "chown", "dd", "true"]


def copy_with_parents(source, root):
    target = root + source
    os.makedirs(os.path.dirname(target), exist_ok=True)
    if not os.path.exists(target):
        shutil.copy2(os.path.realpath(source), target)


def make_root(root, files=None):
    """A folder with the tools, their libraries, and `files`: path: text."""
    for folder in ["bin", "etc", "root", "work"]:
        os.makedirs(f"{root}/{folder}", exist_ok=True)
    for tool in TOOLS:
        program = shutil.which(tool, path="/bin:/usr/bin")
        shutil.copy2(os.path.realpath(program), f"{root}/bin/{tool}")
        needed = subprocess.run(["ldd", program], capture_output=True, text=True, check=True).stdout
        for library in re.findall(r"(/\S+) \(", needed):
            copy_with_parents(library, root)
    defaults = {"etc/passwd": "root:x:0:0::/root:/bin/sh\n_apt:x:42:42::/:\n", "etc/group": "root:x:0:\n"}
    for path, text in {**defaults, **(files or {})}.items():
        os.makedirs(os.path.dirname(f"{root}/{path}"), exist_ok=True)
        with open(f"{root}/{path}", "w", encoding="utf-8") as file:
            file.write(text)
    return root


def make_image(root, image):
    """The folder as a squashfs, every file owned by root, as importers make them."""
    command = ["mksquashfs", root, image, "-all-root", "-noappend", "-quiet", "-no-progress", "-comp", "zstd", "-Xcompression-level", "1"]
    subprocess.run(command, check=True, capture_output=True)
    os.chmod(image, 0o644)
    return image
