#!/usr/bin/env python3
"""What a hostile image, and a hostile user, cannot do with a container."""

import os
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(__file__))
from container_case import command_of, ContainerCase, eventually, main, shell, USER  # noqa: E402
from container_test_image import make_image  # noqa: E402


class Hostile(ContainerCase):
    """What the image of a user cannot do."""

    @classmethod
    def prepare(cls):
        shutil.copy2(cls.root + "/bin/id", cls.root + "/bin/suid")
        os.chmod(cls.root + "/bin/suid", 0o6755)
        cls.victim = cls.folder + "/victim"
        with open(cls.victim, "w", encoding="utf-8") as file:
            file.write("untouched\n")
        os.chmod(cls.victim, 0o666)
        os.unlink(cls.root + "/etc/passwd")
        os.symlink(cls.victim, cls.root + "/etc/passwd")
        os.unlink(cls.root + "/etc/group")
        os.symlink("/proc/self/environ", cls.root + "/etc/group")
        if os.geteuid() == 0:
            os.mknod(cls.root + "/zero", 0o666 | 0o020000, os.makedev(1, 5))

    def test_setuid_files_change_nothing(self):
        self.assertIn("nosuid,nodev", self.output("grep ' / / ' /proc/self/mountinfo", "writable"))
        self.assertEqual(self.output("suid -u").strip(), str(USER))

    @unittest.skipUnless(os.geteuid() == 0, "only root makes device nodes")
    def test_device_nodes_do_not_open(self):
        for options in [[], ["remap", "writable"]]:
            result = shell("dd if=/zero of=/dev/null count=1", f"image={self.image}", *options)
            self.assertIn("Permission denied", result.stderr)

    def test_links_of_the_image_do_not_reach_the_node(self):
        self.output("cat /etc/passwd")
        with open(self.victim, encoding="utf-8") as file:
            self.assertEqual(file.read(), "untouched\n")

    def test_folders_of_the_image_do_not_lead_to_the_node(self):
        victim = tempfile.mkdtemp(dir="/var/tmp")  # containers see the node's /dev/shm, where the other folder may be
        self.addCleanup(shutil.rmtree, victim)
        os.chmod(victim, 0o777)
        linked = shutil.copytree(self.root, self.folder + "/linked", symlinks=True, ignore=shutil.ignore_patterns("zero"))
        shutil.rmtree(linked + "/etc")
        os.symlink(victim, linked + "/etc")
        image = make_image(linked, self.folder + "/linked.sqsh")
        for user in [[], ["user=0"]]:
            result = shell("readlink /etc", f"image={image}", *user)
            self.assertEqual((result.stdout, result.stderr), (f"{victim}\n", ""))
            self.assertEqual(os.listdir(victim), [])

    def test_mounts_cannot_be_taken_away_by_a_containers_root(self):
        for script in ["umount -l /sys", "umount -l /proc", "mount -o remount,rw,bind /sys", "mount -o remount,suid,dev,bind /"]:
            result = shell(script, f"image={self.image}", "remap")
            self.assertNotEqual(result.returncode, 0, script)

    @unittest.skipUnless(os.geteuid() == 0, "the files of root")
    def test_a_containers_root_is_the_user_outside(self):
        secret = self.folder + "/secret"
        with open(secret, "w", encoding="utf-8") as file:
            file.write("root's\n")
        os.chmod(secret, 0o600)
        result = shell("cat /secret", f"image={self.image}", f"mount={secret}:/secret", "remap")
        self.assertIn("Permission denied", result.stderr)
        self.assertIn("Permission denied", self.failure(f"image={self.folder}/closed/image") if self.closed() else "Permission denied")

    def closed(self):
        os.makedirs(self.folder + "/closed", mode=0o700, exist_ok=True)
        shutil.copy(self.image, self.folder + "/closed/image")
        return True

    def test_an_image_that_is_truncated_fails_the_task_alone(self):
        image = f"{self.folder}/truncated.sqsh"
        shutil.copy(self.image, image)
        script = "echo ready > /out/ready; while [ ! -e /out/cut ]; do sleep 0.02; done; cat /bin/grep /bin/dd > /dev/null"
        out = self.made("out")
        with subprocess.Popen(command_of([f"image={image}", f"mount={out}:/out"], ["sh", "-c", script]), stderr=subprocess.PIPE) as task:
            eventually(lambda: os.path.exists(out + "/ready"))
            os.truncate(image, 4096)
            with open(out + "/cut", "w", encoding="utf-8"):
                pass
            task.communicate()
        self.assertNotIn(task.returncode, (0, 99))
        self.assertEqual(self.output("cat /bin/grep > /dev/null; echo fine"), "fine\n")


