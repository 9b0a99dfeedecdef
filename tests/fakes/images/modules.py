#!/usr/bin/env python3
"""Kernel modules that modinfo and depmod can read, without code: modules.py ROOT KERNEL NAME..."""
import pathlib, subprocess, sys, tempfile


def module(name):
    """The bytes of NAME.ko: an ELF file with a section .modinfo."""
    with tempfile.TemporaryDirectory() as folder:
        source, out = pathlib.Path(folder) / "m.s", pathlib.Path(folder) / "m.o"
        fields = "".join(f'.asciz "{field}"\n' for field in (f"name={name.replace('-', '_')}", "license=GPL"))
        source.write_text(f'.section .modinfo,"a"\n{fields}')
        subprocess.run(["as", "-o", out, source], check=True)
        return out.read_bytes()


def install(root, kernel, names):
    """Puts modules into a root, besides those that are there, and makes the kernel's list of them."""
    folder = pathlib.Path(root) / "lib/modules" / kernel
    (folder / "updates").mkdir(parents=True, exist_ok=True)
    for name in names:
        (folder / "updates" / f"{name}.ko").write_bytes(module(name))
    for index in ("modules.order", "modules.builtin", "modules.builtin.modinfo"):
        (folder / index).touch()
    subprocess.run(["/sbin/depmod", "--basedir", root, kernel], check=True)


if __name__ == "__main__":
    install(sys.argv[1], sys.argv[2], sys.argv[3:])
