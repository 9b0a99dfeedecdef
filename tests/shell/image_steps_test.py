#!/usr/bin/env python3
"""Tests what single steps of the image recipe do, with stand-ins of the programs that they call."""
import configparser, os, pathlib, re, shutil, subprocess, tempfile, unittest

TOP = pathlib.Path(__file__).resolve().parents[2]


class Steps(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.top = pathlib.Path(folder.name)
        shutil.copytree(TOP / "images", self.top / "images")
        for folder in ("programs", "boot", "keys", "etc/apt/sources.list.d", "etc/apt/preferences.d", "etc/sssd"):
            (self.top / folder).mkdir(parents=True)
        (self.top / "boot/vmlinuz-6.17.0-1010-gcp").write_text("")
        apt = self.top / "images/apt.sh"
        apt.write_text(self.moved(apt.read_text()))

    def stand_in(self, name, script=""):
        """A program that writes down how it was called."""
        file = self.top / "programs" / name
        file.write_text(f'#!/bin/sh\necho "{name} $*" >>{self.top}/calls\n{script}\n')
        file.chmod(0o755)

    def moved(self, script):
        """A script with the folders that it reads and writes below the test's own."""
        for path, mine in (("/usr/bin/", "none/"), ("/etc/", "etc/"), ("/usr/share/keyrings/", "keys/"), ("/boot ", "boot ")):
            script = script.replace(path, f"{self.top}/{mine}")
        return script

    def run_step(self, name, **variables):
        """A step in a system without the programs that it looks for; the calls of stand-ins."""
        [step] = (self.top / "images/steps").glob(f"*-{name}.sh")
        text = self.moved(step.read_text())
        done = subprocess.run(["bash", "-euo", "pipefail", "-c", text], capture_output=True, text=True, timeout=60, env={
            "PATH": f"{self.top}/programs:/usr/bin:/bin", "system": "ubuntu", "release": "noble", "base": "accelerator-amd64", "images_folder": str(self.top / "images"), "transport": "socket",
            "architecture": "amd64", **variables})
        self.assertEqual(done.returncode, 0, done.stderr)
        return (self.top / "calls").read_text().splitlines()

    def installed(self, calls):
        """The packages of each call of apt-get."""
        words = [line.split() for line in calls if line.startswith("apt-get") and " install " in line]
        return [set(line[line.index("install") + 1:]) - {"-y", "--no-install-recommends"} for line in words]

    def docker_packages(self, *release):
        """What the step installs for Docker in a release with these packages."""
        known = "|".join(release)
        self.stand_in("apt-cache", f'case "$3" in {known}) echo "Package: $3" ;; esac')
        self.stand_in("apt-get")
        self.stand_in("systemctl")
        calls = self.run_step("containers", driver="included")
        return next(packages for packages in self.installed(calls) if "docker.io" in packages)

    def test_docker_comes_with_its_client_where_that_is_a_package_of_its_own(self):
        self.assertEqual(self.docker_packages("docker.io", "docker-cli"), {"docker.io", "docker-cli"})

    def test_docker_contains_its_client_elsewhere(self):
        self.assertEqual(self.docker_packages("docker.io"), {"docker.io"})

    def test_what_nodes_have_besides_slurm(self):
        """Clients of buckets and Lustre, DCGM and the Ops Agent in the versions of versions.sh; modules for the kernel that boots."""
        self.stand_in("apt-cache", 'echo "Package: $3"')
        (self.top / "etc/os-release").write_text('ID=ubuntu\nVERSION_ID="24.04"\n')
        for name in ("apt-get", "curl", "systemctl", "dpkg", "dpkg-query", "apt-mark", "dkms"):
            self.stand_in(name)
        wanted = {"buckets": ["gcsfuse=3.*", "fuse3"], "agent": ["google-cloud-ops-agent=2.*"],
                  "cuda": ["datacenter-gpu-manager-4-core=1:4.6.0-1"], "driver": ["linux-headers-6.17.0-1010-gcp", "dkms"],
                  "lustre": ["lustre-client-utils", "lustre-client-modules-6.17.0-1010-gcp"]}
        for step, packages in wanted.items():
            (self.top / "calls").write_text("")
            installed = set().union(*self.installed(self.run_step(step, driver="install")))
            self.assertLessEqual(set(packages), installed, step)

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

    def users(self, has_oslogin, nsswitch):
        """What the step for users installs, and nsswitch.conf after it."""
        (self.top / "none").mkdir(exist_ok=True)
        (self.top / "etc/nsswitch.conf").write_text(nsswitch)
        (self.top / "none/google_authorized_keys").write_text("#!/bin/sh\n")
        (self.top / "none/google_authorized_keys").chmod(0o755 if has_oslogin else 0o644)
        self.stand_in("apt-get")
        self.stand_in("ldconfig")
        packages = set().union(*self.installed(self.run_step("users")))
        return packages, (self.top / "etc/nsswitch.conf").read_text()

    def test_users_of_os_login_and_of_ldap_are_looked_up(self):
        ldap = {"libnss-sss", "libpam-sss", "sssd-ldap"}
        packages, nsswitch = self.users(False, "passwd: files systemd\ngroup:  files\nshadow: files\nhosts: files dns\n")
        self.assertEqual(packages, ldap | {"google-compute-engine-oslogin", "google-guest-agent"})
        self.assertEqual(nsswitch, "passwd: files systemd sss\ngroup:  files sss\nshadow: files sss\nhosts: files dns\n")

    def test_what_a_base_has_stays(self):
        packages, nsswitch = self.users(True, "passwd: files sss\ngroup: files sss oslogin\n")
        self.assertNotIn("google-compute-engine-oslogin", packages)
        self.assertEqual(nsswitch, "passwd: files sss\ngroup: files sss oslogin\n")

    def test_the_guides_script_for_ldap_writes_a_configuration_of_sssd(self):
        page = (TOP / "docs/guides/users.md").read_text()
        script = re.search(r"```text\n(#!/bin/bash\n.*?)```", page, re.S)[1].replace("/etc/", f"{self.top}/etc/")
        self.stand_in("systemctl")
        self.stand_in("pam-auth-update")
        subprocess.run(["bash", "-c", script], check=True, timeout=60, env={"PATH": f"{self.top}/programs:/usr/bin:/bin"})
        file = self.top / "etc/sssd/sssd.conf"
        self.assertEqual(file.stat().st_mode & 0o777, 0o600)  # or sssd does not start
        settings = configparser.ConfigParser()
        settings.read(file)
        self.assertEqual(settings["sssd"]["services"], "nss, pam")
        domain = settings["domain/" + settings["sssd"]["domains"]]
        self.assertEqual((domain["id_provider"], domain["auth_provider"]), ("ldap", "ldap"))
        self.assertTrue(domain["ldap_uri"].startswith("ldaps://"))
        self.assertIn("systemctl restart sssd", (self.top / "calls").read_text())


if __name__ == "__main__":
    unittest.main()
