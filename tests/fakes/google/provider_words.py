"""What the provider's requests have in common: attributes under the names of the API, labels, the services' addresses."""
from provider_machines import camel

COMPUTE, STORAGE = "compute.googleapis.com/compute/v1/", "storage.googleapis.com/storage/v1/"


class Failed(Exception):
    """A request that the cloud refused."""


def camels(value):
    """Snake case to camel case in all keys; nulls go away."""
    if isinstance(value, dict):
        return {camel(key): camels(inner) for key, inner in value.items() if inner is not None}
    return [camels(inner) for inner in value] if isinstance(value, list) else value


def picked(body, *names, **renamed):
    """Attributes under the names of the API."""
    found = {camel(name): body[name] for name in names if body.get(name) is not None}
    found.update({new: body[old] for old, new in renamed.items() if body.get(old) is not None})
    return found


LABELS = {"goog-terraform-provisioned": "true"}


def labels_of(body):
    return {**LABELS, **(body.get("labels") or {})}
