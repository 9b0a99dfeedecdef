#!/usr/bin/env python3
"""Compares the files of the Debian packages in a folder with those of the RPMs there: compare_packages.py FOLDER

For each package: paths, kinds, modes, owners, targets of links, contents, and which files are configuration. Prints a line for each
difference; exit status 1 if there is one.
What each system keeps elsewhere has one name here.
"""
import hashlib, io, pathlib, re, stat, subprocess, sys, tarfile

# Left out: what each system wants for itself (terms, changes, remarks for lintian), and the folder of Slurm's logs, which RPMs make
# in a script.
OWN = re.compile(r"/usr/share/(doc/[^/]+(/(changelog|copyright).*)?|licenses(/.*)?|lintian(/.*)?)|/var/log/slurm")
ELSEWHERE = [(r"^/lib(?=/|$)", "/usr/lib"), (r"/zsh/site-functions", "/zsh/vendor-completions")]


def said(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def path_of(name):
    for pattern, instead in ELSEWHERE:
        name = re.sub(pattern, instead, name)
    return name


def of_deb(package):
    """{path: (kind and mode, owner, target, digest, configuration?)} of all files, links and folders"""
    has_configuration = " conffiles" in said("dpkg-deb", "--info", package)
    configuration = said("dpkg-deb", "--info", package, "conffiles").split() if has_configuration else []
    archive = subprocess.run(["dpkg-deb", "--fsys-tarfile", package], capture_output=True, check=True).stdout
    files = {}
    with tarfile.open(fileobj=io.BytesIO(archive)) as members:
        for member in members:
            name = member.name.removeprefix(".").rstrip("/")
            kind = {tarfile.DIRTYPE: stat.S_IFDIR, tarfile.SYMTYPE: stat.S_IFLNK}.get(member.type, stat.S_IFREG)
            digest = hashlib.sha256(members.extractfile(member).read()).hexdigest() if member.isreg() else ""
            files[path_of(name)] = (stat.filemode(kind | member.mode), f"{member.uname}:{member.gname}", member.linkname, digest, name in configuration)
    return files


def of_rpm(package):
    form = "[%{FILENAMES}|%{FILEMODES:perms}|%{FILEUSERNAME}:%{FILEGROUPNAME}|%{FILELINKTOS}|%{FILEDIGESTS}|%{FILEFLAGS:fflags}\n]"
    files = {}
    for line in said("rpm", "--query", "--queryformat", form, "--package", package).splitlines():
        name, mode, owner, target, digest, flags = line.split("|")
        files[path_of(name)] = (mode, owner, target, digest, "c" in flags)
    return files


def compared(files):
    """Without folders that have something in them: Debian's packages list all of them, RPMs only those that are theirs."""
    parents = {str(parent) for name in files for parent in pathlib.PurePosixPath(name).parents}
    return {name: about for name, about in files.items() if name and not OWN.fullmatch(name) and not (about[0].startswith("d") and name in parents)}


def main():
    folder = pathlib.Path(sys.argv[1])
    debs = {said("dpkg-deb", "--field", path, "Package").strip(): path for path in folder.glob("*.deb")}
    rpms = {said("rpm", "--query", "--queryformat", "%{NAME}", "--package", path): path for path in folder.glob("*.rpm")}
    differences = [f"{name}: only one kind of package" for name in sorted(debs.keys() ^ rpms.keys())]
    count = 0
    for name in sorted(debs.keys() & rpms.keys()):
        deb, rpm = compared(of_deb(debs[name])), compared(of_rpm(rpms[name]))
        count += len(deb)
        for path in sorted(deb.keys() | rpm.keys()):
            if deb.get(path) != rpm.get(path):
                differences.append(f"{name}: {path}: Debian {deb.get(path, 'no')}, RPM {rpm.get(path, 'no')}")
    print("\n".join(differences) or f"{len(debs)} packages, {count} files")
    return 1 if differences or not count else 0


if __name__ == "__main__":
    sys.exit(main())
