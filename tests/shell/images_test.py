#!/usr/bin/env python3
"""Tests the image recipe: its steps, the image name with its digest, the packed script, and when Packer runs."""
import fnmatch, os, pathlib, shutil, subprocess, tempfile, unittest

import yaml

TOP = pathlib.Path(__file__).resolve().parents[2]
# Everything that goes into an image or its name.
INPUTS = ["images", *(line for line in (TOP / "images/source").read_text().splitlines() if not line.startswith("#"))]


def run(*words, **options):
    return subprocess.run(words, capture_output=True, text=True, timeout=60, **options)


def without_folders(at, names):
    return [name for name in names if (pathlib.Path(at) / name).is_dir()]


class Recipe(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.top = pathlib.Path(folder.name) / "source"
        self.top.mkdir()
        # The whole recipe, but not all of Slipway's source: it would take most of a test's time.
        for name in INPUTS:
            path = TOP / name
            if path.is_file():
                shutil.copy2(path, self.top / name)
            else:
                shutil.copytree(path, self.top / name, ignore=None if name in ("images", "blueprints") else without_folders)
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
                         ["base", "slurm", "prometheus", "mpi", "limits", "enroot", "slipway", "clean", "verify"])
        self.assertTrue(all(needs in ("nothing", "cloud") for _, needs, _ in lines))
        self.assertEqual(lines[-1][0], "verify")

    def test_an_image_with_pyxis_has_a_family_of_its_own(self):
        names = [self.name("--transport", "tcpxo", *more).rsplit("-", 1) for more in ((), ("--containers", "slipway"), ("--containers", "pyxis"))]
        self.assertEqual([family for family, _ in names], ["slipway-tcpxo", "slipway-tcpxo", "slipway-tcpxo-pyxis"])
        self.assertEqual(names[0], names[1])
        self.assertNotEqual(names[0][1], names[2][1])

    def test_skips_steps_whose_needs_are_missing(self):
        done = run(self.images / "install.sh", "--without", "cloud", "cuda", "driver")
        self.assertEqual(done.stdout, "==> driver: skipped, it needs cloud\n==> cuda: skipped, it needs cloud\n")
        done = run(self.images / "install.sh", "--without", "mpi", "mpi")
        self.assertEqual(done.stdout, "==> mpi: skipped, by --without mpi\n")

    def test_a_package_is_found_however_long_its_description_is(self):
        program = self.top / "bin/apt-cache"
        program.parent.mkdir()
        program.write_text('#!/bin/sh\n[ "$3" = there ] || exit 100\nfor line in $(seq 20000); do echo "Description: $line" || exit 141; done\n')
        program.chmod(0o755)
        found = ["bash", "-euo", "pipefail", "-c", f". '{self.images}/apt.sh'; available gone there; available gone missing"]
        done = run(*found, env={**os.environ, "PATH": f"{program.parent}:{os.environ['PATH']}"})
        self.assertEqual((done.returncode, done.stdout, done.stderr), (1, "there\n", "this release has none of the packages gone missing\n"))

    def test_refuses_unknown_steps_options_and_transports(self):
        for words, says in [(["cudda"], "unknown step `cudda`; known: base slurm"), (["--al"], "unknown option `--al`"),
                            (["--list", "--transport", "rdma"], "unknown transport `rdma`; known: tcpxo, tcpx, gib, socket"),
                            (["--list", "--base", "debian"], "unknown base `debian`; known: debian-13, debian-13-arm64, acc"),
                            (["--list", "--transport", "gib", "--base", "debian-13"], "the transport gib needs GPUs, and the base"),
                            (["--list", "--machine-type", "A3 Mega"], "`A3 Mega` is not a machine type"),
                            (["--list", "--transport", "tcpxo", "--base", "accelerator-arm64"],
                             "there is no software for the transport tcpxo on arm64 machines"),
                            (["--list", "--containers", "docker"], "`--containers docker`: known are slipway, pyxis and none"),
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
                   *self.images.glob("*.service"), self.images / "logrotate.conf", self.images / "requirements",
                   self.images / "apt.sh", self.images / "docker.sh", self.images / "verify.sh",
                   self.top / "blueprints/catalogue/images.yaml", self.top / "launcher" / "main.cc"]
        for file in changed:
            file.write_text(file.read_text() + "\n")
            seen.add(self.name())
            count += 1
        (self.images / "slipway-node.service").chmod(0o755)
        (self.images / "steps" / "15-more.sh").write_text("#!/bin/bash\n")
        seen.add(self.name())
        self.assertEqual(len(seen), count + 1)

    def test_the_name_says_transport_and_base_and_does_not_depend_on_which_options_chose_them(self):
        for options, family in [(["--machine-type", "a3-megagpu-8g"], "slipway-tcpxo"),
                                (["--machine-type", "a3-highgpu-8g"], "slipway-tcpx"),
                                (["--machine-type", "a4-highgpu-8g"], "slipway-gib"),
                                (["--machine-type", "a4x-highgpu-4g"], "slipway-gib-accelerator-arm64"),
                                (["--machine-type", "a2-highgpu-1g"], "slipway-socket-accelerator-amd64"),
                                (["--machine-type", "n2-standard-8"], "slipway-socket"), ([], "slipway-socket")]:
            self.assertRegex(self.name(*options), f"^{family}-[0-9a-f]{{12}}$")
        self.assertEqual(self.name("--machine-type", "a3-megagpu-8g-nolssd"), self.name("--transport", "tcpxo"))
        self.assertEqual(self.name("--transport", "gib", "--base", "accelerator-arm64"), self.name("--machine-type", "a4x-highgpu-4g"))

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
        self.assertEqual(run(TOP / "images/pack.sh", folder / "install").returncode, 0)
        done = run("bash", "-euo", "pipefail", "-c", "sed '1,/^__ARCHIVE__$/d' install | base64 --decode | tar --extract --gzip\n"
                   "meson setup build -Dtests=false", cwd=folder)
        self.assertEqual(done.returncode, 0, done.stdout[-1000:] + done.stderr)

    def build(self, found, *options, **environment):
        """Returns build.sh's output and Packer's arguments; gcloud lists the image `found`."""
        fakes = self.top / "fakes"
        fakes.mkdir(exist_ok=True)
        for name, text in {"gcloud": f"echo {found}", "packer": f'echo "$*" "${{PKR_VAR_archive_login:+with a login}}" >>{self.top}/packer.log'}.items():
            (fakes / name).write_text(f"#!/bin/sh\n{text}\n")
            (fakes / name).chmod(0o755)
        done = run(self.images / "build.sh", "p", "z", "s", *(options or ("--transport", "tcpxo")),
                   env={**os.environ, "PATH": f"{fakes}:{os.environ['PATH']}", **environment})
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
                                 "-var image_family=slipway-tcpxo -var source_image_family=ubuntu-accelerator-2404-amd64-with-nvidia-580 "
                                 "-var source_image_project=ubuntu-os-accelerator-images -var machine_type=c2-standard-8 "
                                 "-var disk_type=pd-ssd -var script=.*/install .*/node.pkr.hcl \n$")

    def test_an_image_is_built_on_its_base(self):
        for machine, words in [("n2-standard-8", "source_image_family=debian-13 -var source_image_project=debian-cloud"),
                               ("a4x-highgpu-4g", "source_image_family=ubuntu-accelerator-2404-arm64-with-nvidia-580 "
                                "-var source_image_project=ubuntu-os-accelerator-images -var machine_type=c4a-highcpu-16 "
                                "-var disk_type=hyperdisk-balanced")]:
            self.assertIn(words, self.build("", "--machine-type", machine)[1])

    def test_the_login_for_a_private_archive_is_no_argument(self):
        with self.assertRaisesRegex(AssertionError, "the image for tcpx needs the file that TCPX_ARCHIVE_LOGIN names"):
            self.build("", "--transport", "tcpx")
        login = self.top / "login"
        login.write_text("name secret 0123ABCD\n")
        packer = self.build("", "--transport", "tcpx", TCPX_ARCHIVE_LOGIN=str(login))[1]
        self.assertTrue(packer.endswith("with a login\n"), packer)
        self.assertNotIn("secret", packer)

    def test_scripts_read_the_catalogue_as_yaml_does(self):
        catalogue = yaml.safe_load((self.top / "blueprints/catalogue/images.yaml").read_text())
        self.assertEqual(list(catalogue), ["sources", "bases", "transports", "machines", "publishers"])
        for section in ("bases", "transports", "machines"):
            said = run("bash", "-euc", f'. {self.images}/choose.sh; rows {section} | while read -r name rest; do row=$(row {section} "$name"); '
                       'for key in $(grep -oE "[a-z]+:" <<<"$rest"); do echo "$name|${key%:}|$(field "$row" "${key%:}")"; done; done').stdout
            read = {tuple(line.split("|")) for line in said.splitlines() if "|lacks|" not in line}
            self.assertEqual({(name, key, value) for name, row in catalogue[section].items() for key, value in row.items()
                              if key != "lacks"} - read, set())
            self.assertEqual([line.split()[0] for line in run("bash", "-euc", f". {self.images}/choose.sh; rows {section}").stdout.splitlines()],
                             list(catalogue[section]))

    def test_the_logs_of_every_daemon_beside_jobs_rotate(self):
        def daemons(tree):
            if isinstance(tree, list):
                tree = dict(enumerate(tree))
            if isinstance(tree, dict):
                if "command" in tree and "deadline_seconds" in tree:
                    yield tree["name"]
                for part in tree.values():
                    yield from daemons(part)

        rotated = (self.images / "logrotate.conf").read_text().split()
        names = {name for file in ("transports", "machines")
                 for name in daemons(yaml.safe_load((self.top / f"blueprints/catalogue/{file}.yaml").read_text()))}
        self.assertEqual(names, {"rxdm", "nvidia-imex"})
        for log in (*(f"{name}-*.log" for name in names), "power.log", "watch.log", "reconcile.log", "follow.log", "export.log"):
            self.assertIn(f"/var/log/slurm/{log}", rotated)

    def test_containers_in_the_image_are_those_that_the_catalogue_runs(self):
        transports = yaml.safe_load((self.top / "blueprints/catalogue/transports.yaml").read_text())["transports"]
        for name in ("tcpxo", "tcpx"):
            said = run("bash", "-euc", f"transport={name} architecture=amd64; . {self.images}/versions.sh; echo $daemon_container $plugin_folder")
            self.assertEqual(said.stdout.split(), [*transports[name]["daemon"]["images"], transports[name]["libraries"]["folder"]])

    def test_daemons_of_transports_get_what_they_need(self):
        transports = yaml.safe_load((self.top / "blueprints/catalogue/transports.yaml").read_text())["transports"]
        needs = {"tcpx": ["--entrypoint=/tcpgpudmarxd/build/app/tcpgpudmarxd", "--ulimit=memlock=-1",
                          "--volume=/opt/tcpdirect_benchmark:/opt/tcpdirect_benchmark"],
                 "tcpxo": ["--gpus=all", "--volume=/dev/dmabuf_import_helper:/dev/dmabuf_import_helper"]}
        for transport, words in needs.items():
            daemon = transports[transport]["daemon"]
            before = daemon["command"][:daemon["command"].index(daemon["images"][0])]
            for word in words:
                self.assertIn(word, before)
            self.assertTrue(any(word.startswith("--env=LD_LIBRARY_PATH=") for word in before), transport)

    def test_the_catalogue_is_consistent(self):
        catalogue = yaml.safe_load((self.top / "blueprints/catalogue/images.yaml").read_text())
        rows = [row for section in ("bases", "machines", "publishers") for row in catalogue[section].values()]
        self.assertEqual({row["source"] for row in rows}, set(catalogue["sources"]))
        self.assertEqual({row["base"] for row in (*catalogue["machines"].values(), *catalogue["transports"].values())},
                         set(catalogue["bases"]))
        types = yaml.safe_load((self.top / "blueprints/catalogue/machines.yaml").read_text())["machines"]
        for name, machine in types.items():
            row = next(row for pattern, row in catalogue["machines"].items() if fnmatch.fnmatchcase(name, pattern))
            self.assertEqual(row["transport"], machine["transport"]["name"], name)
            if "gpus" in machine:
                self.assertNotEqual(catalogue["bases"][row["base"]]["driver"], "none", name)

    @unittest.skipUnless(shutil.which("packer"), "packer is not installed")
    def test_packer_accepts_the_template(self):
        script = self.top / "install"
        script.write_text("#!/bin/sh\n")
        values = dict(project_id="p", zone="z", subnetwork="s", image_name="slipway-socket-0", image_family="slipway-socket",
                      script=script, source_image_family="debian-13", source_image_project="debian-cloud", machine_type="n2-standard-8",
                      disk_type="pd-ssd")
        words = [word for name, value in values.items() for word in ("-var", f"{name}={value}")]
        done = run("packer", "validate", *words, self.images / "node.pkr.hcl")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)


if __name__ == "__main__":
    unittest.main()
