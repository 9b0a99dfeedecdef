#!/usr/bin/env python3
"""Imports images with the real skopeo, umoci and mksquashfs: usage: import.py SLIPWAY

They come from OCI layouts, archives, folders, and a registry on this machine. No network is used."""
import os, pathlib, signal, subprocess, sys, tarfile, tempfile, time

sys.dont_write_bytecode = True  # keep the source tree clean
ROOT = pathlib.Path(__file__).parent.parent
sys.path[:0] = [str(ROOT / "golden"), str(ROOT / "fakes/containers")]
from checks import exit_status, same
from imported import IMAGE, Import, cat, check_image, listing
from images import Image
from registry import Registry


def check_rc(image, folder):
    """Runs the image's /etc/rc here: what it would execute is a program that prints its arguments."""
    work = folder / "rc"
    work.mkdir()
    (work / "echo").write_text('#!/bin/sh\nprintf "<%s>" "$@"\n')
    (work / "echo").chmod(0o755)
    rc = cat(image, "etc/rc").replace("'/work space/here'", f"'{work}'").replace("'/entry point'", f"'{work}/echo'")
    for arguments, expected in (([], "<--x=$HOME><train><it's>"), (["a b", "$c"], "<--x=$HOME><a b><$c>")):
        done = subprocess.run(["/bin/sh", "-c", rc, "rc", *arguments], capture_output=True, text=True)
        same(f"rc with {arguments}", done.stdout + done.stderr, expected)


def check_local(run, folder):
    IMAGE.write_layout(folder / "layout")
    done = run("dir:layout/", "--output", "oci.sqsh")
    same("a layout", (done.returncode, done.stdout), (0, f"{folder}/oci.sqsh\n"))
    check_image("a layout", folder / "oci.sqsh")
    check_rc(folder / "oci.sqsh", folder)
    IMAGE.write_archive(folder / "saved.tar", "me/image:1")
    same("what docker saved", run("tar:saved.tar", "--output", "saved.sqsh", "--compressor", "gzip").returncode, 0)
    check_image("what docker saved", folder / "saved.sqsh")
    with tarfile.open(folder / "layout.tar", "w") as tar:
        tar.add(folder / "layout", arcname=".")
    same("a layout in an archive", run("tar:layout.tar", "-o", "archive.sqsh", "--compressor", "none").returncode, 0)
    check_image("a layout in an archive", folder / "archive.sqsh")


def check_roots(run, folder):
    root = folder / "debian"
    for path in ("etc", "usr/bin", "dev", "proc"):
        (root / path).mkdir(parents=True)
    (root / "etc/environment").write_text("A=1\n")
    (root / "etc/rc").write_text("exec \"$@\"\n")
    (root / "dev/null").write_text("")
    with tarfile.open(folder / "root.tar.gz", "w:gz") as tar:
        tar.add(root, arcname=".")
    for address, image in (("dir:debian", "debian.sqsh"), ("tar:root.tar.gz", "root.tar.gz.sqsh")):
        same(address, run(address, "--threads", "1").returncode, 0)
        same(f"{address}: its own files stay", (cat(folder / image, "etc/environment"), cat(folder / image, "etc/rc")), ("A=1\n", "exec \"$@\"\n"))
        same(f"{address}: devices are left out", "dev/null" in listing(folder / image), False)
    done = run("dir:debian")
    same("a file that exists stays", (done.returncode, f"File already exists: {folder}/debian.sqsh" in done.stderr), (1, True))
    same("--force replaces it", run("dir:debian", "--force").returncode, 0)
    for inside in ("debian/x.sqsh", "debian/etc/../x.sqsh"):
        done = run("dir:debian", "--output", inside)
        same(f"{inside}: not in itself", (done.returncode, "which it is made of" in done.stderr, (root / "x.sqsh").exists()), (1, True, False))
    run.fails("no folder", "there is no folder", "dir:nothing")
    run.fails("no archive", "there is no file", "tar:nothing")
    (folder / "text.tar").write_text("not an archive")
    run.fails("no tar", "cannot unpack", "tar:text.tar")


def check_hostile(run, folder):
    out = folder / "outside"
    out.mkdir()
    for name in ("rc", "environment", "fstab"):
        (out / name).write_text("mine\n")
    layers = [{path: what.replace("{out}", str(out)) for path, what in
               {"etc": "-> {out}", "work": "-> ../../../../../../..{out}", "file": "x"}.items()}]
    Image(layers, {"WorkingDir": "/work/made", "Env": ["A=b"]}).write_layout(folder / "hostile")
    run("dir:hostile", "--output", "hostile.sqsh")
    same("an image's links do not lead out of it", {name: (out / name).read_text() for name in ("rc", "environment", "fstab")},
         {"rc": "mine\n", "environment": "mine\n", "fstab": "mine\n"})
    same("nothing new is outside", sorted(os.listdir(out)), ["environment", "fstab", "rc"])


