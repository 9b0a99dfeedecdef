"""Makes a folder with the /sys, /proc and /etc of a machine from a short description.

What a machine's parts look like there is from the kernel's documentation (Documentation/ABI: sysfs-bus-pci, sysfs-class-net,
stable/sysfs-class-infiniband) and proc(5). Not covered: whatever `slipway node describe` does not read.
"""
import os

GPU, NIC, BRIDGE = "0x030200", "0x020000", "0x060400"


class Machine:
    def __init__(self, root):
        self.root = root
        self.routes, self.mounts, self.interfaces = [], ["/dev/sda1 / ext4 rw 0 0"], 1
        self.write("proc/self/mounts", self.mounts[0])
        self.write("etc/slurm/slurm.conf", "# Ours\nClusterName=research  # since 2019\nSlurmctldHost=head\n")

    def write(self, path, text):
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text + "\n")

    def link(self, path, target):
        """A link, relative as in /sys."""
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.symlink_to(os.path.relpath(self.root / target, file.parent))

    def name(self, host, vendor, product, processors):
        self.write("etc/hostname", host)
        self.write("sys/class/dmi/id/sys_vendor", vendor)
        self.write("sys/class/dmi/id/product_name", product)
        self.write("sys/devices/system/cpu/present", f"0-{processors - 1}")

    def pci(self, place, identity, kind, driver, numa):
        """A device at the end of `place`, "pci0000:15/0000:15:01.0/0000:18:00.0"; identity is vendor:device."""
        folder = f"sys/devices/{place}"
        vendor, device = identity.split(":")
        for name, text in {"vendor": "0x" + vendor, "device": "0x" + device, "class": kind, "numa_node": str(numa)}.items():
            self.write(f"{folder}/{name}", text)
        (self.root / f"sys/bus/pci/drivers/{driver}").mkdir(parents=True, exist_ok=True)
        self.link(f"{folder}/driver", f"sys/bus/pci/drivers/{driver}")
        self.link(f"sys/bus/pci/devices/{place.rsplit('/')[-1]}", folder)
        return folder

    def gpu(self, place, identity, numa, minor=None):
        self.pci(place, identity, GPU, "nvidia", numa)
        if minor is not None:
            text = f"Model:           NVIDIA\nDevice Minor: \t {minor}"
            self.write(f"proc/driver/nvidia/gpus/{place.rsplit('/')[-1]}/information", text)

    def interface(self, name, folder=None, type=1, carrier=1, mtu=1500, route=False):
        """`folder`: of its device; without one, Linux made it up."""
        place = f"{folder or 'sys/devices/virtual'}/net/{name}"
        self.write(f"{place}/type", str(type))
        self.write(f"{place}/carrier", str(carrier))
        self.write(f"{place}/mtu", str(mtu))
        self.write(f"{place}/ifindex", str(self.interfaces))
        self.interfaces += 1
        if folder:
            self.link(f"{place}/device", folder)
        self.link(f"sys/class/net/{name}", place)
        if route:
            lines = ["Iface\tDestination\tGateway\tFlags\tRefCnt\tUse\tMetric\tMask\tMTU\tWindow\tIRTT",
                     f"{name}\t00000000\t0100000A\t0003\t0\t0\t0\t00000000\t0\t0\t0"]
            self.write("proc/net/route", "\n".join(lines))
        return place

    def rdma(self, name, folder, link_layer, rate, state="4: ACTIVE"):
        place = f"{folder}/infiniband/{name}"
        self.write(f"{place}/ports/1/link_layer", link_layer)
        self.write(f"{place}/ports/1/rate", rate)
        self.write(f"{place}/ports/1/state", state)
        self.link(f"{place}/device", folder)
        self.link(f"sys/class/infiniband/{name}", place)

    def mount(self, line):
        self.mounts.append(line)
        self.write("proc/self/mounts", "\n".join(self.mounts))
