#!/usr/bin/env python3
"""Runs the module library's startup scripts with a fake gcloud: startup_test.py"""
import os, pathlib, shutil, subprocess, tempfile, unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
LIBRARY = ROOT / "blueprints"
FAKES = ROOT / "tests/fakes/cloud"


class Machine(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory(dir="/var/tmp")  # not in /dev/shm: scripts get another /dev
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)
        for name in ("buckets/mine", "serial", "state"):
            (self.folder / name).mkdir(parents=True)

    def write(self, name, text):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def read(self, name):
        return (self.folder / name).read_text()

    def bash(self, script, **environment):
        return subprocess.run(["bash", "-c", script], capture_output=True, text=True, timeout=60, env={
            **os.environ, "PATH": f"{FAKES}:{os.environ['PATH']}", "FAKE_BUCKETS": str(self.folder / "buckets"),
            "FAKE_SERIAL": str(self.folder / "serial"), "FAKE_LOG": str(self.folder / "log"), **environment})


class Runners(Machine):
    """startup-script: fetches its runners from a bucket and runs them in order."""

    def start(self, *calls, settings="ANSIBLE_FOLDER=/nowhere\n"):
        library = (LIBRARY / "modules/scripts/startup-script/runners.sh").read_text()
        return self.bash(f"{settings}{library}" + "".join(f"{call}\n" for call in calls) + "say done\n",
                         STARTUP_FOLDER=str(self.folder / "state"), STARTUP_RESULT=str(self.folder / "result"))

    def test_writes_how_it_ended_for_the_boot(self):
        self.write("buckets/mine/good", "true\n")
        self.write("buckets/mine/bad", "exit 7\n")
        for calls, result in [(["runner shell 'gs://mine/good' 'good.sh' "], "done"),
                              (["runner shell 'gs://mine/bad' 'bad.sh' "], "bad.sh failed with exit status 7"),
                              (["unknown_command"], "it ended with exit status 127")]:
            self.start(*calls)
            self.assertEqual(self.read("result"), result + "\n")

    def test_runs_them_in_order_with_their_arguments(self):
        self.write("buckets/mine/a", f'#!/bin/bash\necho "a $# $2" >> {self.folder}/order\n')
        self.write("buckets/mine/b", f'#!/usr/bin/env python3\nopen("{self.folder}/order", "a").write("b\\n")\n')
        self.write("buckets/mine/c", f"echo ${{BASH_VERSION:+c}} >> {self.folder}/order\n")
        done = self.start("runner shell 'gs://mine/a' 'a.sh' --first \"two words\"", "runner shell 'gs://mine/b' 'b.py' ",
                          "runner shell 'gs://mine/c' 'sub/c.sh' ")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(self.read("order"), "a 2 two words\nb\nc\n")
        self.assertTrue(done.stdout.endswith("startup: done\n"), done.stdout)

    def test_copies_data_to_its_place(self):
        self.write("buckets/mine/d", "data\n")
        done = self.start(f"runner data 'gs://mine/d' '{self.folder}/etc/some/file.conf' ")
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertEqual(self.read("etc/some/file.conf"), "data\n")
        self.assertEqual((self.folder / "etc/some/file.conf").stat().st_mode & 0o777, 0o644)

    def test_runs_playbooks_with_the_installed_ansible(self):
        program = self.write("ansible/bin/ansible-playbook", f'#!/bin/bash\nprintf "<%s>" "$@" > {self.folder}/playbook\n')
        program.chmod(0o755)
        self.write("buckets/mine/p", "- hosts: all\n")
        done = self.start("runner ansible-local 'gs://mine/p' 'p.yml' -e \"x=1 2\"",
                          settings=f"ANSIBLE_FOLDER={self.folder}/ansible\n")
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertEqual(self.read("playbook"), "<--connection><local><--inventory><localhost,><--limit><localhost>"
                                                f"<-e><x=1 2><{self.folder}/state/p.yml>")

    def test_stops_at_the_first_failure(self):
        self.write("buckets/mine/bad", "exit 7\n")
        self.write("buckets/mine/next", f"touch {self.folder}/next-ran\n")
        done = self.start("runner shell 'gs://mine/bad' 'bad.sh' ", "runner shell 'gs://mine/next' 'next.sh' ")
        self.assertEqual(done.returncode, 7)
        self.assertIn("startup: bad.sh failed with exit status 7\n", done.stdout)
        self.assertFalse((self.folder / "next-ran").exists())

    def test_uses_the_gcloud_in_the_settings(self):
        self.write("own/gcloud", f'#!/bin/bash\ntouch {self.folder}/own-ran\n{FAKES}/gcloud "$@"\n').chmod(0o755)
        self.write("buckets/mine/a", "true\n")
        done = self.start("runner shell 'gs://mine/a' 'a.sh' ", settings=f"GCLOUD_FOLDER='{self.folder}/own'\n")
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertTrue((self.folder / "own-ran").exists())


    def test_fetches_without_gcloud_with_the_machines_token(self):
        self.write("bin/curl", f"""#!/bin/bash
echo "$*" >> {self.folder}/curls
case "$*" in
*/token) echo '{{"access_token":"the-token","expires_in":3599,"token_type":"Bearer"}}' ;;
*) cat > {self.folder}/header; while [ "$1" != -o ]; do shift; done; echo "touch {self.folder}/ran" > "$2" ;;
esac
""").chmod(0o755)
        for name in ("bash", "mkdir", "chmod", "cat", "head", "dirname", "sed", "touch", "seq", "rm"):
            (self.folder / "bin" / name).symlink_to(shutil.which(name))
        library = (LIBRARY / "modules/scripts/startup-script/runners.sh").read_text()
        done = self.bash(library + "runner shell 'gs://mine/folder/x.sh' 'x.sh' \n", PATH=str(self.folder / "bin"),
                         STARTUP_FOLDER=str(self.folder / "state"), STARTUP_RESULT=str(self.folder / "result"))
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
        self.assertTrue((self.folder / "ran").exists())
        self.assertEqual(self.read("header"), "Authorization: Bearer the-token\n")
        self.assertTrue(self.read("curls").endswith("/storage/v1/b/mine/o/folder%2Fx.sh?alt=media\n"), self.read("curls"))


