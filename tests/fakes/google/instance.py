"""Describes a machine of the fake cloud, for google_cloud.py and machines."""


def machine(name, zone, number, made):
    address = f"10.0.{number // 250}.{number % 250 + 2}"
    mac = "42:01:" + ":".join(f"{int(part):02x}" for part in address.split("."))
    return {"project": made["project"], "profile": made["profile"], "address": f"{address}/16",
            "metadata": {"name": name, "zone": f"projects/{made['project']}/zones/{zone}", "attributes": made["attributes"],
                         "networkInterfaces": [{"ip": address, "mac": mac, "subnetmask": "255.255.0.0", "mtu": 1460}]}}
