#!/usr/bin/env python3
"""The cache of the loader in containers of a node with a GPU driver: it lists the image's libraries and the node's, and no image keeps the node's."""

import os
import shutil
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.dirname(__file__))
from container_case import main, run, shell  # noqa: E402
from container_driver_files import DriverCase, OWN  # noqa: E402
from container_test_image import make_image  # noqa: E402

LIST = "ldconfig -p | grep libcuda"
C_LIBRARY = "mkdir -p usr/lib64; echo c > usr/lib64/libc.so.6; "
CACHE = "echo /opt/lib > etc/ld.so.conf; ldconfig -r .; "
NOT_LISTED = "`ldconfig -p` does not list the node's GPU driver: "


def listed(folder):
    return [f"{name} => {folder}/{name}" for name in ("libcuda.so.580.65.06", "libcuda.so.1")]


@unittest.skipUnless(os.geteuid() == 0, "only root puts a driver on this node")
class LoaderCache(DriverCase):
    @classmethod
    def prepare(cls):
        shutil.copy("/sbin/ldconfig", cls.root + "/bin/ldconfig")

    def lines(self, said):
        self.assertEqual(said.stderr, "")
        return [line.strip().split(" (")[0] + " =>" + line.split(" =>")[1] for line in said.stdout.splitlines()]

    def saved_cache(self, saved):
        """The bytes of the cache in a squashfs, or None."""
        result = subprocess.run(["unsquashfs", "-cat", saved, "etc/ld.so.cache"], check=False, capture_output=True)
        return result.stdout if result.returncode == 0 else None

    def cache_of(self, name):
        with open(f"{self.folder}/{name}/etc/ld.so.cache", "rb") as file:
            return file.read()

    def test_an_image_with_a_cache_has_both_and_its_programs_find_their_libraries(self):
        image = self.image_with("cache", "rm -r usr/lib64; " + CACHE)
        # Without LD_LIBRARY_PATH, the loader finds /opt/lib in the cache only.
        self.assertEqual(self.lines(self.on_node(LIST, image=image)), listed(OWN))
        own = self.on_node("ldconfig -p | grep /opt/lib/libc.so.6", image=image)
        self.assertEqual(self.lines(own), ["libc.so.6 => /opt/lib/libc.so.6"])

    def test_an_image_without_a_cache_gets_one(self):
        image = self.image_with("none", C_LIBRARY)
        self.assertEqual(self.lines(self.on_node(LIST, self.tools(), image=image)), listed("/usr/lib64"))

    def test_an_image_without_a_cache_and_with_another_c_library_gets_none(self):
        image = self.image_with("musl", "rm -r usr/lib64")
        self.assertEqual(self.on_node("ls -d /etc/ld.so.cache || echo none", self.tools(), image=image).stdout, "none\n")

    def test_a_container_without_the_driver_has_the_images_cache(self):
        image = self.image_with("without", CACHE)
        said = self.on_node("ldconfig -p | grep -c libcuda || cat /etc/ld.so.cache | grep -c Slipway || true", "job=NVIDIA_VISIBLE_DEVICES=void", image=image)
        self.assertEqual(said.stdout, "0\n0\n")

    def test_ldconfig_runs_in_a_writable_container(self):
        image = self.image_with("writable", CACHE)
        script = "ldconfig; ldconfig -p | grep /opt/lib/libc.so.6; grep -c Slipway /etc/ld.so.cache || true"
        for options in [["writable"], ["writable", "remap"], ["writable", "changes=" + self.made("ldconfig-changes")]]:
            said = self.on_node(script, *options, image=image)
            self.assertIn("libc.so.6 (libc6,", said.stdout)
            self.assertEqual(said.stdout.splitlines()[-1], "0")

    def test_a_saved_image_has_its_own_cache(self):
        image = self.image_with("with", CACHE)
        for options in [[], ["writable"], ["writable", "changes=" + self.made("saved-changes")]]:
            saved = self.made("saved") + "/new.sqsh"
            self.on_node("true", *options, f"save={saved}", image=image)
            self.assertEqual(self.saved_cache(saved), self.cache_of("with"))
        self.on_node("true", self.tools(), f"save={saved}", image=self.image_with("without-cache", C_LIBRARY))
        self.assertIsNone(self.saved_cache(saved))
        changed = self.image_with("changed", CACHE)
        self.on_node("ldconfig; echo mine >> /etc/ld.so.cache", "writable", f"save={saved}", image=changed)
        self.assertTrue(self.saved_cache(saved).endswith(b"mine\n"))

    def test_a_container_with_a_name_keeps_nothing_of_another_start(self):
        for name, change, options in [("kept", CACHE, []), ("kept-none", C_LIBRARY, [self.tools()])]:
            image, changes = self.image_with(name, change), self.made("changes-" + name)
            options = [*options, "writable", f"changes={changes}"]
            for _ in range(2):
                self.assertEqual(len(self.lines(self.on_node(LIST, *options, image=image))), 2)
            said = shell("grep -c Slipway /etc/ld.so.cache || true; ls /etc", f"image={image}", *options)
            self.assertEqual(("ld.so.cache" in said.stdout, said.stdout[0], said.stderr.count("No such file")), (name == "kept", "0" if name == "kept" else "g", int(name != "kept")))

    def test_the_cache_that_a_link_names_is_the_images(self):
        change = CACHE + "mv etc/ld.so.cache opt/cache; ln -s /opt/cache etc/ld.so.cache"
        image = self.image_with("link", change)
        self.assertEqual(self.lines(self.on_node(LIST, image=image)), listed(OWN))
        saved = self.made("saved-link") + "/new.sqsh"
        self.on_node("true", f"save={saved}", image=image)
        with open(f"{self.folder}/link/opt/cache", "rb") as file:
            self.assertEqual(self.saved_cache(saved), file.read())

    def test_a_folder_of_etc_may_be_a_link(self):
        image = self.image_with("etc-link", CACHE + "mv etc 'opt/my etc'; ln -s '/opt/my etc' etc")
        saved = self.made("saved-etc") + "/new.sqsh"
        self.assertEqual(self.lines(self.on_node(LIST, f"save={saved}", image=image)), listed(OWN))
        result = subprocess.run(["unsquashfs", "-cat", saved, "opt/my etc/ld.so.cache"], check=True, capture_output=True)
        with open(f"{self.folder}/etc-link/opt/my etc/ld.so.cache", "rb") as file:
            self.assertEqual(result.stdout, file.read())

    def test_a_cache_that_cannot_be_read_stays_and_the_job_learns_why(self):
        damaged = "its /etc/ld.so.cache is damaged, or of a kind that Slipway cannot read"
        large = "`etc/ld.so.cache` of the image: more than 12582912 bytes"
        for name, change, why in [
            ("text", "echo hello > etc/ld.so.cache", damaged),
            ("large", "dd if=/dev/zero of=etc/ld.so.cache bs=1M count=20 status=none", large),
            ("above", "ln -s ../../../etc/shadow etc/ld.so.cache", "leads out of the container's root"),
            ("loop", "ln -s ld.so.cache etc/ld.so.cache", "Too many levels of symbolic links"),
            ("folder", "mkdir etc/ld.so.cache", "cannot replace `ld.so.cache` in the container: Is a directory"),
        ]:
            said = self.on_node("ls /usr/lib64; readlink /etc/ld.so.cache || true", self.tools(), image=self.image_with(name, C_LIBRARY + change))
            self.assertIn(NOT_LISTED, said.stderr)
            self.assertIn(why, said.stderr)
            self.assertIn("libcuda.so.1\n", said.stdout)

    def test_a_pipe_in_its_place_is_not_waited_for(self):
        image = self.image_with("pipe", C_LIBRARY + "mkfifo etc/ld.so.cache")
        self.assertEqual(self.lines(self.on_node(LIST, self.tools(), image=image)), listed("/usr/lib64"))

    def test_a_link_does_not_lead_to_a_file_of_the_node(self):
        outside = self.made("cache-of-the-node", "")
        for target in [outside, f"../../../../../..{outside}"]:
            image = self.image_with("node-link" + str(len(target)), f"{C_LIBRARY} ln -s {target} etc/ld.so.cache")
            self.on_node("true", self.tools(), image=image)
            self.assertEqual(os.path.getsize(outside), 0)

    def test_a_folder_of_another_user_is_an_image_too(self):
        places = "for name in libcuda.so.1 libcuda.so.580.65.06; do mkdir -p {0}; touch {0}/$name; done; "
        saved = self.made("saved-other") + "/new.sqsh"
        self.image_with("other", places.format(OWN[1:]) + CACHE)
        said = self.on_node(LIST, f"save={saved}", image=f"{self.folder}/other")
        self.assertEqual(self.lines(said), listed(OWN))
        self.assertEqual(self.saved_cache(saved), self.cache_of("other"))
        self.image_with("other-none", C_LIBRARY + places.format("usr/lib64"))
        said = self.on_node("cat /usr/lib64/libcuda.so.1", self.tools(), image=f"{self.folder}/other-none")
        self.assertEqual((said.stdout, said.stderr), ("driver\n", NOT_LISTED + "cannot write `ld.so.cache` in the container: Permission denied\n"))

    def test_a_mount_of_the_users_comes_last(self):
        own = self.made("own-cache", "mine\n")
        image = self.image_with("mounted", CACHE)
        said = self.on_node("cat /etc/ld.so.cache", self.tools(), f"mount={own}:/etc/ld.so.cache", image=image)
        self.assertEqual(said.stdout, "mine\n")

    def test_a_node_without_a_driver_changes_nothing(self):
        image = self.image_with("plain", "echo text > etc/ld.so.cache")
        said = run(f"image={image}", self.tools(), command=("cat", "/etc/ld.so.cache"))
        self.assertEqual((said.stdout, said.stderr), ("text\n", ""))


if __name__ == "__main__":
    main()