class Wait(Machine):
    """wait-for-startup: reads a machine's serial port until its startup script is done."""

    def wait(self, serial, seconds="0"):
        if serial is not None:
            self.write("serial/vm-0", serial)
        return self.bash((LIBRARY / "community/modules/scripts/wait-for-startup/wait.sh").read_text(), INSTANCE="vm-0",
                         ZONE="z", PROJECT="p", TIMEOUT_SECONDS=seconds, GCLOUD_FOLDER="")

    def test_ends_when_the_script_ends(self):
        for line in ("startup-script exit status 0", "Finished running startup scripts."):
            done = self.wait(f"boot\n google_metadata_script_runner[1]: {line}\n")
            self.assertEqual((done.returncode, done.stdout), (0, "the startup script of vm-0 is done\n"), line)
        self.assertIn("gcloud compute instances get-serial-port-output vm-0 --port 1 --zone z --project p\n", self.read("log"))

    def test_fails_when_the_script_fails(self):
        for line in ("startup-script exit status 7\nFinished running startup scripts.",
                     'Script "startup-script" failed with error: exit status 1\nFinished running startup scripts.'):
            done = self.wait(f"{line}\n")
            self.assertEqual(done.returncode, 1, line)
            self.assertTrue(done.stderr.startswith("the startup script of vm-0 failed\n"), done.stderr)

    def test_gives_up_after_the_timeout(self):
        done = self.wait("still at it\n")
        self.assertEqual(done.returncode, 1)
        self.assertIn("was not done after 0 seconds", done.stderr)

    def test_shows_why_the_machine_cannot_be_read(self):
        done = self.wait(None)
        self.assertEqual(done.returncode, 1)
        self.assertIn("No such file", done.stderr)


