#!/usr/bin/env python3
"""A registry of containers: registry.py [FOLDER]: makes the stand-ins of Google's containers in FOLDER.

servers.py serves them as a registry does: FOLDER/NAME/manifests/TAG and FOLDER/NAME/blobs/DIGEST."""
import gzip, hashlib, io, json, pathlib, re, subprocess, sys, tarfile

# What each container's program installs, and where; gIB's is in a folder of its own, as in Google's.
PLUGINS = {
    "gce-ai-infra/gpudirect-tcpxo/nccl-plugin-gpudirecttcpx-dev:v1.0.17":
        ("/var/lib/tcpxo", ["lib64/libnccl-net.so", "lib64/libnccl-net_internal.so", "lib64/libnccl-tuner.so", "lib64/libnccl.so.2",
                            "lib64/nccl-env-profile.sh"]),
    "gce-ai-infra/gpudirect-tcpx/nccl-plugin-gpudirecttcpx-dev:v3.1.9-2.19.4-12.0":
        ("/var/lib/tcpx", ["lib64/libnccl-net.so", "lib64/libnccl.so.2"]),
    "gce-ai-infra/gpudirect-gib/nccl-plugin-gib:v1.1.0":
        ("/var/lib/gib", ["lib64/libnccl-net.so", "lib64/libnccl.so.2", "scripts/set_nccl_env.sh"]),
}
DAEMONS = ["gce-ai-infra/gpudirect-tcpxo/tcpgpudmarxd-dev:v1.0.23", "gce-ai-infra/gpudirect-tcpx/tcpgpudmarxd-dev:v2.0.12"]

INSTALL = """#!/bin/bash
set -e
[ "$1" = install ] || exit 2
{lines}
"""


def layer(files):
    """A layer with this machine's bash and mkdir, and these files"""
    paths = {"/bin/bash", "/bin/mkdir"}
    for program in tuple(paths):
        paths.update(re.findall(r"/lib\S+", subprocess.run(["ldd", program], check=True, capture_output=True, text=True).stdout))
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", dereference=True) as tar:
        for path in sorted(paths):
            tar.add(path, recursive=False)
        for path, text in files.items():
            info = tarfile.TarInfo(path.lstrip("/"))
            info.size, info.mode = len(text.encode()), 0o755
            tar.addfile(info, io.BytesIO(text.encode()))
    return out.getvalue()


def add(folder, container, files):
    name, tag = container.rsplit(":", 1)
    blobs, manifests = folder / name / "blobs", folder / name / "manifests"
    for path in (blobs, manifests):
        path.mkdir(parents=True, exist_ok=True)

    def blob(content, kind):
        digest = "sha256:" + hashlib.sha256(content).hexdigest()
        (blobs / digest).write_bytes(content)
        return {"mediaType": f"application/vnd.docker.{kind}", "size": len(content), "digest": digest}

    plain = layer(files)
    config = {"architecture": "amd64", "os": "linux", "config": {"Entrypoint": ["/entry.sh"]},
              "rootfs": {"type": "layers", "diff_ids": ["sha256:" + hashlib.sha256(plain).hexdigest()]}}
    manifest = {"schemaVersion": 2, "mediaType": "application/vnd.docker.distribution.manifest.v2+json",
                "config": blob(json.dumps(config).encode(), "container.image.v1+json"),
                "layers": [blob(gzip.compress(plain, 1, mtime=0), "image.rootfs.diff.tar.gzip")]}
    text = json.dumps(manifest).encode()
    (manifests / tag).write_bytes(text)
    (manifests / ("sha256:" + hashlib.sha256(text).hexdigest())).write_bytes(text)


def main(folder):
    for container, (where, files) in PLUGINS.items():
        lines = "\n".join(f"mkdir -p {where}/{pathlib.PurePath(file).parent}; echo '{file} of {container}' >{where}/{file}" for file in files)
        add(folder, container, {"/entry.sh": INSTALL.format(lines=lines)})
    for container in DAEMONS:
        add(folder, container, {"/entry.sh": "#!/bin/bash\necho Buffer manager initialization complete\n"})


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
