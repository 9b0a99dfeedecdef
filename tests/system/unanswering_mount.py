"""Mounts a file system at FOLDER whose server takes requests and never answers: a process that opens a file there
waits, and cannot be killed, until this program ends. Prints `mounted`, and `asked` for each request."""
import ctypes, os, struct, sys

folder = sys.argv[1]
device = os.open("/dev/fuse", os.O_RDWR)
options = f"fd={device},rootmode=40000,user_id=0,group_id=0".encode()
if ctypes.CDLL(None, use_errno=True).mount(b"unanswering", folder.encode(), b"fuse", 0, options) != 0:
    sys.exit(f"mount: {os.strerror(ctypes.get_errno())}")
# linux/fuse.h: the first request is FUSE_INIT; header (length, error, its number) and fuse_init_out of 64 bytes.
request = os.read(device, 1 << 17)
unique = struct.unpack_from("=IIQ", request)[2]
os.write(device, struct.pack("=IiQ", 80, 0, unique) + struct.pack("=IIII", 7, 31, 0, 0) + struct.pack("=HHI", 1, 1, 4096) + bytes(40))
print("mounted", flush=True)
while True:
    os.read(device, 1 << 17)
    print("asked", flush=True)
