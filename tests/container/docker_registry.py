#!/usr/bin/env python3
"""Imports images from the registry of Debian's package docker-registry: usage: docker_registry.py SLIPWAY

It serves on this machine, once without HTTPS, and once with a certificate of its own and a password. No network is used."""
import contextlib, pathlib, re, subprocess, sys, tempfile, time

sys.dont_write_bytecode = True  # keep the source tree clean
from imported import IMAGE, Import, check_image, exit_status, same

# Of the user `me` with the password `s3cret`, as `htpasswd -B` writes it.
PASSWORDS = "me:$2b$05$abcdefghijklmnopqrstuuLK7U1u6pVRmL7L1BBM2aS35PSZnDXlK\n"


@contextlib.contextmanager
def registry(folder, http="", more=""):
    """Serves the images in `folder`/images at a free port; yields its address."""
    settings = folder / "registry.yml"
    settings.write_text(f"version: 0.1\nstorage: {{filesystem: {{rootdirectory: {folder}/images}}}}\n"
                        f"http: {{addr: '127.0.0.1:0', secret: any{http}}}\n{more}")
    log = folder / "registry.log"
    with open(log, "w") as out:
        server = subprocess.Popen(["docker-registry", "serve", settings], stdout=out, stderr=out)
    try:
        while (found := re.search(r"listening on (127\.0\.0\.1:\d+)", log.read_text())) is None:
            if server.poll() is not None:
                raise SystemExit(f"docker-registry ended: {log.read_text()}")
            time.sleep(0.01)
        yield found[1]
    finally:
        server.terminate()
        server.wait()


def push(folder, address, name):
    IMAGE.write_layout(folder / "layout")
    done = subprocess.run(["skopeo", "copy", "--quiet", "--insecure-policy", "--dest-tls-verify=false", f"oci:{folder}/layout", f"docker://{address}/{name}"],
                          capture_output=True, text=True)
    same(f"skopeo pushes {name}", (done.returncode, done.stderr), (0, ""))


def check_without_https(run, folder):
    with registry(folder) as address:
        push(folder, address, "team/base/nemo:25.11")
        here = f"docker://{address}"
        run.fails("no HTTPS", "use --allow-http", f"{here}#team/base/nemo:25.11")
        same("without HTTPS", run(f"{here}#team/base/nemo:25.11", "--allow-http").returncode, 0)
        check_image("without HTTPS", folder / "team+base+nemo+25.11.sqsh")
        for number, name in enumerate(("/team/base/nemo:25.11", f"#team/base/nemo@{IMAGE.manifest}")):
            same(name, run(here + name, "--output", f"{number}.sqsh", ENROOT_ALLOW_HTTP="y").returncode, 0)
            check_image(name, folder / f"{number}.sqsh")
        run.fails("an unknown image", "the registry has no such image", f"{here}#team/other:1", "--allow-http")
        run.fails("an unknown tag", "the registry has no such image or tag", f"{here}#team/base/nemo:2", "--allow-http")
    run.fails("a registry that has ended", "nothing answers at the registry's address", f"{here}#team/base/nemo:25.11", "--allow-http")


def check_with_https(run, folder):
    """With the images that check_without_https() has pushed."""
    certificate, key = folder / "certificate.pem", folder / "key.pem"
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2", "-subj", "/CN=registry",
                    "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", key, "-out", certificate], check=True, capture_output=True)
    (folder / "passwords").write_text(PASSWORDS)
    with registry(folder, f", tls: {{certificate: {certificate}, key: {key}}}", f"auth: {{htpasswd: {{realm: here, path: {folder}/passwords}}}}\n") as address:
        image = f"docker://{address}#team/base/nemo:25.11"
        trusts = {"SSL_CERT_FILE": str(certificate)}
        run.fails("an unknown certificate", "the registry's certificate is not valid here", image)
        run.fails("no password", "the registry wants", image, **trusts)
        credentials = folder / "home/.config/enroot/.credentials"
        credentials.parent.mkdir(parents=True)
        credentials.write_text("machine 127.0.0.1 login me password $SECRET\n")
        said = run.fails("a wrong password", "the registry", image, SECRET="wr0ng", **trusts)
        same("no password is printed", "wr0ng" in said, False)
        same("with HTTPS and a password", run(image, "--output", "https.sqsh", SECRET="s3cret", **trusts).returncode, 0)
        check_image("with HTTPS and a password", folder / "https.sqsh")


def main(slipway):
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder).resolve()
        run = Import(pathlib.Path(slipway).resolve(), folder)
        check_without_https(run, folder)
        check_with_https(run, folder)
    return exit_status()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
