#!/usr/bin/env python3
"""Containers as slurmstepd starts them, with real images: what a task sees."""

import contextlib
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(__file__))
from container_case import command_of, ContainerCase, eventually, loitering, main, programs, run, shell, USER  # noqa: E402
from container_test_image import make_image, make_root  # noqa: E402


class Root(ContainerCase):
    @classmethod
    def files(cls):
        return {
            "etc/environment": 'FROM_IMAGE="yes"\nBOTH=image\nWON=image\nLANG=C\nWHO=${SLURM_JOB_USER}\nPYTORCH_VERSION=2.0\n',
            "etc/shadow": "secret",
            "lib/deep/file": "deep",
        }

    @classmethod
    def prepare(cls):
        os.symlink("/run", cls.root + "/var-run")
        os.symlink("../../../lib", cls.root + "/work/up")

    def test_a_task_keeps_its_ids_and_owns_the_image(self):
        said = self.output("id -u; id -g; stat -c %u /bin /etc/passwd; cat /etc/shadow")
        self.assertEqual(said, f"{USER}\n{USER if os.geteuid() == 0 else os.getegid()}\n{USER}\n{USER}\nsecret")

    def test_a_task_has_no_capabilities(self):
        self.assertEqual(self.output("grep CapEff /proc/self/status").split()[1], "0" * 16)

    def test_the_root_is_read_only(self):
        result = shell("touch /bin/x", f"image={self.image}")
        self.assertIn("Read-only file system", result.stderr)

    def test_a_writable_container_forgets(self):
        self.output("touch /bin/x /lib/deep/file", "writable")
        self.assertNotIn("\nx\n", self.output("ls /bin"))

    def test_a_named_container_remembers(self):
        changes = self.made("changes")
        self.output("touch /work/kept", "writable", f"changes={changes}")
        self.assertIn("kept", self.output("ls /work", f"changes={changes}"))

    def test_changes_belong_to_one_step_at_a_time(self):
        changes = self.made("locked")
        with loitering(f"image={self.image}", f"changes={changes}"):
            words = self.failure(f"image={self.image}", f"changes={changes}")
        self.assertEqual(words, "another step on this node has the container whose changes are in `/locked`")

    def test_remapped_root_is_root_inside_only(self):
        changes = self.made("outside")
        said = self.output("id -u; touch /out/file; chown 5:5 /out/file; stat -c %u /out/file", "remap", "writable", f"mount={changes}:/out")
        self.assertEqual(said, "0\n0\n")
        self.assertEqual(os.stat(changes + "/file").st_uid, USER)

    def test_the_user_and_the_image_are_in_passwd_but_not_apt(self):
        self.assertRegex(self.output("cat /etc/passwd"), rf"^root:x:0:0:root:/root:/bin/sh\n[^:]+:x:{USER}:\d+:[^\n]*\n$" if USER else "^root:")

    def test_an_image_can_be_a_folder(self):
        result = shell("cat /lib/deep/file", f"image={self.root}")
        self.assertEqual((result.stdout, result.stderr), ("deep", ""))

    def test_the_environment_of_a_task(self):
        job = ["BOTH=job", "WON=job", "ONLY=job", "LANG=de_DE.UTF-8", "LC_ALL=de", "SLURM_JOB_USER=me", "SLURM_PROCID=3", "SLURM_JOB_ID=4537", "SLURM_STEP_ID=0"]
        said = self.output("env", *[f"job={variable}" for variable in job], "wins=WON", "wins=ABSENT")
        ours = {"FROM_IMAGE=yes", "BOTH=image", "WON=job", "ONLY=job", "LANG=C", "WHO=me", "RANK=3", "LOCAL_RANK=0", "MASTER_PORT=61001"}
        self.assertEqual(ours - set(said.splitlines()), set())
        self.assertNotIn("LC_ALL", said)

    def test_tasks_share_a_container(self):
        said = self.output("touch /tmp/$SLURM_LOCALID; readlink /proc/self/ns/mnt", "tasks=3")
        self.assertEqual(len(set(said.splitlines())), 1)

    def test_namespaces_can_be_unshared(self):
        own = os.readlink("/proc/self/ns/net")
        self.assertEqual(self.output("readlink /proc/self/ns/net").strip(), own)
        said = self.output("readlink /proc/self/ns/net /proc/self/ns/uts /proc/self/ns/ipc", "unshare=net", "unshare=ipc", "unshare=uts")
        mine = [os.readlink(f"/proc/self/ns/{name}") for name in ["net", "uts", "ipc"]]
        self.assertEqual(set(said.split()) & set(mine), set())

    def test_a_network_of_its_own_has_a_loopback_interface(self):
        said = self.output("cat /proc/self/net/fib_trie", "unshare=net")
        self.assertIn("127.0.0.1", said)

    def test_with_ipc_of_its_own_shared_memory_is_its_own(self):
        here = str(os.stat("/dev/shm").st_dev)
        self.assertEqual(self.output("stat -c %d /dev/shm").strip(), here)
        said = self.output("stat -c '%d %a' /dev/shm; touch /dev/shm/x", "unshare=ipc").split()
        self.assertEqual((said[0] == here, said[1]), (False, "1777"))
        if os.path.exists("/dev/mqueue"):
            said = self.output("grep ' /dev/mqueue ' /proc/self/mountinfo", "unshare=ipc")
            self.assertIn(" - mqueue ", said)
        outside = self.made("shm")
        self.made("shm/mine", "")
        self.assertEqual(self.output("ls /dev/shm", "unshare=ipc", f"mount={outside}:/dev/shm"), "mine\n")

    def test_the_home_folder_is_the_jobs(self):
        home = self.made("house")
        self.made("house/file", "text")
        self.assertEqual(self.output("cat $HOME/file; echo $HOME", "home", f"job=HOME={home}"), f"text{home}\n")
        self.assertEqual(self.output("cat /root/file; echo $HOME", "home", "remap", f"job=HOME={home}"), "text/root\n")

    @unittest.skipIf(USER == 0, "root has all ids")
    def test_a_change_of_the_owner_seems_to_succeed(self):
        for remap in ([], ["remap"]):
            self.assertEqual(self.output("touch /work/f && chown 5:5 /work/f && stat -c %u /work/f", "writable", *remap), "0\n" if remap else f"{USER}\n")

    def test_a_container_is_saved_without_what_is_mounted(self):
        saved = self.made("saved") + "/new.sqsh"
        outside = self.made("data")
        with open(outside + "/big", "w", encoding="utf-8") as file:
            file.write("not saved")
        self.output("touch /work/new /tmp/gone", "writable", f"mount={outside}:/data", f"save={saved}")
        said = shell("ls /work /data /tmp; cat /lib/deep/file", f"image={saved}").stdout
        self.assertEqual(said, "/data:\n\n/tmp:\n\n/work:\nnew\nup\ndeep")

    def test_a_workdir_must_exist(self):
        self.assertEqual(self.output("pwd", "workdir=/work"), "/work\n")
        said = self.failure(f"image={self.image}", "workdir=/none")
        self.assertEqual(said, "cannot change to the folder `/none` in the container: No such file or directory")

    def test_an_image_is_there_and_is_one(self):
        self.assertEqual(self.failure("image=/none.sqsh"), "cannot open the image `/none.sqsh`: No such file or directory")
        text = self.made("text.sqsh", "hsq")
        folder = self.made("only-images")
        self.assertEqual(self.failure(f"image={folder}"), "`/only-images` is a folder without `usr` or `bin`, so not the root of a container")
        self.assertIn("`/text.sqsh` is neither a squashfs image nor a folder", self.failure(f"image={text}"))
        broken = self.made("broken.sqsh", "hsqs" + "x" * 5000)
        self.assertIn("squashfuse_ll cannot serve the image: ", self.failure(f"image={broken}"))


