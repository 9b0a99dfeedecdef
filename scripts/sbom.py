#!/usr/bin/env python3
"""Lists what a release's files contain and need, as SPDX 2.3 in JSON: usage: sbom.py FOLDER VERSION

Each package and archive in FOLDER with its checksum, what it depends on or has linked in, and what it was built with (packages.debian), in the version that is installed here.
"""
import datetime, hashlib, json, os, pathlib, re, subprocess, sys, tarfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
FOLDER, VERSION = pathlib.Path(sys.argv[1]), sys.argv[2]


def said(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def described(path):
    """Name, version and [(relationship, other name)] of a file of the release."""
    if path.suffix == ".deb":
        name, version, depends = (said("dpkg-deb", "--field", path, field) for field in ("Package", "Version", "Depends"))
        needed = re.findall(r"(?:^|, *)([a-z0-9][a-z0-9+.-]+)", depends)
    elif path.suffix == ".rpm":
        name, version, *needed = said("rpm", "--query", "--queryformat", "%{NAME}\n%{VERSION}-%{RELEASE}\n[%{REQUIRENAME}\n]", "--package", path).splitlines()
        # Of libfmt.so.9()(64bit) the library; not which features rpm itself needs
        needed = list(dict.fromkeys(other.split("(")[0] for other in needed if not other.startswith("rpmlib(")))
    else:
        with tarfile.open(path) as archive:
            linked = [member.name.split("/linked/")[1] for member in archive if "/linked/" in member.name and member.isfile()]
        return "slipway-without-root", VERSION, [("STATIC_LINK", other) for other in linked]
    return name, version, [("DEPENDS_ON", other) for other in needed]


def installed():
    """The version of each package that is installed here."""
    done = subprocess.run(["dpkg-query", "--show", "--showformat=${Package} ${Version}\n"], capture_output=True, text=True)
    return dict(line.split(" ", 1) for line in done.stdout.splitlines())


def built_with():
    """What packages.debian lists to build with: of each line, the name that is installed."""
    section, names = "", []
    for line in (ROOT / "packages.debian").read_text().splitlines():
        if line.startswith("# "):
            section = line
        elif line and section == "# to build":
            names.append(re.split(r"[ |?]+", line.strip()))
    here = installed()
    return [next((name for name in choice if name in here), choice[0]) for choice in names]


def identifier(name):
    return "SPDXRef-" + re.sub(r"[^A-Za-z0-9.-]", "-", name)


def ours(path, name, version):
    return {"SPDXID": identifier(path.name), "name": name, "versionInfo": version, "packageFileName": path.name,
            "downloadLocation": "NOASSERTION", "filesAnalyzed": False, "licenseConcluded": "Apache-2.0", "licenseDeclared": "Apache-2.0",
            "copyrightText": "NOASSERTION",
            "checksums": [{"algorithm": "SHA256", "checksumValue": hashlib.sha256(path.read_bytes()).hexdigest()}]}


def theirs(name, here):
    package = {"SPDXID": identifier("other-" + name), "name": name, "downloadLocation": "NOASSERTION", "filesAnalyzed": False,
               "licenseConcluded": "NOASSERTION", "licenseDeclared": "NOASSERTION", "copyrightText": "NOASSERTION"}
    return package | ({"versionInfo": here[name]} if name in here else {})


def main():
    paths, here = sorted(path for path in FOLDER.iterdir() if path.name.endswith((".deb", ".rpm", ".tar.gz"))), installed()
    own, others, relations = [], {}, []

    def relate(element, kind, other):
        relations.append({"spdxElementId": element, "relationshipType": kind, "relatedSpdxElement": other})

    def foreign(name):
        return others.setdefault(name, theirs(name, here))["SPDXID"]

    about = {path: described(path) for path in paths}
    names = {(path.suffix, name): identifier(path.name) for path, (name, _, _) in about.items()}
    for path, (name, version, needed) in about.items():
        package = ours(path, name, version)
        own.append(package)
        relate("SPDXRef-DOCUMENT", "DESCRIBES", package["SPDXID"])
        for kind, other in needed:
            relate(package["SPDXID"], kind, names.get((path.suffix, other)) or foreign(other))
        for tool in built_with():
            relate(foreign(tool), "BUILD_DEPENDENCY_OF", package["SPDXID"])
    packages = own + [others[name] for name in sorted(others)]
    made = datetime.datetime.fromtimestamp(int(os.environ["SOURCE_DATE_EPOCH"]), datetime.timezone.utc)
    document = {"spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT", "name": f"slipway-{VERSION}",
                "documentNamespace": f"urn:slipway:{VERSION}:{hashlib.sha256(json.dumps(packages).encode()).hexdigest()}",
                "creationInfo": {"created": made.strftime("%Y-%m-%dT%H:%M:%SZ"), "creators": ["Tool: scripts/sbom.py"]},
                "packages": packages, "relationships": relations}
    print(json.dumps(document, indent=2))


if __name__ == "__main__":
    main()
