#!/usr/bin/env python3
"""Runs the script of nfs-server with fake programs of the system: nfs_server_test.py"""
import pathlib, subprocess, tempfile, unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SCRIPT = ROOT / "blueprints/community/modules/file-system/nfs-server/install-nfs-server.sh"


class Server(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)
        (self.folder / "bin").mkdir()

    def run_script(self, exports, blkid=2, mounted=1):
        for name, status in (("blkid", blkid), ("mountpoint", mounted), ("mkfs.ext4", 0), ("mount", 0), ("resize2fs", 0),
                             ("systemctl", 0), ("exportfs", 0)):
            program = self.folder / "bin" / name
            program.write_text(f'#!/bin/bash\necho "{name} $*" >> {self.folder}/log\nexit {status}\n')
            program.chmod(0o755)
        done = subprocess.run(["bash", SCRIPT], capture_output=True, text=True, timeout=60, env={
            "PATH": f"{self.folder}/bin:/usr/bin:/bin", "NFS_EXPORTS": exports, "NFS_DISK": "/dev/data",
            "NFS_ROOT": str(self.folder / "exports"), "NFS_TABLE": str(self.folder / "etc/slipway.exports")})
        log = (self.folder / "log").read_text().replace(str(self.folder), "")
        return done, log.splitlines()

    def table(self):
        return (self.folder / "etc/slipway.exports").read_text().replace(str(self.folder), "")

    def test_formats_an_empty_disk_and_exports_its_folders(self):
        done, log = self.run_script("/home\n/tools/two words")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(log, ["blkid /dev/data", "mkfs.ext4 -q -m 0 /dev/data", "mountpoint --quiet /exports",
                               "mount -o discard /dev/data /exports", "resize2fs /dev/data",
                               "systemctl enable --now nfs-server", "exportfs -ra"])
        self.assertEqual(self.table(), '"/exports/home" *(rw,sync,no_subtree_check,no_root_squash)\n'
                                       '"/exports/tools/two words" *(rw,sync,no_subtree_check,no_root_squash)\n')
        self.assertTrue((self.folder / "exports/tools/two words").is_dir())

    def test_keeps_the_data_of_a_disk(self):
        done, log = self.run_script("/home", blkid=0, mounted=0)
        self.assertEqual(done.returncode, 0)
        self.assertEqual(log, ["blkid /dev/data", "mountpoint --quiet /exports", "resize2fs /dev/data",
                               "systemctl enable --now nfs-server", "exportfs -ra"])

    def test_does_not_format_a_disk_that_cannot_be_read(self):
        done, log = self.run_script("/home", blkid=4)
        self.assertEqual((done.returncode, done.stderr), (1, "/dev/data cannot be read\n"))
        self.assertEqual(log, ["blkid /dev/data"])


if __name__ == "__main__":
    unittest.main()