class Mounts(ContainerCase):
    @classmethod
    def prepare(cls):
        os.symlink("/work", cls.root + "/absolute")
        os.symlink("../../../../etc", cls.root + "/work/above")
        os.symlink("loop", cls.root + "/loop")
        os.symlink("..", cls.root + "/work/root-again")

    def test_what_is_mounted_where(self):
        data, file = self.made("data"), self.made("file", "text")
        self.made("data/inside", "seen")
        said = self.output(
            "cat /new/place/inside /work/inside /etc/file; touch /new/place/written",
            f"mount={data}:/new/place", f"mount={data}:/absolute", f"mount={file}:/etc/file")
        self.assertEqual(said, "seenseentext")
        self.assertTrue(os.path.exists(data + "/written"))

    def test_flags(self):
        data = self.made("flagged")
        said = self.output(
            "grep -E ' /(ro|plain|mem) ' /proc/self/mountinfo",
            f"mount={data}:/ro:ro+noexec+nosuid+rprivate", f"mount={data}:/plain:mkdir", "mount=tmpfs:/mem:size=1M")
        flags = {line.split()[4]: line.split()[5] + " " + line.split()[-1] for line in said.splitlines()}
        self.assertTrue(flags["/ro"].startswith("ro,nosuid,noexec"), flags)
        self.assertTrue(flags["/plain"].startswith("rw"), flags)
        self.assertIn("size=1024k", flags["/mem"])

    def test_propagation(self):
        data = self.made("propagated")
        said = self.output(
            "grep -E ' /(none|own) ' /proc/self/mountinfo", f"mount={data}:/none:unbindable+ro", f"mount={data}:/own:mkdir")
        words = {line.split()[4]: line.split()[6] for line in said.splitlines()}
        self.assertEqual(words, {"/none": "unbindable", "/own": "-"})

    def test_the_folder_of_the_nodes_transport_is_there_unless_the_image_has_it(self):
        # Containers have the node's /dev, in which the folder for temporary files may be.
        node = tempfile.mkdtemp(prefix="slipway-container.", dir="/var/tmp")
        self.addCleanup(shutil.rmtree, node)
        os.chmod(node, 0o755)
        if os.geteuid() == 0:
            os.chown(node, USER, USER)
        pathlib.Path(node, "plugin").write_text("the node's", encoding="utf-8")
        script = f"cat {node}/plugin; touch {node}/new 2>/dev/null || echo :ro"
        self.assertEqual(self.output(script, f"node={node}", "writable"), "the node's:ro\n")
        other = self.made("other", None)
        self.made("other/plugin", "the job's")
        self.assertEqual(self.output(f"cat {node}/plugin", f"node={node}", f"mount={other}:{node}"), "the job's")
        self.assertEqual(self.output("ls -d /work", f"node={self.folder}/absent"), "/work\n")
        self.assertEqual(self.output(f"cat {node}/plugin", f"node={self.folder}/absent", f"node={node}"), "the node's")
        os.makedirs(self.root + "/own/plugin")
        self.assertEqual(shell("ls /own", f"image={self.root}", "node=/own").stdout, "plugin\n")

    def test_a_mount_is_taken_away(self):
        self.assertEqual(self.output("ls /mem; grep -c ' /mem ' /proc/self/mountinfo || true", "mount=tmpfs:/mem", "mount=umount:/mem"), "0\n")

    def test_paths_that_leave_the_root_are_errors(self):
        data = self.made("data")
        for target in ["/../x", "/work/../../x", "/work/above/x"]:
            said = self.failure(f"image={self.image}", f"mount={data}:{target}")
            self.assertEqual(said, f"mount /data at {target}: `{target}` leads out of the container's root")

    def test_the_root_is_not_mounted_over_or_taken_away(self):
        for mount in [f"{self.made('data')}:/", f"{self.made('data')}:/work/root-again", "tmpfs:/work/..", "umount:/"]:
            said = self.failure(f"image={self.image}", f"mount={mount}")
            self.assertIn("is the container's root", said)

    def test_links_in_a_circle(self):
        data = self.made("data")
        self.assertIn("Too many levels of symbolic links", self.failure(f"image={self.image}", f"mount={data}:/loop/x"))

    def test_a_missing_source_and_an_unknown_flag(self):
        said = self.failure(f"image={self.image}", f"mount={self.folder}/none:/x")
        self.assertEqual(said, "mount /none at /x: cannot open `/none` on this node: No such file or directory")
        self.assertEqual(self.output("true", f"mount={self.folder}/none:/x:nofail"), "")
        said = self.failure(f"image={self.image}", f"mount={self.made('data')}:/x:readonly")
        self.assertEqual(said, "mount /data at /x: unknown mount flag `readonly`")

    def test_a_file_is_not_mounted_over_a_folder(self):
        file = self.made("file", "text")
        said = self.failure(f"image={self.image}", f"mount={file}:/work")
        self.assertEqual(said, "mount /file at /work: `/work` is a folder in the container, `/file` is not")

    def test_the_batch_script_is_at_its_place(self):
        script = self.made("script", "#!/bin/sh\n")
        self.assertEqual(self.output(f"cat {script}", f"script={script}"), "#!/bin/sh\n")


