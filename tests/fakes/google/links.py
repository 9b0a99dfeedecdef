"""Names of Compute's resources: "projects/P/zones/Z/disks/D", and the links to them that requests have."""
import re

from errors import invalid

PREFIX = "https://www.googleapis.com/compute/v1/"
NAME = re.compile(r"[a-z]([-a-z0-9]{0,61}[a-z0-9])?")


def link(path):
    return PREFIX + path


def path_of(text, project="", place=""):
    """The path in a link: full ("https://…/compute/v1/projects/…"), partial ("projects/…", "zones/…") or, with `place` ("zones/Z/disks"),
    only a name."""
    text = str(text).split("?")[0]
    found = re.search(r"projects/[^/]+/(?:zones|regions|global|locations)\b.*|projects/[^/]+$", text)
    if found:
        return found[0]
    text = text.lstrip("/")
    if re.match(r"(zones|regions)/[^/]+/\w+/|global/", text):
        return f"projects/{project}/{text}"
    return f"projects/{project}/{place}/{text}" if place else text


def name_of(path):
    return str(path).split("?")[0].rstrip("/").split("/")[-1]


def part(path, key):
    """"us-central1-a" for the key "zones" of a path; "" if it has none."""
    found = re.search(rf"(?:^|/){key}/([^/?]+)", str(path))
    return found[1] if found else ""


def region_of(zone):
    return zone.rsplit("-", 1)[0]


def strings(value):
    """All strings in a resource, with the key that has each."""
    stack = [("", value)]
    while stack:
        key, one = stack.pop()
        if isinstance(one, dict):
            stack.extend((name, inner) for name, inner in one.items())
        elif isinstance(one, list):
            stack.extend((key, inner) for inner in one)
        elif isinstance(one, str):
            yield key, one


def check_name(field, name):
    if not NAME.fullmatch(str(name)):
        raise invalid(field, name, "Must be a match of regex '(?:[a-z](?:[-a-z0-9]{0,61}[a-z0-9])?)'")