class Storage(Machine):
    """vm-instance: mounts the machine's storage, then runs the user's script."""

    def start(self, calls, users_script=None):
        script = (LIBRARY / "modules/compute/vm-instance/storage.sh").read_text()
        answers = "#!/bin/bash\nlast=${!#}\ncase $last in\n"
        if users_script is not None:
            path = self.write("users", users_script)
            answers += f'*/slipway-startup-script) while [ "$1" != -o ]; do shift; done; cp {path} "$2" ;;\n'
            answers += "*/attributes/) printf 'enable-oslogin\\nslipway-startup-script\\n' ;;\n"
        answers += "*/attributes/) printf 'enable-oslogin\\n' ;;\n*) exit 22 ;;\nesac\n"
        self.write("bin/curl", answers).chmod(0o755)
        return self.bash(script + calls + "run_users_script\n", STORAGE_FOLDER=str(self.folder / "state"),
                         PATH=f"{self.folder}/bin:{os.environ['PATH']}")

    def test_runs_the_steps_and_then_the_users_script(self):
        step = f"step 'm.sh' \"1 2\" 3 <<'END_OF_STEP'\n#!/bin/bash\necho \"$1/$2\" >> {self.folder}/order\nEND_OF_STEP\n"
        done = self.start(step, f"#!/bin/bash\necho user >> {self.folder}/order\n")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(self.read("order"), "1 2/3\nuser\n")

    def test_works_without_a_users_script(self):
        self.assertEqual(self.start("").returncode, 0)

    def test_finds_the_users_script_among_many_attributes(self):
        self.start("", "")  # writes the answers
        curl = self.folder / "bin/curl"
        more = "{ echo slipway-startup-script; for i in {1..20000}; do echo another-$i || exit 23; done; } ;;"
        curl.write_text(curl.read_text().replace("printf 'enable-oslogin\\nslipway-startup-script\\n' ;;", more))
        self.write("users", f"#!/bin/bash\ntouch {self.folder}/user-ran\n")
        done = self.bash((LIBRARY / "modules/compute/vm-instance/storage.sh").read_text() + "run_users_script\n",
                         STORAGE_FOLDER=str(self.folder / "state"), PATH=f"{self.folder}/bin:{os.environ['PATH']}")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertTrue((self.folder / "user-ran").exists())

    def test_fails_when_the_metadata_server_does_not_answer(self):
        self.write("bin/curl", "#!/bin/bash\nexit 7\n").chmod(0o755)
        done = self.bash((LIBRARY / "modules/compute/vm-instance/storage.sh").read_text() + "run_users_script\n",
                         STORAGE_FOLDER=str(self.folder / "state"), PATH=f"{self.folder}/bin:{os.environ['PATH']}")
        self.assertNotEqual(done.returncode, 0)

    def test_does_not_run_the_users_script_when_a_step_fails(self):
        done = self.start("step 'm.sh' <<'END_OF_STEP'\nexit 3\nEND_OF_STEP\n", f"touch {self.folder}/user-ran\n")
        self.assertEqual(done.returncode, 3)
        self.assertFalse((self.folder / "user-ran").exists())


