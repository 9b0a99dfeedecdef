#!/usr/bin/env python3
"""Tests the step pyxis of the image recipe with a mirror of GitHub in a folder: made-up sources of enroot and pyxis, whose
Makefiles take the variables of the real ones and install files of the same names."""
import os, pathlib, re, shutil, subprocess, tempfile, unittest

TOP = pathlib.Path(__file__).resolve().parents[2]

# enroot's: `install` removes its settings first, and makes its own; submodules must be there, musl must not.
ENROOT = """prefix ?= /usr/local
sysconfdir ?= $(prefix)/etc
install:
	-git submodule update --init
	test -n "$(FORCE_GLIBC)" && test -f deps/makeself/file && test -f deps/linux-headers/file && test ! -e deps/musl/file
	rm -rf $(sysconfdir)/enroot
	mkdir -p $(sysconfdir)/enroot/hooks.d $(prefix)/bin
	echo '#ENROOT_CONFIG_PATH x' >$(sysconfdir)/enroot/enroot.conf
	install -m 755 enroot enroot-mount $(prefix)/bin
setcap:
	echo caps >$(prefix)/bin/caps
"""
PYXIS = """prefix ?= /usr/local
install:
	mkdir -p $(prefix)/lib/slurm $(prefix)/share/pyxis
	cp spank_pyxis.so $(prefix)/lib/slurm
	echo 'required $(prefix)/lib/slurm/spank_pyxis.so' >$(prefix)/share/pyxis/pyxis.conf
"""


