#!/usr/bin/env python3
"""Makes the stand-ins of the archives that images are built from: archive.py FOLDER RELEASE KERNEL

Signed apt archives below FOLDER/nvidia, google and artifact, with the layout of the real ones, and their public keys."""
import email.utils, gzip, os, pathlib, subprocess, sys, tempfile

sys.path.insert(0, os.path.dirname(__file__))
import packages
from modules import module

GNUPG = pathlib.Path(tempfile.mkdtemp())  # gpg wants a short path
os.chmod(GNUPG, 0o700)


def run(*words, **options):
    return subprocess.run(words, check=True, capture_output=True, **options).stdout


def gpg(*words, **options):
    return run("gpg", "--homedir", GNUPG, "--batch", "--quiet", "--pinentry-mode", "loopback", "--passphrase", "", *words, **options)


def make_deb(folder, name, version, files, depends="", after="", provides=""):
    """A package; its file name is NAME_VERSION_all.deb, as dpkg-deb makes it. `after` runs once it is installed."""
    with tempfile.TemporaryDirectory() as scratch:
        top = pathlib.Path(scratch)
        os.chmod(top, 0o755)
        for path, content in files.items():
            file = top / path.lstrip("/")
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content if isinstance(content, bytes) else content.encode())
            file.chmod(0o755 if "/bin/" in path or "/sbin/" in path else 0o644)
        control = top / "DEBIAN/control"
        control.parent.mkdir()
        lines = [f"Package: {name}", f"Version: {version}", "Architecture: all", "Maintainer: tests <tests@localhost>",
                 "Description: a stand-in"] + ([f"Depends: {depends}"] if depends else []) + ([f"Provides: {provides}"] if provides else [])
        control.write_text("\n".join(lines) + "\n")
        if after:
            (control.parent / "postinst").write_text(f"#!/bin/sh\nset -e\n{after}\n")
            (control.parent / "postinst").chmod(0o755)
        run("dpkg-deb", "--root-owner-group", "-Znone", "--build", top, folder)


def make_release(folder, label, suite):
    """Release and InRelease of the index files below a folder."""
    lines = [f"Origin: tests\nDate: {email.utils.formatdate(usegmt=True)}\nLabel: {label}\nSuite: {suite}\nCodename: {suite}\nArchitectures: amd64 all\nComponents: main\nSHA256:"]
    for file in sorted(folder.rglob("Packages*")):
        digest = run("sha256sum", file).decode().split()[0]
        lines.append(f" {digest} {file.stat().st_size} {file.relative_to(folder)}")
    (folder / "Release").write_text("\n".join(lines) + "\n")
    gpg("--yes", "--output", folder / "InRelease", "--clearsign", folder / "Release")


def index(top, where, pool):
    """Packages of the pool's debs, whose names are relative to `top`"""
    text = run("dpkg-scanpackages", "--multiversion", pool.relative_to(top), cwd=top)
    where.mkdir(parents=True, exist_ok=True)
    (where / "Packages").write_bytes(text)
    (where / "Packages.gz").write_bytes(gzip.compress(text))


def make_suite(top, suite, content, label="tests"):
    pool = top / "pool" / suite
    pool.mkdir(parents=True)
    for name, one in content.items():
        make_deb(pool, name, **one)
    index(top, top / "dists" / suite / "main/binary-amd64", pool)
    make_release(top / "dists" / suite, label, suite)


def make_nvidia(top, release):
    """A flat archive, as NVIDIA's, and the package with its key and address."""
    folder = top / {"noble": "ubuntu2404", "trixie": "debian13"}[release] / "x86_64"
    folder.mkdir(parents=True)
    for name, versions in packages.NVIDIA.items():
        for one in versions if isinstance(versions, list) else [versions]:
            make_deb(folder, name, **one)
    index(folder, folder, folder)
    make_release(folder, "NVIDIA CUDA", "stable")
    key = "/usr/share/keyrings/cuda-archive-keyring.gpg"
    line = f"deb [signed-by={key}] http://127.0.0.1:8080/{folder.relative_to(top.parent)}/ /\n"
    make_deb(folder, "cuda-keyring", "1.1-1", {key: gpg("--export"), "/etc/apt/sources.list.d/cuda.list": line})


def main():
    top, release, kernel = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2], sys.argv[3]
    gpg("--quick-generate-key", "tests", "ed25519", "sign", "never")
    key = gpg("--armor", "--export")
    google, artifact = top / "google/apt", top / "artifact"
    for path in (google / "doc/apt-key.gpg", artifact / "doc/repo-signing-key.gpg"):
        path.parent.mkdir(parents=True)
        path.write_bytes(key)
    make_nvidia(top / "nvidia", release)
    make_suite(google, f"gcsfuse-{release}", packages.gcsfuse())
    make_suite(google, f"google-cloud-ops-agent-{release}-all", packages.ops_agent())
    make_suite(google, "apt-transport-artifact-registry-stable", packages.ARTIFACT_TRANSPORT)
    make_suite(artifact / "projects/gce-ai-infra", "gpudirect-tcpxo-apt", packages.TCPXO)
    make_suite(artifact / "projects/lustre-client-binaries", f"lustre-client-ubuntu-{release}", packages.lustre(kernel, module))
    run("gpgconf", "--homedir", GNUPG, "--kill", "all")


if __name__ == "__main__":
    main()