class Mount(Machine):
    """file-system/scripts/mount.sh, with its own /etc/fstab."""

    def mount(self, *arguments, fstab="# file systems\n/dev/sda1 / ext4 defaults 0 0\n", fails=0):
        self.write("fstab", fstab)
        self.write("left", str(fails))
        self.write("bin/mount", f'#!/bin/bash\necho "mount $*" >> {self.folder}/log\nread -r left < {self.folder}/left\n'
                                f'[ "$left" -eq 0 ] || {{ echo $((left - 1)) > {self.folder}/left; exit 32; }}\n').chmod(0o755)
        for name, status in (("mountpoint", 1), ("systemctl", 0), ("sleep", 0)):
            self.write(f"bin/{name}", f"#!/bin/bash\nexit {status}\n").chmod(0o755)
        script = LIBRARY / "modules/file-system/scripts/mount.sh"
        inside = f'mount --bind {self.folder}/fstab /etc/fstab && PATH={self.folder}/bin:$PATH exec bash {script} "$@"'
        return subprocess.run(["unshare", "--user", "--map-root-user", "--mount", "bash", "-c", inside, "mount.sh", *arguments],
                              capture_output=True, text=True, timeout=60)

    def test_mounts_a_share_at_every_boot(self):
        folder = f"{self.folder}/home"
        done = self.mount("10.0.0.2", "/nfsshare", folder, "nfs", "defaults,_netdev")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.read("fstab"), "# file systems\n/dev/sda1 / ext4 defaults 0 0\n"
                                             f"10.0.0.2:/nfsshare {folder} nfs defaults,_netdev 0 0\n")
        self.assertEqual(self.read("log"), f"mount {folder}\n")

    def test_writes_lustre_and_bucket_sources_correctly(self):
        folder = f"{self.folder}/data"
        self.mount("10.0.0.3@tcp", "fast", folder, "lustre", "defaults", fstab="")
        self.assertEqual(self.read("fstab"), f"10.0.0.3@tcp:/fast {folder} lustre defaults 0 0\n")
        self.mount("", "my-bucket", folder, "gcsfuse", "defaults,implicit_dirs", fstab="")
        self.assertEqual(self.read("fstab"), f"my-bucket {folder} gcsfuse defaults,implicit_dirs,allow_other 0 0\n")

    def test_replaces_the_former_mount(self):
        folder = f"{self.folder}/home"
        self.mount("10.0.0.9", "/new", folder, "nfs", "ro", fstab=f"10.0.0.2:/old {folder} nfs rw 0 0\n")
        self.assertEqual(self.read("fstab"), f"10.0.0.9:/new {folder} nfs ro 0 0\n")

    def test_waits_for_the_server(self):
        done = self.mount("s", "r", f"{self.folder}/home", "nfs", "rw", fails=3)
        self.assertEqual(done.returncode, 0, done.stderr)
        done = self.mount("s", "r", f"{self.folder}/home", "nfs", "rw", fails=6)
        self.assertEqual((done.returncode, done.stderr.splitlines()[-1]),
                         (1, f"s:/r cannot be mounted at {self.folder}/home"))