class PyxisStep(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.top = pathlib.Path(folder.name)
        for name in ("programs", "root/etc/enroot", "root/etc/systemd/system", "root/usr", "mirror", "work"):
            (self.top / name).mkdir(parents=True)
        (self.top / "root/etc/enroot/enroot.conf").write_text("ENROOT_CONFIG_PATH ${HOME}/.enroot\n")
        for name in ("apt-get", "dpkg-query"):
            self.program(name, f'echo "{name} $*" >>{self.top}/calls')
        units = self.top / "root/etc/systemd/system"
        self.program("systemctl", f'[ "$1 $2" = "--root=/ enable" ] && mkdir -p {units}/x.wants && ln -s "../$3" {units}/x.wants/')
        # Only the mirror can be reached, and git never prompts.
        self.environment = {"PATH": f"{self.top}/programs:/usr/bin:/bin", "HOME": str(self.top), "GIT_TERMINAL_PROMPT": "0", "GIT_ALLOW_PROTOCOL": "file",
                            "images_folder": str(TOP / "images"), "TMPDIR": str(self.top / "work"), "transport": "socket", "architecture": "amd64",
                            "github_mirror": f"file://{self.top}/mirror", "containers": "pyxis"}
        hook = {f"conf/hooks/extra/50-slurm-{name}.sh": "#!/bin/sh\n" for name in ("pmi", "pytorch")}
        for name in ("megastep/makeself", "sabotage-linux/kernel-headers"):
            self.repository(name, {"file": "x"}, "v1")
        modules = "".join(f'[submodule "deps/{name}"]\n\tpath = deps/{name}\n\turl = {url}\n' for name, url in
                          (("makeself", "https://github.com/megastep/makeself"), ("musl", "https://git.musl-libc.org/git/musl"),
                           ("linux-headers", "https://github.com/sabotage-linux/kernel-headers")))
        links = {"deps/makeself": "megastep/makeself", "deps/linux-headers": "sabotage-linux/kernel-headers", "deps/musl": "megastep/makeself"}
        self.enroot = self.repository("NVIDIA/enroot", {"Makefile": ENROOT, "enroot": "#!/bin/sh\n", "enroot-mount": "#!/bin/sh\n", ".gitmodules": modules, **hook},
                                      "v4.1.2", links)
        self.pyxis = self.repository("NVIDIA/pyxis", {"Makefile": PYXIS, "spank_pyxis.so": "plugin"}, "v0.24.0")
        self.environment.update(enroot_commit=self.enroot[:7], pyxis_commit=self.pyxis)

    def program(self, name, script):
        file = self.top / "programs" / name
        file.write_text(f"#!/bin/sh\n{script}\n")
        file.chmod(0o755)

    def git(self, folder, *words):
        command = ["git", "-c", "user.name=x", "-c", "user.email=x@example.org", "-c", "init.defaultBranch=main", "-C", folder, *words]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()

    def repository(self, name, files, tag, submodules=()):
        """Makes a repository in the mirror and returns its commit."""
        folder = self.top / "mirror" / name
        for path, text in files.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_text(text)
        self.git(folder, "init", "--quiet")
        self.git(folder, "add", ".")
        for path in submodules:
            commit = self.git(self.top / "mirror" / submodules[path], "rev-parse", "HEAD")
            self.git(folder, "update-index", "--add", "--cacheinfo", f"160000,{commit},{path}")
        self.git(folder, "commit", "--quiet", "--message", "x")
        self.git(folder, "tag", tag)
        return self.git(folder, "rev-parse", "HEAD")

    def run_step(self, **variables):
        text = (TOP / "images/steps/79-pyxis.sh").read_text()
        root = f"{self.top}/root"
        text = re.sub(r"(?<![\w/}])/(etc|usr)(?=[/ \n])", rf"{root}/\1", text).replace("#!" + root, "#!")
        return subprocess.run(["bash", "-euo", "pipefail", "-c", text], capture_output=True, text=True, timeout=60,
                              env={**self.environment, **variables})

    def read(self, path):
        return (self.top / "root" / path).read_text()

    def test_builds_both_and_tells_slurm(self):
        done = self.run_step(pyxis_arguments="use_squashfuse=1")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(self.read("usr/local/lib/slurm/spank_pyxis.so"), "plugin")
        self.assertRegex(self.read("etc/slurm/plugstack.conf.d/pyxis.conf"), r"^required .*/usr/local/lib/slurm/spank_pyxis.so use_squashfuse=1\n$")
        self.assertTrue(os.access(self.top / "root/usr/bin/enroot", os.X_OK))
        self.assertTrue((self.top / "root/usr/bin/caps").exists())
        self.assertEqual(sorted(os.listdir(self.top / "root/etc/enroot/hooks.d")), ["50-slurm-pmi.sh", "50-slurm-pytorch.sh"])
        self.assertEqual(self.read("etc/enroot/enroot.conf").splitlines(),
                         ["#ENROOT_CONFIG_PATH x", "ENROOT_CONFIG_PATH ${HOME}/.enroot", "ENROOT_RUNTIME_PATH /run/enroot/user-$(id -u)"])
        self.assertTrue((self.top / "root/etc/systemd/system/x.wants/run-enroot.mount").exists())
        mount = self.read("etc/systemd/system/run-enroot.mount").splitlines()
        self.assertLessEqual({"What=tmpfs", "Where=/run/enroot", "Options=mode=1777,nosuid,nodev,size=20%,nr_inodes=500k"}, set(mount))
        self.assertEqual(os.listdir(self.top / "work"), [])
        installed = (self.top / "calls").read_text()
        for package in ("libslurm-dev", "jq", "parallel", "zstd"):
            self.assertIn(f" {package}", installed)

    def test_without_arguments_the_line_has_none(self):
        self.assertEqual(self.run_step().returncode, 0)
        self.assertTrue(self.read("usr/local/share/pyxis/pyxis.conf").endswith("spank_pyxis.so\n"))

    def test_a_tag_that_has_moved_is_refused(self):
        for wrong in ({"enroot_commit": "0" * 7}, {"pyxis_commit": self.pyxis[:-1] + ("0" if self.pyxis[-1] != "0" else "1")}):
            done = self.run_step(**wrong)
            self.assertEqual(done.returncode, 1, wrong)
            self.assertIn("its tag has moved, or the mirror is wrong", done.stderr)
            self.assertFalse((self.top / "root/etc/slurm/plugstack.conf.d/pyxis.conf").exists())
            self.assertEqual(os.listdir(self.top / "work"), [])

    def test_other_clusters_do_without(self):
        for containers in ("slipway", "none"):
            done = self.run_step(containers=containers)
            self.assertEqual((done.returncode, done.stdout), (0, f"    containers are by {containers}, not by pyxis\n"))
        self.assertFalse((self.top / "root/etc/slurm").exists())

    def test_the_recipe_wants_what_the_step_installs(self):
        """verify.sh, in the root that the step made, and in one where a file of it is missing"""
        self.run_step()
        rows = [line.split() for line in (TOP / "images/requirements").read_text().splitlines() if line.startswith("pyxis ")]
        self.assertGreaterEqual(len(rows), 5)
        for containers, missing in (("pyxis", False), ("pyxis", True), ("slipway", True)):
            if missing:
                shutil.rmtree(self.top / "root/etc/slurm", ignore_errors=True)
            (self.top / "root/boot").mkdir(exist_ok=True)
            done = subprocess.run([TOP / "images/verify.sh", self.top / "root"], capture_output=True, text=True, env={
                **self.environment, "containers": containers, "base": "debian-13", "system": "debian", "release": "trixie", "kernel": "", "driver": "none",
                "steps_of_image": " pyxis "})
            said = "missing: the file /etc/slurm/plugstack.conf.d/pyxis.conf" in done.stderr
            self.assertEqual(said, containers == "pyxis" and missing, done.stderr)


if __name__ == "__main__":
    unittest.main()
