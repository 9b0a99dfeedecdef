#!/usr/bin/env python3
"""Tests the image recipe: its steps, the image name with its digest, the packed script, and when Packer runs."""
import os, pathlib, shutil, subprocess, tempfile, unittest

TOP = pathlib.Path(__file__).resolve().parents[2]
# Everything that goes into an image or its name.
INPUTS = ["images", *(line for line in (TOP / "images/source").read_text().splitlines() if not line.startswith("#"))]


def run(*words, **options):
    return subprocess.run(words, capture_output=True, text=True, timeout=60, **options)


class Recipe(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.top = pathlib.Path(folder.name) / "source"
        self.top.mkdir()
        for name in INPUTS:
            path = TOP / name
            if path.is_dir():
                shutil.copytree(path, self.top / name)
            else:
                shutil.copy2(path, self.top / name)
        self.images = self.top / "images"

    def name(self, *options):
        done = run(self.images / "name.sh", *options)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout.strip()

    def test_every_step_has_a_description_and_its_needs(self):
        done = run(self.images / "install.sh", "--list")
        lines = [line.split(None, 2) for line in done.stdout.splitlines()]
        self.assertEqual(len(lines), len(list((self.images / "steps").iterdir())))
        self.assertEqual([name for name, needs, _ in lines if needs == "nothing"],
                         ["base", "slurm", "mpi", "limits", "slipway", "clean"])
        self.assertTrue(all(needs in ("nothing", "cloud", "gpu") for _, needs, _ in lines))

    def test_skips_steps_whose_needs_are_missing(self):
        done = run(self.images / "install.sh", "--without", "cloud", "cuda", "driver")
        self.assertEqual(done.stdout, "==> driver: skipped, it needs cloud\n==> cuda: skipped, it needs cloud\n")

    def test_refuses_unknown_steps_options_and_transports(self):
        for words, says in [(["cudda"], "unknown step `cudda`; known: base slurm"), (["--al"], "unknown option `--al`"),
                            (["--list", "--transport", "rdma"], "unknown transport `rdma`; known: tcpxo, tcpx, gib, socket"),
                            (["--transport"], "`--transport` needs a value"), ([], "name the steps, or use `--all`")]:
            done = run(self.images / "install.sh", *words)
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertIn(says, done.stderr)

    def test_the_name_does_not_depend_on_place_or_time(self):
        before = self.name()
        self.assertRegex(before, "^slipway-socket-[0-9a-f]{12}$")
        for file in self.top.rglob("*"):
            os.utime(file)
        (self.top / "tests").mkdir()
        (self.top / "tests" / "new").write_text("not part of an image")
        self.assertEqual(self.name(), before)
        self.top = self.top.rename(self.top.with_name("moved"))
        self.images = self.top / "images"
        self.assertEqual(self.name(), before)

    def test_the_name_changes_with_every_step_and_input(self):
        seen = {self.name(), self.name("--transport", "gib"), self.name("--without", "cloud")}
        count = 3
        changed = [*(self.images / "steps").iterdir(), self.images / "versions.sh", self.images / "install.sh",
                   self.images / "slipway-guard.service",
                   self.images / "slipway-node.service", self.images / "slipway-watch.service",
                   self.top / "launcher" / "main.cc"]
        for file in changed:
            file.write_text(file.read_text() + "\n")
            seen.add(self.name())
            count += 1
        (self.images / "slipway-node.service").chmod(0o755)
        (self.images / "steps" / "15-more.sh").write_text("#!/bin/bash\n")
        seen.add(self.name())
        self.assertEqual(len(seen), count + 1)

    def test_the_packed_script_is_reproducible_and_with_an_argument_only_describes_itself(self):
        texts = []
        for name in ("one", "two"):
            done = run(self.images / "pack.sh", self.top / name, "--transport", "tcpxo")
            self.assertEqual(done.returncode, 0, done.stderr)
            texts.append((self.top / name).read_bytes())
            for file in self.images.iterdir():
                os.utime(file)
        self.assertEqual(*texts)
        done = run("bash", self.top / "one", "--help")
        self.assertEqual(done.returncode, 2)
        self.assertIn(f"installs the software of the image {self.name('--transport', 'tcpxo')}.", done.stdout)

    @unittest.skipUnless(shutil.which("meson"), "meson is not installed")
    def test_the_packed_source_is_all_that_the_build_needs(self):
        folder = self.top.parent / "unpacked"
        folder.mkdir()
        self.assertEqual(run(self.images / "pack.sh", folder / "install").returncode, 0)
        done = run("bash", "-euo", "pipefail", "-c", "sed '1,/^__ARCHIVE__$/d' install | base64 --decode | tar --extract --gzip\n"
                   "meson setup build -Dtests=false", cwd=folder)
        self.assertEqual(done.returncode, 0, done.stdout[-1000:] + done.stderr)

    def build(self, found):
        """Returns build.sh's output and Packer's arguments; gcloud lists the image `found`."""
        fakes = self.top / "fakes"
        fakes.mkdir(exist_ok=True)
        for name, text in {"gcloud": f"echo {found}", "packer": f'echo "$*" >>{self.top}/packer.log'}.items():
            (fakes / name).write_text(f"#!/bin/sh\n{text}\n")
            (fakes / name).chmod(0o755)
        done = run(self.images / "build.sh", "p", "z", "s", "--transport", "tcpxo",
                   env={**os.environ, "PATH": f"{fakes}:{os.environ['PATH']}"})
        self.assertEqual(done.returncode, 0, done.stderr)
        log = self.top / "packer.log"
        return done.stdout, log.read_text() if log.exists() else ""

    def test_an_existing_image_is_not_built_again(self):
        name = self.name("--transport", "tcpxo")
        self.assertEqual(self.build(name), (name + "\n", ""))

    def test_packer_builds_a_new_image(self):
        name = self.name("--transport", "tcpxo")
        out, packer = self.build("")
        self.assertEqual(out, name + "\n")
        self.assertRegex(packer, f"^build -var project_id=p -var zone=z -var subnetwork=s -var image_name={name} "
                                 "-var image_family=slipway-tcpxo -var script=.*/install .*/node.pkr.hcl\n$")

    @unittest.skipUnless(shutil.which("packer"), "packer is not installed")
    def test_packer_accepts_the_template(self):
        script = self.top / "install"
        script.write_text("#!/bin/sh\n")
        values = dict(project_id="p", zone="z", subnetwork="s", image_name="slipway-socket-0", image_family="slipway-socket",
                      script=script)
        words = [word for name, value in values.items() for word in ("-var", f"{name}={value}")]
        done = run("packer", "validate", *words, self.images / "node.pkr.hcl")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)


if __name__ == "__main__":
    unittest.main()
