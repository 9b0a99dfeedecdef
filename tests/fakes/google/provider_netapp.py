"""What Terraform's provider sends for NetApp Volumes: terraform-provider-google, google/services/netapp/."""
from provider_machines import many
from provider_words import camels, labels_of, picked

NETAPP = "netapp.googleapis.com"


class NetAppResources:
    """A part of Provider."""

    def make_netapp(self, kind, key, body, made):
        place = f"projects/{body['project']}/locations/{body['location']}"
        made = {**made, "labels": labels_of(body), "capacityGib": str(body["capacity_gib"])}
        self.wait_long(NETAPP, self.send("POST", f"{NETAPP}/v1/{place}/{kind}", made, **{key: body["name"]}))
        name = f"{place}/{kind}/{body['name']}"
        return {"id": name, "name": body["name"], "//url": f"{NETAPP}/v1/{name}"}

    def make_netapp_storage_pool(self, body):
        return self.make_netapp("storagePools", "storagePoolId", body, picked(
            body, "description", "service_level", "network", "active_directory", "kms_config", "ldap_enabled", "allow_auto_tiering"))

    def make_netapp_volume(self, body):
        made = picked(body, "description", "share_name", "storage_pool", "protocols", "unix_permissions", "security_style", "large_capacity",
                      "multiple_endpoints")
        for key in ("export_policy", "tiering_policy"):
            if many(body.get(key)):
                made.update(camels({key: many(body[key])[0]}))
        found = self.make_netapp("volumes", "volumeId", body, made)
        volume = self.send("GET", found["//url"])
        return {**found, "mount_options": [{"export_full": row["exportFull"], "export": row["export"], "protocol": row["protocol"]}
                                           for row in volume["mountOptions"]]}
