"""The zonal DNS of machines, at the metadata server's address: queries for the address of a name, and the name of an address."""
import socket, struct


def encoded(name):
    """Encodes a name for DNS."""
    return b"".join(bytes([len(label)]) + label.encode() for label in name.split(".")) + b"\0"


def long_names(records):
    """Yields the names of machines, with their addresses."""
    for record in records:
        _, project, _, zone = record["metadata"]["zone"].split("/")
        yield f"{record['metadata']['name']}.{zone}.c.{record['project']}.internal", record["address"].split("/")[0]


def answer_to(question, names):
    """The answer to a query, from the addresses by name."""
    labels, at = [], 12
    while question[at]:
        labels.append(question[at + 1:at + 1 + question[at]].decode().lower())
        at += 1 + question[at]
    kind = struct.unpack(">H", question[at + 1:at + 3])[0]
    known = {name: (1, socket.inet_aton(address)) for name, address in names}
    for name, address in names:
        known.setdefault(".".join(reversed(address.split("."))) + ".in-addr.arpa", (12, encoded(name)))
    its_kind, data = known.get(".".join(labels), (0, b""))
    answer = b""
    if its_kind == kind:
        answer = b"\xc0\x0c" + struct.pack(">HHIH", kind, 1, 5, len(data)) + data
    flags = 0x8580 if data else 0x8583  # NXDOMAIN
    head = question[:2] + struct.pack(">HHHHH", flags, 1, 1 if answer else 0, 0, 0)
    return head + question[12:at + 5] + answer


def serve(address, names):
    """`names()` gives (name, address)."""
    sock = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    sock.bind((address, 53))
    while True:
        question, who = sock.recvfrom(512)
        sock.sendto(answer_to(question, names()), who)
