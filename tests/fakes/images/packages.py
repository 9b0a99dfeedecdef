"""The packages of the stand-in archives, as small as they can be: what matters is which files and units they bring.

ARCHIVES has for each archive its label and suites, and for each suite its packages. A file's text may be a function of
the release's kernel."""

PROGRAM = "#!/bin/sh\necho a stand-in\n"
UNIT = "[Service]\nExecStart=/bin/true\n[Install]\nWantedBy=multi-user.target\n"

# As Google's: a misc device, with the namespace written as kernels before 6.13 want it.
IMPORT_HELPER = """#include <linux/dma-buf.h>
#include <linux/module.h>
static int __init start(void) { return 0; }
static void __exit stop(void) {}
module_init(start);
module_exit(stop);
MODULE_LICENSE("GPL");
MODULE_IMPORT_NS(DMA_BUF);
"""
DKMS = """PACKAGE_NAME="dmabuf-import-helper"
PACKAGE_VERSION="1.1"
BUILT_MODULE_NAME[0]="import-helper"
DEST_MODULE_LOCATION[0]="/updates"
MAKE[0]="make -C $kernel_source_dir M=$dkms_tree/$PACKAGE_NAME/$PACKAGE_VERSION/build modules"
AUTOINSTALL="yes"
"""


def package(version, files, depends="", after="", provides=""):
    return {"version": version, "files": files, "depends": depends, "after": after, "provides": provides}


def imex(version):
    """As NVIDIA's archive has it since branch 580: one package, whose versions provide the names of their branches."""
    return package(version, {"/usr/bin/nvidia-imex": PROGRAM, "/usr/bin/nvidia-imex-ctl": PROGRAM, "/usr/lib/systemd/system/nvidia-imex.service": UNIT,
                             "/etc/nvidia-imex/config.cfg": "# IMEX_CMD_ENABLED=0\nIMEX_CMD_PORT=50005\n"},
                   provides=f"nvidia-imex-{version.split('.')[0]}")


# A list is several versions.
NVIDIA = {
    "nvidia-imex": [imex("580.105.08-1"), imex("620.70.06-1")],
    "cuda-cudart-13-0": package("13.0.96-1", {"/usr/local/cuda-13.0/targets/x86_64-linux/lib/libcudart.so.13": "a library"}),
    "datacenter-gpu-manager-4-core": package("1:4.6.0-1", {"/usr/bin/dcgmi": PROGRAM,
                                                           "/usr/lib/systemd/system/nvidia-dcgm.service": UNIT}),
    "datacenter-gpu-manager-4-cuda13": package("1:4.6.0-1", {"/usr/share/doc/dcgm-cuda13": "for CUDA 13"}),
    "libnccl2": package("2.28.7-1+cuda13.0", {"/usr/lib/x86_64-linux-gnu/libnccl.so.2": "NCCL version 2.28.7+cuda13.0"}),
    "nvidia-container-toolkit": package("1.20.0-1", {"/usr/bin/nvidia-ctk": PROGRAM,
                                                     "/usr/bin/nvidia-container-runtime-hook": PROGRAM}),
}

ARTIFACT_TRANSPORT = {"apt-transport-artifact-registry": package("1.0", {"/usr/lib/apt/methods/ar+https": PROGRAM})}

TCPXO = {"dmabuf-import-helper": package("1.1", {
    "/usr/src/dmabuf-import-helper-1.1/import-helper.c": IMPORT_HELPER,
    "/usr/src/dmabuf-import-helper-1.1/Makefile": "obj-m += import-helper.o\n",
    "/usr/src/dmabuf-import-helper-1.1/dkms.conf": DKMS})}


def lustre(kernel, module):
    """`module`: makes the bytes of a kernel module of that name"""
    return {f"lustre-client-modules-{kernel}": package("2.16.0", {f"/lib/modules/{kernel}/updates/lustre.ko": module("lustre")},
                                                         after=f"depmod {kernel}"),
            "lustre-client-utils": package("2.16.0", {"/usr/sbin/mount.lustre": PROGRAM})}


def gcsfuse():
    return {"gcsfuse": package("3.9.1", {"/usr/bin/gcsfuse": PROGRAM}, "fuse3")}


def ops_agent():
    return {"google-cloud-ops-agent": package("2.66.0", {"/usr/lib/systemd/system/google-cloud-ops-agent.service": UNIT})}