@unittest.skipUnless(os.geteuid() == 0, "an ordinary user's slurmstepd has no root")
class HostileKeeper(ContainerCase):
    """A keeper that a user changed, and a slurmstepd that can take root back."""

    @classmethod
    def prepare(cls):
        os.mknod(cls.root + "/zero", 0o666 | 0o020000, os.makedev(1, 5))
        source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "container_hostile_keeper.py")
        for attack in ["silent", "garbage", "many", "fuse", "ownfuse", "kernel"]:
            shutil.copy(source, f"{cls.folder}/{attack}.py")
        # Nobody but root can write the folders above it.
        cls.closed = tempfile.mkdtemp(prefix="slipway-container.", dir="/var")
        os.chmod(cls.closed, 0o755)
        cls.kept = cls.closed + "/image.sqsh"
        make_image(cls.root, cls.kept)

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.closed)
        super().tearDownClass()

    def said(self, attack, *options, image=None):
        command = command_of([f"image={image or self.image}", *options], ["true"])
        command[1] = f"{self.folder}/{attack}.py"
        result = subprocess.run(command, check=False, capture_output=True, text=True)
        self.assertEqual(result.returncode, 99)
        return result.stderr.strip()

    def test_the_device_is_opened_only_in_a_namespace_of_its_own(self):
        self.assertEqual(self.said("fuse"), "Invalid argument, 0")
        self.assertEqual(self.said("ownfuse"), "Success, [True]")

    def test_the_kernel_mounts_no_image_that_others_can_write(self):
        refused = "Operation not permitted, no mount"
        self.assertEqual(self.said("kernel", "kernel"), refused)
        self.assertEqual(self.said("kernel", image=self.kept), refused)  # the administrator did not allow it
        for change, back in [(0o666, 0o644), (0o664, 0o644)]:
            os.chown(self.kept, 0, 1)
            os.chmod(self.kept, change)
            self.assertEqual(self.said("kernel", "kernel", image=self.kept), refused)
            os.chmod(self.kept, back)
        for path, owner in [(self.kept, USER), (self.closed, USER)]:
            os.chown(path, owner, 0)
            self.assertEqual(self.said("kernel", "kernel", image=self.kept), refused)
            os.chown(path, 0, 0)
        os.chmod(self.closed, 0o777)
        self.assertEqual(self.said("kernel", "kernel", image=self.kept), refused)
        os.chmod(self.closed, 0o755)
        with open(self.kept, "r+b"):  # opened when it was a user's, who may still change it
            self.assertEqual(self.said("kernel", "kernel", image=self.kept), refused)
        link = self.made("linked") + "/image.sqsh"
        os.symlink(self.kept, link)  # a link is followed by the user, who then has root's file
        self.assertNotEqual(self.said("kernel", "kernel", image=link), refused)

    @unittest.skipUnless(os.path.exists("/dev/loop-control"), "this machine has no loop devices")
    def test_the_kernels_mount_is_locked(self):
        said = self.said("kernel", "kernel", image=self.kept)
        no = "Operation not permitted"
        self.assertEqual(said, f"nodev: {no}, nosuid: {no}, ro: {no}, device: Permission denied")

    @unittest.skipUnless(os.path.exists("/dev/loop-control"), "this machine has no loop devices")
    def test_the_kernels_images_work(self):
        result = shell("id -u; touch /bin/new && stat -c %u /bin/id", f"image={self.kept}", "kernel", "writable")
        self.assertEqual((result.stdout, result.stderr), (f"{USER}\n{USER}\n", ""))

    def test_what_a_keeper_says_is_not_believed(self):
        self.assertEqual(self.said("garbage"), "the container's keeper sent an invalid message")
        self.assertRegex(self.said("many"), "^the container's keeper ended with status ")
        self.assertEqual(self.said("silent", "patience=1"), "the container is not up after 1 s")


if __name__ == "__main__":
    main()
