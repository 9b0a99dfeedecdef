#!/usr/bin/env python3
"""Containers of a node with a GPU driver: where its files are in images of different kinds, and what a job learns that does not get them."""

import os
import shutil
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.dirname(__file__))
from container_case import command_of, ContainerCase, main  # noqa: E402
from container_test_image import make_image  # noqa: E402

ON_NODE = OWN = "/usr/local/nvidia/lib64"
DRIVER = f"""mount -t tmpfs none /usr/local; mkdir -p {ON_NODE} /usr/local/gib/lib64; cd {ON_NODE}; echo driver > libcuda.so.580.65.06
    ln -s libcuda.so.580.65.06 libcuda.so.1; echo theirs > libcuda.so-old; echo transport > /usr/local/gib/plugin; cd /"""
BOTH = "libcuda.so.1\nlibcuda.so.580.65.06\n"


class DriverCase(ContainerCase):
    """Runs containers on this node as if it had a driver."""

    @classmethod
    def files(cls):
        return {"usr/lib64/of-the-image": ""}

    def on_node(self, script, *options, image=None):
        command = command_of([f"image={image or self.image}", *options], ["sh", "-c", script])
        result = subprocess.run(["unshare", "-m", "sh", "-ec", DRIVER + '; exec "$@"', "sh", *command], check=False, capture_output=True, text=True)
        self.assertEqual(result.returncode, 0, result)
        return result

    def image_with(self, name, change):
        """An image that has what the shell command leaves in a copy of the root."""
        root = f"{self.folder}/{name}"
        shutil.copytree(self.root, root, symlinks=True)
        # The host's C library is where the test's tools need it; none of the folders that matter here may have it.
        for folder in ["usr/lib/x86_64-linux-gnu", "usr/lib/aarch64-linux-gnu", "lib/x86_64-linux-gnu", "lib/aarch64-linux-gnu"]:
            if os.path.isdir(f"{root}/{folder}"):
                os.makedirs(f"{root}/opt/lib", exist_ok=True)
                shutil.copytree(f"{root}/{folder}", f"{root}/opt/lib", dirs_exist_ok=True)
                shutil.rmtree(f"{root}/{folder}")
        subprocess.run(["sh", "-ec", change], check=True, cwd=root)
        return make_image(root, f"{root}.sqsh")

    def tools(self):
        return "job=LD_LIBRARY_PATH=/opt/lib"


@unittest.skipUnless(os.geteuid() == 0, "only root puts a driver on this node")
class Driver(DriverCase):
    def test_libraries_are_beside_the_images_c_library(self):
        for folder in ["usr/lib64", "usr/lib/x86_64-linux-gnu", "lib/x86_64-linux-gnu"]:
            image = self.image_with("c-library-in-" + folder.replace("/", "-"), f"mkdir -p {folder}; echo c > {folder}/libc.so.6; rm usr/lib64/of-the-image")
            place = "/usr/" + folder.removeprefix("usr/")
            said = self.on_node(f"ls {place}; cat {place}/libcuda.so.1; ls {OWN}; echo $LD_LIBRARY_PATH", self.tools(), image=image)
            own = "libc.so.6\n" if folder.startswith("usr/") else ""
            self.assertEqual(said.stdout, f"{own}{BOTH}driver\n/opt/lib\n")
            self.assertIn(OWN, said.stderr)  # of ls

    def test_an_image_without_a_known_folder_gets_one_and_its_loader_learns_of_it(self):
        image = self.image_with("nowhere", "rm -r usr/lib64")
        said = self.on_node(f"ls {OWN}; echo $LD_LIBRARY_PATH", self.tools(), image=image)
        self.assertEqual((said.stdout, said.stderr), (f"{BOTH}/opt/lib:{OWN}\n", ""))

    def test_a_folder_in_which_no_loader_looks_is_not_taken(self):
        image = self.image_with("stray", "true")  # /usr/lib64, without a C library
        said = self.on_node(f"ls /usr/lib64 {OWN}; echo $LD_LIBRARY_PATH", self.tools(), image=image)
        self.assertEqual((said.stdout, said.stderr), (f"/usr/lib64:\nof-the-image\n\n{OWN}:\n{BOTH}/opt/lib:{OWN}\n", ""))

    def test_the_folder_is_named_once_and_after_those_of_the_image(self):
        image = self.image_with("named", f"echo LD_LIBRARY_PATH={OWN}:/opt/lib > etc/environment")
        self.assertEqual(self.on_node("echo $LD_LIBRARY_PATH", image=image).stdout, f"{OWN}:/opt/lib\n")

    def test_void_leaves_the_driver_out(self):
        image = self.image_with("void", "true")
        said = self.on_node(f"ls -d {OWN} || echo $LD_LIBRARY_PATH", self.tools(), "job=NVIDIA_VISIBLE_DEVICES=void", image=image)
        self.assertEqual(said.stdout, "/opt/lib\n")

    def test_links_of_the_image_do_not_lead_to_the_nodes_files(self):
        before = sorted(os.listdir("/etc"))
        image = self.image_with("links", "rm -r usr/lib64; ln -s ../../../../../etc usr/lib64; mkdir -p usr/local; ln -s ../../../../etc usr/local/nvidia")
        said = self.on_node("echo $LD_LIBRARY_PATH", self.tools(), image=image)
        self.assertIn("2 of the 2 files of this node's GPU driver are not in the container: mount ", said.stderr)
        self.assertIn("leads out of the container's root", said.stderr)
        self.assertEqual(sorted(os.listdir("/etc")), before)

    def test_a_job_learns_what_it_does_not_get(self):
        image = self.image_with("in-the-way", "mkdir -p usr/local/nvidia; echo file > usr/local/nvidia/lib64; echo file > usr/local/gib")
        said = self.on_node("true", self.tools(), "node=/usr/local/gib", image=image)
        self.assertIn("2 of the 2 files of this node's GPU driver are not in the container: mount ", said.stderr)
        self.assertIn("`/usr/local/gib` of this node is not in the container: ", said.stderr)


if __name__ == "__main__":
    main()
