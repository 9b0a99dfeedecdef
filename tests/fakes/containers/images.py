"""Writes container images as the OCI Image Format Specification has them: an OCI layout, and what `docker save` writes."""
import gzip, hashlib, io, json, pathlib, tarfile


def layer(files):
    """A layer: {path: text, (text, mode), or a link's target as `-> TARGET`}; a path that ends in / is a folder."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as tar:
        for path, what in files.items():
            text, mode = what if isinstance(what, tuple) else (what, 0o644)
            info = tarfile.TarInfo(path.rstrip("/"))
            info.mode = mode
            if path.endswith("/"):
                info.type, info.mode = tarfile.DIRTYPE, 0o755
            elif text.startswith("-> "):
                info.type, info.linkname = tarfile.SYMTYPE, text[3:]
            else:
                info.size = len(text.encode())
            tar.addfile(info, io.BytesIO(text.encode()) if info.isreg() else None)
    return out.getvalue()


class Image:
    """`blobs` by digest; `manifest` is a digest of them."""

    def __init__(self, layers, config, architecture="amd64"):
        self.blobs = {}
        plain = [layer(files) for files in layers]
        self.config = {"architecture": architecture, "os": "linux", "config": config,
                       "rootfs": {"type": "layers", "diff_ids": [digest(one) for one in plain]}}
        self.plain = plain
        manifest = {"schemaVersion": 2, "mediaType": "application/vnd.oci.image.manifest.v1+json",
                    "config": self.add(json.dumps(self.config).encode(), "config.v1+json"),
                    "layers": [self.add(gzip.compress(one, 1, mtime=0), "layer.v1.tar+gzip") for one in plain]}
        self.descriptor = self.add(json.dumps(manifest).encode(), "manifest.v1+json")
        self.manifest = self.descriptor["digest"]

    def add(self, content, kind):
        self.blobs[digest(content)] = content
        return {"mediaType": f"application/vnd.oci.image.{kind}", "size": len(content), "digest": digest(content)}

    def write_layout(self, folder):
        blobs = pathlib.Path(folder) / "blobs/sha256"
        blobs.mkdir(parents=True)
        for name, content in self.blobs.items():
            (blobs / name.removeprefix("sha256:")).write_bytes(content)
        (blobs.parent.parent / "oci-layout").write_text('{"imageLayoutVersion": "1.0.0"}')
        index = {"schemaVersion": 2, "manifests": [self.descriptor]}
        (blobs.parent.parent / "index.json").write_text(json.dumps(index))

    def write_archive(self, file, name):
        """As `docker save NAME` writes it."""
        config = json.dumps(self.config).encode()
        files = {hashlib.sha256(config).hexdigest() + ".json": config}
        for number, one in enumerate(self.plain):
            files[f"{number}/layer.tar"] = one
        files["manifest.json"] = json.dumps([{"Config": next(iter(files)), "RepoTags": [name],
                                              "Layers": [path for path in files if path.endswith(".tar")]}]).encode()
        with tarfile.open(file, "w") as tar:
            for path, content in files.items():
                info = tarfile.TarInfo(path)
                info.size = len(content)
                tar.addfile(info, io.BytesIO(content))


def digest(content):
    return "sha256:" + hashlib.sha256(content).hexdigest()