class Installed(Machine):
    """startup-script: its own runners, with a private /etc; nothing is installed."""

    def setUp(self):
        super().setUp()
        for name in ("ssh", "profile.d", "apt/apt.conf.d", "dnf", "systemd/system"):
            (self.folder / "etc" / name).mkdir(parents=True)
        self.write("bin/systemctl", f'#!/bin/bash\necho "systemctl $*" >> {self.folder}/log\n').chmod(0o755)

    def run_script(self, name, *arguments, before=""):
        script = LIBRARY / "modules/scripts/startup-script" / name
        inside = (f'mount --bind {self.folder}/etc /etc && {before} PATH={self.folder}/bin:$PATH && hash -r && '
                  f'bash {script} "$@"')
        return subprocess.run(["unshare", "--user", "--map-root-user", "--mount", "bash", "-c", inside, name, *arguments],
                              capture_output=True, text=True, timeout=60)

    def test_lets_users_reach_the_cluster_by_ssh(self):
        self.write("etc/ssh/ssh_config", "Host *\n    SendEnv LANG\n")
        for _ in range(2):
            done = self.run_script("configure-ssh.sh", "10.0.0.*", "small*")
            self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(self.read("etc/ssh/ssh_config").count("Include /etc/ssh/ssh_config.d/*.conf\n"), 1)
        self.assertTrue(self.read("etc/ssh/ssh_config.d/50-cluster.conf").startswith("Host 10.0.0.* small*\n"))
        self.assertIn("ssh-keygen -q -t ed25519", self.read("etc/profile.d/slipway-cluster-key.sh"))

    def test_uses_the_proxy(self):
        self.write("etc/environment", "LANG=C\nhttp_proxy=old\n")
        self.write("etc/dnf/dnf.conf", "[main]\nproxy=old\ngpgcheck=1\n")
        for _ in range(2):
            done = self.run_script("configure-proxy.sh", "http://proxy:3128", ".internal")
            self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(self.read("etc/environment").splitlines()[:3], ["LANG=C", "http_proxy=http://proxy:3128",
                                                                         "https_proxy=http://proxy:3128"])
        self.assertEqual(len(self.read("etc/environment").splitlines()), 7)
        self.assertEqual(self.read("etc/dnf/dnf.conf"), "[main]\nproxy=http://proxy:3128\ngpgcheck=1\n")
        self.assertIn('Acquire::https::Proxy "http://proxy:3128";', self.read("etc/apt/apt.conf.d/95proxy"))

    # Disks are links in /dev/disk/by-id; the fake disk tools only log their arguments.
    def local_ssds(self, *names, holds=""):
        for name in names:
            self.write(f"disks/by-id/{name}", "")
        for name, says in (("mkfs.ext4", ""), ("mdadm", ""), ("blkid", holds), ("mount", "")):
            self.write(f"bin/{name}", f'#!/bin/bash\necho "{name} $*" >> {self.folder}/log\necho "{says}"\n').chmod(0o755)
        self.write("bin/mountpoint", "#!/bin/bash\nexit 1\n").chmod(0o755)
        with (self.folder / "bin/mdadm").open("a") as mdadm:
            mdadm.write('[ "$1" != --create ] || { mkdir -p /dev/md; touch "$2"; }\n')
        # A systemctl that starts a service as its unit says.
        self.write("bin/systemctl", f'#!/bin/bash\necho "systemctl $*" >> {self.folder}/log\n'
                   '[ "$1" != restart ] || eval "$(sed -n s/^ExecStart=//p /etc/systemd/system/$2)"\n').chmod(0o755)
        (self.folder / "disks").mkdir(exist_ok=True)
        (self.folder / "local/sbin").mkdir(parents=True, exist_ok=True)
        before = f"mount --bind {self.folder}/local /usr/local; mkdir -p /dev/disk; mount --bind {self.folder}/disks /dev/disk;"
        return self.run_script("mount-local-ssd.sh", "ext4", str(self.folder / "ssd"), "1777",
                               before=f"mount -t tmpfs none /dev && mknod /dev/null c 1 3 2>/dev/null || touch /dev/null; {before}")

    def test_mounts_a_local_ssd(self):
        done = self.local_ssds("google-local-nvme-ssd-0", "google-local-nvme-ssd-0-part1", "google-persistent-disk-0")
        self.assertEqual(done.returncode, 0, done.stderr)
        log = self.read("log")
        self.assertIn("mkfs.ext4 -q -F -m 0 -L localssd", log)
        self.assertIn(f"-t ext4 -o defaults,discard /dev/disk/by-id/google-local-nvme-ssd-0 {self.folder}/ssd\n", log)
        self.assertNotIn("mdadm", log)
        self.assertEqual((self.folder / "ssd").stat().st_mode & 0o7777, 0o1777)

    def test_joins_local_ssds(self):
        done = self.local_ssds("google-local-nvme-ssd-0", "google-local-nvme-ssd-1")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("--level=0 --force --run --raid-devices=2 /dev/disk/by-id/google-local-nvme-ssd-0 "
                      "/dev/disk/by-id/google-local-nvme-ssd-1\n", self.read("log"))

    def test_keeps_an_existing_file_system(self):
        done = self.local_ssds("google-local-ssd-0", holds="ext4")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn("mkfs", self.read("log"))

    def test_mounts_local_ssds_at_every_boot_before_docker_and_slurmd(self):
        done = self.local_ssds("google-local-nvme-ssd-0", "google-local-nvme-ssd-1")
        self.assertEqual(done.returncode, 0, done.stderr)
        log = self.read("log").splitlines()
        unit = self.read("etc/systemd/system/slipway-local-ssd.service")
        self.assertIn("Before=docker.service containerd.service slurmd.service\n", unit)
        for name in ("docker", "slurmd"):
            needs = self.read(f"etc/systemd/system/{name}.service.d/local-ssd.conf")
            self.assertIn("Requires=slipway-local-ssd.service\nAfter=slipway-local-ssd.service\n", needs)
            self.assertIn(f'RequiresMountsFor="{self.folder}/ssd"\n', needs)
        self.assertLess(log.index("systemctl enable slipway-local-ssd.service"), log.index("systemctl restart slipway-local-ssd.service"))
        made = [line.split()[0] for line in log if line.split()[0] in ("mdadm", "mkfs.ext4", "mount") and "scan" not in line]
        self.assertEqual(made, ["mdadm", "mkfs.ext4", "mount"])

    @unittest.skipUnless(shutil.which("systemd-analyze"), "systemd-analyze is not installed")
    def test_units_pass_systemds_own_check(self):
        self.assertEqual(self.local_ssds("google-local-nvme-ssd-0").returncode, 0)
        units = self.folder / "etc/systemd/system"
        (self.folder / "local/sbin/slipway-local-ssd").chmod(0o755)
        unit = units / "slipway-local-ssd.service"
        unit.write_text(unit.read_text().replace("/usr/local", f"{self.folder}/local"))
        for name in ("docker", "slurmd", "containerd"):
            (units / f"{name}.service").write_text("[Service]\nExecStart=/bin/true\n")
        done = subprocess.run(["systemd-analyze", "verify", "--man=no", unit, units / "docker.service", units / "slurmd.service"],
                              capture_output=True, text=True, timeout=60, env={**os.environ, "SYSTEMD_UNIT_PATH": f"{units}:"})
        said = [line for line in done.stderr.splitlines() if str(self.folder) in line or "slipway" in line or "ordering cycle" in line]
        self.assertEqual(said, [])

    def test_works_without_local_ssds(self):
        done = self.local_ssds()
        self.assertEqual((done.returncode, done.stdout), (0, "this machine has no local SSD\n"), done.stderr)

    def test_waits_until_each_interface_has_an_address(self):
        self.write("bin/sleep", f'#!/bin/bash\necho "gpu0 UP 10.1.0.2/32 " >> {self.folder}/up\n').chmod(0o755)
        self.write("bin/curl", "#!/bin/bash\nprintf '0/\\n1/\\n2/\\n'\n").chmod(0o755)
        self.write("bin/ip", f"#!/bin/bash\ncat {self.folder}/up\n").chmod(0o755)
        self.write("up", "eth0 UP 10.0.0.2/32 \ndocker0 UP 172.17.0.1/16 \ngpu1 DOWN \n")
        (self.folder / "local").mkdir()
        done = self.run_script("wait-for-gpu-networks.sh", before=f"mount --bind {self.folder}/local /usr/local && mkdir /usr/local/sbin;")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("systemctl enable --now slipway-wait-for-networks.service\n", self.read("log"))
        done = self.bash(self.read("local/sbin/slipway-wait-for-networks"), PATH=f"{self.folder}/bin:{os.environ['PATH']}")
        self.assertEqual((done.returncode, done.stdout), (0, "3 network interfaces are up\n"))


if __name__ == "__main__":
    unittest.main()
