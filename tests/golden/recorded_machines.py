"""Machines that people have, for recorded_machine.py: each from its vendor's description."""
from recorded_machine import NIC

H100 = "10de:2330"


def dgx_h100(machine, gpus=8):
    """NVIDIA DGX H100 User Guide: eight GPUs, each at a PCI switch with a ConnectX-7; two more of two ports for storage."""
    machine.name("dgx-07.example.org", "NVIDIA", "DGXH100", 224)
    buses = [(0x18, 0x1B, 0), (0x40, 0x43, 3), (0x4F, 0x52, 4), (0x5E, 0x61, 5), (0x9A, 0x9D, 6), (0xC0, 0xC3, 9), (0xCE, 0xD1, 10),
             (0xDC, 0xDF, 11)]
    for i, (nic, gpu, number) in enumerate(buses):
        top, numa = nic - 3, i // 4
        switch = f"pci0000:{top:02x}/0000:{top:02x}:01.0/0000:{top + 1:02x}:00.0"
        folder = machine.pci(f"{switch}/0000:{top + 2:02x}:00.0/0000:{nic:02x}:00.0", "15b3:1021", NIC, "mlx5_core", numa)
        machine.interface(f"ibp{nic}s0", folder, type=32, mtu=2044)
        machine.rdma(f"mlx5_{number}", folder, "InfiniBand", "400 Gb/sec (4X NDR)")
        if i < gpus:
            machine.gpu(f"{switch}/0000:{top + 2:02x}:01.0/0000:{gpu:02x}:00.0", H100, numa, minor=i)
    for bus, numbers, numa in ((0x29, (1, 2), 0), (0xAA, (7, 8), 1)):
        for port, number in enumerate(numbers):
            place = f"pci0000:{bus - 1:02x}/0000:{bus - 1:02x}:01.0/0000:{bus:02x}:00.{port}"
            folder = machine.pci(place, "15b3:1021", NIC, "mlx5_core", numa)
            machine.interface(f"ibp{bus}s0f{port}", folder, type=32, mtu=2044)
            machine.rdma(f"mlx5_{number}", folder, "InfiniBand", "400 Gb/sec (4X NDR)")
    folder = machine.pci("pci0000:00/0000:00:1c.0/0000:0b:00.0", "8086:1563", NIC, "ixgbe", 0)
    machine.interface("eno3", folder, mtu=9000, route=True)
    machine.interface("docker0", carrier=0)
    machine.mount("10.1.0.1:/home /home nfs4 rw 0 0")
    machine.mount("10.1.0.2@o2ib:/scratch /scratch lustre rw 0 0")


def dgx_h100_with_seven(machine):
    dgx_h100(machine, gpus=7)


def p5(machine, plugin=True):
    """AWS, p5.48xlarge: four EFA devices next to each GPU, without interfaces of Linux. The switches are assumed."""
    machine.name("ip-10-1-2-3", "Amazon EC2", "p5.48xlarge", 192)
    for i in range(8):
        first, top, numa = 0x4F + 17 * i, 0x44 + 17 * i, i // 4
        switch = f"pci0000:{top:02x}/0000:{top:02x}:00.0/0000:{top + 1:02x}:00.0"
        for j in range(4):
            bus = first + j
            folder = machine.pci(f"{switch}/0000:{top + 2:02x}:0{j}.0/0000:{bus:02x}:00.0", "1d0f:efa1", NIC, "efa", numa)
            machine.rdma(f"rdmap{bus}s0", folder, "Unspecified", "100 Gb/sec (4X EDR)")
        machine.gpu(f"{switch}/0000:{top + 2:02x}:04.0/0000:{first + 4:02x}:00.0", H100, numa, minor=i)
    folder = machine.pci("pci0000:00/0000:00:05.0", "1d0f:ec20", NIC, "ena", 0)
    machine.interface("enp71s0", folder, mtu=9001, route=True)
    if plugin:
        machine.write("opt/amazon/ofi-nccl/lib/x86_64-linux-gnu/libnccl-net.so", "a library")
    machine.mount("10.0.3.4@tcp:/fsx /fsx lustre rw 0 0")


def p5_without_plugin(machine):
    p5(machine, plugin=False)