class Entrypoint(ContainerCase):
    @classmethod
    def files(cls):
        rc = 'cd /work\nif [ -s /etc/rc.local ]; then . /etc/rc.local; fi\nexport FROM_RC=yes\necho started\nexec "$@"\n'
        return {"etc/rc": rc, "etc/fstab": "# own\ntmpfs /scratch tmpfs x-create=dir,size=64k\n${DATA} /data x-create=dir,bind,ro\n"}

    def options(self):
        return f"job=DATA={self.made('data')}", f"image={self.image}"

    def test_the_entrypoint_runs_once_and_sets_variables(self):
        log = self.made("logs") + "/log"
        result = shell("echo $FROM_RC $PWD", *self.options(), "entrypoint", "tasks=2", f"log={log}")
        self.assertEqual((result.stdout, result.stderr), ("yes /work\n" * 2, ""))
        with open(log, encoding="utf-8") as file:
            self.assertEqual(file.read(), "started\n")

    def test_without_it_only_the_folder_is_taken(self):
        self.assertEqual(shell("echo $FROM_RC; pwd", *self.options()).stdout, "\n/work\n")

    def test_an_entrypoint_that_ends_is_an_error(self):
        rc = 'mkdir -p /not/in/image 2>/dev/null\ncd /not/in/image || exit 3\nexec "$@"\n'
        image = make_image(make_root(self.folder + "/ends", {"etc/rc": rc}), self.folder + "/ends.sqsh")
        said = "/etc/rc of the image ended with status 3 instead of executing its arguments"
        self.assertEqual(self.failure(f"image={image}"), said)
        self.assertEqual(self.failure(f"image={image}", "entrypoint"), said + "; --no-container-entrypoint leaves the entrypoint out")
        self.assertEqual(shell("pwd", f"image={image}", "writable").stdout, "/not/in/image\n")

    def test_the_images_fstab(self):
        said = shell("grep -E ' /(scratch|data) ' /proc/self/mountinfo", *self.options()).stdout
        self.assertEqual([line.split()[4:6][1][:2] for line in said.splitlines()], ["rw", "ro"])