def check_registry(run, folder):
    registry = Registry({"nvidia/nemo": {"25.11": IMAGE, "latest": IMAGE}, "team/own": {"1": IMAGE}, "slow/one": {"latest": IMAGE},
                         "slow/two": {"latest": IMAGE}}, ["team/own"], "$oauthtoken", "s3cret")
    here = f"docker://{registry.address}"
    run.fails("a registry without HTTPS", "use --allow-http", f"{here}#nvidia/nemo:25.11")
    http = {"ENROOT_ALLOW_HTTP": "y"}
    same("a registry", run(f"{here}#nvidia/nemo:25.11", **http).returncode, 0)
    check_image("a registry", folder / "nvidia+nemo+25.11.sqsh")
    same("as docker writes it", run(f"{here}/nvidia/nemo", "-o", "two.sqsh", "--allow-http").returncode, 0)
    same("by its digest", run(f"{here}#nvidia/nemo@{IMAGE.manifest}", "-o", "three.sqsh", **http).returncode, 0)
    run.fails("an unknown image", "the registry has no such image", f"{here}#nvidia/nothing:1", **http)
    run.fails("an unknown tag", "the registry has no such image or tag", f"{here}#nvidia/nemo:2", **http)
    run.fails("a private image", "the registry", f"{here}#team/own:1", **http)
    run.fails("a user without a password", "there is no password of `$oauthtoken`", f"{here.replace('//', '//$oauthtoken@')}#team/own:1", **http)
    check_cancel(run, folder, registry, here)
    check_credentials(run, folder, here, http)
    registry.stop()
    run.fails("a registry that is off", "the registry", "docker://127.0.0.1:1#x/y", **http)


def check_credentials(run, folder, here, http):
    netrc = folder / "home/.config/enroot/.credentials"
    netrc.parent.mkdir(parents=True)
    netrc.write_text("machine other login $oauthtoken password no\nmachine 127.0.0.1 login $oauthtoken password $SECRET\n")
    done = run(f"{here.replace('//', '//$oauthtoken@')}#team/own:1", "-o", "own.sqsh", SECRET="s3cret", **http)
    same("a private image", done.returncode, 0)
    said = done.stdout + done.stderr
    said += run.fails("a wrong password", "the registry", f"{here}#team/own:1", SECRET="wr0ng", **http)
    same("no password is printed", [word for word in ("s3cret", "wr0ng") if word in said], [])
    # Neither is it in an argument, which everybody can read.
    words = folder / "words"
    fake = folder / "bin"
    fake.mkdir()
    (fake / "skopeo").write_text(f'#!/bin/sh\nprintf "%s\\n" "$@" >{words}; stat -c %a "$TMPDIR"/*/auth.json >>{words}; exit 1\n')
    (fake / "skopeo").chmod(0o755)
    run(f"{here}#team/own:1", "-o", "never.sqsh", PATH=f"{fake}:{os.environ['PATH']}", SECRET="s3cret", **http)
    same("nor passed where others see it", ("s3cret" in words.read_text(), words.read_text().splitlines()[-1]), (False, "600"))


def check_cancel(run, folder, registry, here):
    registry.stalled.set()
    # Images of their own, so that no request of the one before is taken for the next one's.
    for number, name in ((signal.SIGINT, "slow/one"), (signal.SIGTERM, "slow/two")):
        started = subprocess.Popen(run.command(f"{here}#{name}", "-o", "cancelled.sqsh", "--allow-http"), cwd=folder,
                                   env=run.environment, stderr=subprocess.PIPE, text=True)
        while started.poll() is None and not any(f"{name}/blobs" in line for line in registry.log):
            time.sleep(0.01)
        started.send_signal(number)
        _, said = started.communicate(timeout=60)
        same(f"{number!r} ends it", (started.returncode, "interrupted" in said), (1, True))
        same(f"{number!r}: nothing is left", (os.listdir(folder / "tmp"), [n for n in os.listdir(folder) if "cancelled" in n]), ([], []))
    registry.stalled.clear()


def check_surroundings(run, folder):
    empty = folder / "empty"
    empty.mkdir()
    run.fails("no skopeo", "skopeo is not installed; as root: apt-get install skopeo", "docker://a#b/c", PATH=str(empty))
    run.fails("no mksquashfs", "mksquashfs is not installed; as root: apt-get install squashfs-tools", "dir:debian", PATH=str(empty))
    full = folder / "full"
    full.write_text('#!/bin/sh\necho "FATAL ERROR: Write failed because No space left on device" >&2\nexit 1\n')
    full.chmod(0o755)
    (empty / "mksquashfs").symlink_to(full)
    run.fails("a full disk", f"the disk of {folder} is full", "dir:debian", PATH=str(empty))
    for address, expected in (("docker://me:pw@x#y", "a password in an address"), ("docker://x#Y", "is not the name of an image"),
                              ("docker://x#../y", "is not the name of an image"), ("docker://x#y:a b", "is not a tag"),
                              ("docker://-x#y", "is not the name of a registry"), ("nemo", "an address begins with its kind"),
                              ("http://x/y", "unknown kind of address `http`"), ("docker://y@sha256:12", "is not a digest"),
                              ("dir:", "a path is missing")):
        said = run.fails(address, expected, address)
        same(f"{address}: no password is printed", "pw@" in said, False)


def main(slipway):
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder).resolve()
        run = Import(pathlib.Path(slipway).resolve(), folder)
        check_local(run, folder)
        check_roots(run, folder)
        check_hostile(run, folder)
        check_registry(run, folder)
        check_surroundings(run, folder)
    return exit_status()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