def a3_mega(machine, plugin=True):
    """Google, a3-megagpu-8g: names of interfaces and their PCI buses from nccl-env-profile.sh of TCPXO."""
    machine.name("research-a3-0", "Google", "Google Compute Engine", 208)
    for i, (nic, gpu) in enumerate(zip((0x06, 0x07, 0x0D, 0x0E, 0x86, 0x87, 0x8D, 0x8E), (0x04, 0x05, 0x0A, 0x0B, 0x84, 0x85, 0x8A, 0x8B))):
        numa, top = i // 4, 0x01 + 0x80 * (i // 4)
        bridge = f"pci0000:{top - 1:02x}/0000:{top - 1:02x}:01.0/0000:{top:02x}:00.0"
        folder = machine.pci(f"{bridge}/0000:{top + 1:02x}:{i:02x}.0/0000:{nic:02x}:00.0", "1ae0:0084", NIC, "gve", numa)
        machine.interface(f"enp{nic}s0", folder, mtu=8244)
        machine.gpu(f"{bridge}/0000:{top + 1:02x}:{i + 8:02x}.0/0000:{gpu:02x}:00.0", H100, numa, minor=i)
    folder = machine.pci("pci0000:00/0000:00:0c.0", "1ae0:0042", NIC, "gve", 0)
    machine.interface("enp0s12", folder, mtu=8244, route=True)
    if plugin:
        for name in ("libnccl-net.so", "libnccl-net_internal.so", "libnccl-tuner.so"):
            machine.write(f"var/lib/tcpxo/lib64/{name}", "a library")


def a3_mega_without_plugin(machine):
    a3_mega(machine, plugin=False)


def flat_virtual_machine(machine):
    """Eight InfiniBand devices of a virtual machine that shows no PCI switches, and a slower one over Ethernet."""
    machine.name("nd-4", "Microsoft Corporation", "Virtual Machine", 96)
    for i in range(8):
        machine.gpu(f"VMBUS:00/pci{i + 1:04x}:00/{i + 1:04x}:00:00.0", "10de:2335", i // 4)
        folder = machine.pci(f"VMBUS:00/pci{i + 0x101:04x}:00/{i + 0x101:04x}:00:00.0", "15b3:101e", NIC, "mlx5_core", i // 4)
        machine.interface(f"ib{i}", folder, type=32, mtu=2044)
        machine.rdma(f"mlx5_ib{i}", folder, "InfiniBand", "400 Gb/sec (4X NDR)")
    folder = machine.pci("VMBUS:00/pci0200:00/0200:00:00.0", "15b3:101a", NIC, "mlx5_core", 0)
    machine.interface("enP512s1", folder)
    machine.rdma("mlx5_an0", folder, "Ethernet", "100 Gb/sec (4X EDR)")
    machine.interface("eth0", machine.pci("VMBUS:00/pci0300:00/0300:00:00.0", "1414:00ba", NIC, "hv_netvsc", 0), route=True)


def cpu_node(machine):
    """A server of a university: no GPU, a bond of two interfaces, a bridge of containers."""
    machine.name("node12", "Dell Inc.", "PowerEdge R650", 64)
    bond = machine.interface("bond0", mtu=9000, route=True)
    machine.write(f"{bond}/bonding/mode", "802.3ad 4")
    for i, name in enumerate(("eno1np0", "eno2np1")):
        folder = machine.pci(f"pci0000:17/0000:17:02.0/0000:18:00.{i}", "14e4:16d8", NIC, "bnxt_en", 0)
        place = machine.interface(name, folder, mtu=9000)
        machine.link(f"{place}/master", bond)
    machine.interface("virbr0", carrier=0)
    machine.interface("veth1a2b")
    machine.mount("storage:/export/home /home nfs rw 0 0")


def unknown_gpu(machine):
    """A workstation whose GPU the catalogue does not have, without a route and without a transport."""
    machine.name("box", "Supermicro", "SYS-740", 32)
    machine.gpu("pci0000:00/0000:00:01.0/0000:01:00.0", "10de:ffff", -1)
    machine.interface("enp2s0", machine.pci("pci0000:00/0000:00:1c.0/0000:02:00.0", "8086:1533", NIC, "igb", -1))


MACHINES = {function.__name__.replace("_", "-"): function for function in (
    dgx_h100, dgx_h100_with_seven, p5, p5_without_plugin, a3_mega, a3_mega_without_plugin, flat_virtual_machine, cpu_node, unknown_gpu)}