class Life(ContainerCase):
    def processes_of(self, marker):
        found = []
        for pid in filter(str.isdigit, os.listdir("/proc")):
            with contextlib.suppress(OSError), open(f"/proc/{pid}/cmdline", "rb") as file:
                if marker in file.read():
                    found.append(int(pid))
        return found

    def children_of(self, keeper):
        return [pid for pid in filter(str.isdigit, os.listdir("/proc")) if self.parent(pid) == keeper]

    @staticmethod
    def parent(pid):
        try:
            with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
                return int(file.read().rsplit(")", 1)[1].split()[1])
        except OSError:
            return 0

    def test_nothing_survives_slurmstepd(self):
        for kill in [signal.SIGKILL, signal.SIGTERM]:
            with loitering(f"image={self.image}") as (driver, keeper):
                servers = self.children_of(keeper)
                self.assertEqual(len(servers), 1)
                driver.send_signal(kill)
                driver.wait()
            eventually(lambda: not os.path.exists(f"/proc/{keeper}") and not os.path.exists(f"/proc/{servers[0]}"))

    def test_what_tasks_leave_is_ended(self):
        marker = f"{os.getpid()}.5"
        self.output(f"sleep 1{marker} > /dev/null 2>&1 & echo")
        eventually(lambda: not self.processes_of(f"1{marker}".encode()))

    def test_signals_of_a_step_do_not_end_the_container(self):
        with loitering(f"image={self.image}") as (_, keeper):
            server = int(self.children_of(keeper)[0])
            for number in [signal.SIGTERM, signal.SIGINT, signal.SIGUSR1, signal.SIGHUP]:
                os.kill(keeper, number)
                os.kill(server, number)
            self.assertIn("id", os.listdir(f"/proc/{keeper}/root/bin"))

    def test_a_keeper_that_is_missing(self):
        command = command_of([f"image={self.image}"], ["true"])
        command[1] = "/none/keeper"
        result = subprocess.run(command, check=False, capture_output=True, text=True)
        self.assertEqual(result.stderr, "cannot execute `/none/keeper`, which Slipway installs on nodes\n")

    def in_changed_node(self, change, *options, script="cat /bin/sh > /dev/null"):
        """Runs the driver where a folder or a device of this node is different."""
        command = command_of([f"image={self.image}", *options], ["sh", "-c", script])
        return subprocess.run(
            ["unshare", "-m", "sh", "-ec", change + '; exec "$@"', "sh", *command], check=False, capture_output=True, text=True)

    @unittest.skipUnless(os.geteuid() == 0, "only root changes /dev")
    def test_a_closed_device_is_opened_by_root(self):
        closed = self.in_changed_node(f"mknod -m 600 {self.folder}/fuse c 10 229; mount --bind {self.folder}/fuse /dev/fuse")
        self.assertEqual((closed.returncode, closed.stderr), (0, ""))

    @unittest.skipUnless(os.geteuid() == 0, "only root changes /dev")
    def test_a_closed_device_without_root_is_explained(self):
        change = f"mknod -m 600 {self.folder}/fuse2 c 10 229; mount --bind {self.folder}/fuse2 /dev/fuse"
        command = ["setpriv", f"--reuid={USER}", f"--regid={USER}", "--clear-groups", programs[0], programs[1], f"image={self.image}", "--", "true"]
        result = subprocess.run(["unshare", "-m", "sh", "-ec", change + '; exec "$@"', "sh", *command], check=False, capture_output=True, text=True)
        self.assertIn("/dev/fuse is closed to users; as root: `chmod 0666 /dev/fuse`", result.stderr)


if __name__ == "__main__":
    main()
