#!/usr/bin/env python3
"""Tests what single steps of the image recipe do, with stand-ins of the programs that they call."""
import os, pathlib, re, shutil, subprocess, tempfile, unittest

TOP = pathlib.Path(__file__).resolve().parents[2]


class Steps(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.top = pathlib.Path(folder.name)
        shutil.copytree(TOP / "images", self.top / "images")
        (self.top / "programs").mkdir()

    def stand_in(self, name, script=""):
        """A program that writes down how it was called."""
        file = self.top / "programs" / name
        file.write_text(f'#!/bin/sh\necho "{name} $*" >>{self.top}/calls\n{script}\n')
        file.chmod(0o755)

    def run_step(self, name, **variables):
        """A step in a system without the programs that it looks for; the calls of stand-ins."""
        [step] = (self.top / "images/steps").glob(f"*-{name}.sh")
        text = step.read_text().replace("/usr/bin/", f"{self.top}/none/")
        done = subprocess.run(["bash", "-euo", "pipefail", "-c", text], capture_output=True, text=True, timeout=60, env={
            "PATH": f"{self.top}/programs:/usr/bin:/bin", "images_folder": str(self.top / "images"), "transport": "socket",
            "architecture": "amd64", **variables})
        self.assertEqual(done.returncode, 0, done.stderr)
        return (self.top / "calls").read_text().splitlines()

    def docker_packages(self, *release):
        """What the step installs for Docker in a release with these packages."""
        known = "|".join(release)
        self.stand_in("apt-cache", f'case "$3" in {known}) echo "Package: $3" ;; esac')
        self.stand_in("apt-get")
        self.stand_in("systemctl")
        calls = self.run_step("containers", driver="included", base="accelerator-amd64")
        [words] = [line.split() for line in calls if line.startswith("apt-get") and " docker.io" in line]
        return set(words[words.index("install") + 1:]) - {"-y", "--no-install-recommends"}

    def test_docker_comes_with_its_client_where_that_is_a_package_of_its_own(self):
        self.assertEqual(self.docker_packages("docker.io", "docker-cli"), {"docker.io", "docker-cli"})

    def test_docker_contains_its_client_elsewhere(self):
        self.assertEqual(self.docker_packages("docker.io"), {"docker.io"})

    def test_a_plugins_installer_finds_the_folder_that_it_writes_to(self):
        """GoogleCloudPlatform/container-engine-accelerators: gpudirect-tcpxo, gpudirect-tcpx and gpudirect-rdma"""
        inside = {("tcpxo", "amd64"): "/var/lib/tcpxo", ("tcpx", "amd64"): "/var/lib/tcpx", ("gib", "amd64"): "/var/lib/gib",
                  ("gib", "arm64"): "/var/lib/gib"}
        for (transport, architecture), folder in inside.items():
            done = subprocess.run(["bash", "-euc", ". images/versions.sh; echo $plugin_inside"], cwd=self.top, capture_output=True, text=True,
                                  check=True, env={**os.environ, "transport": transport, "architecture": architecture})
            self.assertEqual(done.stdout.strip(), folder, transport)
        [step] = (self.top / "images/steps").glob("*-transport.sh")
        self.assertRegex(step.read_text(), r'docker run .*--volume "\$\{plugin_folder%/\*\}:\$plugin_inside" ')

    def test_udev_leaves_mounts_to_systemd(self):
        """udev has a mount namespace of its own, so nobody sees what a rule mounts."""
        [step] = (self.top / "images/steps").glob("*-interfaces.sh")
        rules = re.search(r"aperture\.rules <<'RULES'\n(.*?)\nRULES\n", step.read_text(), re.S)[1]
        programs = re.findall(r'RUN\+="(\S+)', rules)
        self.assertIn("/usr/bin/systemd-mount", programs)
        self.assertFalse({"/bin/mount", "/usr/bin/mount"} & set(programs))
        self.assertNotIn("mount --bind", rules)


if __name__ == "__main__":
    unittest.main()
