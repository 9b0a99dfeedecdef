#!/usr/bin/env python3
"""Imports made-up checkouts of Cluster Toolkit into copies of the library: usage: modules_import.py SLIPWAY

The checkouts are written from what `slipway modules --json` says of the library: first with the same interfaces, which must
change nothing, then with other ones.
"""
import hashlib, json, os, pathlib, shutil, subprocess, sys, tempfile

sys.dont_write_bytecode = True  # keep the source tree clean
from checks import exit_status, same
from run import ROOT, breaks_schema, installed

VERSIONS = """terraform {
  provider_meta "google" {
    module_name = "blueprints/terraform/hpc-toolkit:made-up/%s"
  }
}
"""
LAN = "modules/network/vpc"


class Checkout:
    def __init__(self, slipway, folder):
        self.slipway, self.folder = slipway, folder

    def modules(self):
        listed = json.loads(self.slipway("modules", "--json")[1])["modules"]
        return [json.loads(self.slipway("modules", module["path"], "--json")[1]) for module in listed]

    # `own`: what only the library has.
    def write(self, modules, version, own):
        for module in modules:
            folder = self.folder / module["path"]
            folder.mkdir(parents=True)
            variables, outputs = [], []
            for one in module["inputs"]:
                if (module["path"], "inputs", one["name"]) not in own:
                    variables.append(variable(one))
            for one in module["outputs"]:
                if (module["path"], "outputs", one["name"]) not in own:
                    outputs.append(f'output "{one["name"]}" {{\n  value = local.it\n}}\n')
            packer = module["kind"] == "packer"
            (folder / ("variables.pkr.hcl" if packer else "variables.tf")).write_text("\n".join(variables))
            if not packer:
                (folder / "outputs.tf").write_text("\n".join(outputs))
                (folder / "versions.tf").write_text(VERSIONS % version)


def variable(one):
    lines = [f'variable "{one["name"]}" {{', f'  type = {one["type"]}']
    if not one["required"]:
        lines.append("  default = " + json.dumps(one["default"]).replace("${", "$${").replace("%{", "%%{"))
    return "\n".join(lines + ["}", ""])


def our_own(library):
    """(module, section, name) of what the library marks with `own: true`."""
    names, section, last = set(), "", ""
    for file in library.glob("**/module.yaml"):
        for line in file.read_text().splitlines():
            if line[:1].isalpha():
                section = line.partition(":")[0]
            elif line.startswith("  ") and line[2:3].isalpha():
                last = line.strip().partition(":")[0]
            elif line.strip() == "own: true":
                names.add((str(file.parent.relative_to(library)), section, last))
    return names


def tree(folder):
    return {str(file.relative_to(folder)): hashlib.sha256(file.read_bytes()).hexdigest() for file in sorted(folder.rglob("*")) if file.is_file()}


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        program = installed(sys.argv[1], folder / "prefix")
        environment = os.environ | {"XDG_CACHE_HOME": str(folder / "cache"), "GIT_CONFIG_GLOBAL": "/dev/null"}

        def slipway(*words):
            done = subprocess.run([program, *words], cwd=folder, env=environment, capture_output=True, text=True, timeout=300)
            return done.returncode, done.stdout, done.stderr

        library = folder / "library"
        shutil.copytree(ROOT / "blueprints", library)
        before = tree(library)
        checkout = Checkout(slipway, folder / "toolkit")
        modules = checkout.modules()
        # An input with a type of our own is in Cluster Toolkit, too.
        own = {one for one in our_own(library) if one[1:] != ("inputs", "nodeset")}
        same("our own inputs and outputs", {section for _, section, _ in own}, {"inputs", "outputs"})
        version = version_of(library)
        checkout.write(modules, version, own)
        status, out, err = slipway("modules", "import", "toolkit", "--library", "library")
        same("the same interfaces", (status, err, out), (0, "", f"Cluster Toolkit {version} (the library was of {version}): "
                                                                f"{len(modules)} modules, {len(modules)} unchanged\n"))
        same("nothing is written", tree(library), before)
        changes(slipway, checkout, library, folder)
        variables = checkout.folder / LAN / "variables.tf"
        text = variables.read_text()
        variables.write_text(text.replace('"enable_iap_ssh_ingress"', '"iap"'))
        older(slipway, checkout, library, folder)
        variables.write_text(text)
        refused(slipway, checkout, library, folder)
        fetched(slipway, checkout, library, folder)
    return exit_status()


def version_of(library):
    return next(line.split()[1] for line in (library / "catalogue/toolkit.yaml").read_text().splitlines()
                if line.startswith("version:"))


def changes(slipway, checkout, library, folder):
    before = tree(library)
    variables = checkout.folder / LAN / "variables.tf"
    text = variables.read_text()
    variables.write_text(text.replace('variable "mtu"', 'variable "frame_size"') + 'variable "later" {\n  default = "x"\n}\n')
    new = checkout.folder / "community/modules/network/made-up"
    new.mkdir(parents=True)
    (new / "main.tf").write_text('variable "name" {}\nterraform {\n  required_providers {\n    google = {}\n  }\n}\n')
    words = ("modules", "import", "toolkit", "--library", "library", "--version", "9.0.0")
    status, out, err = slipway(*words, "--dry-run", "--json")
    same("--dry-run", (status, err, breaks_schema(out)), (0, "", ""))
    report = json.loads(out)
    found = {module["path"]: module for module in report["modules"] if module["state"] != "unchanged"}
    same("what changes", sorted(found), ["community/modules/network/made-up", LAN])
    kinds = {(change["kind"], change["what"]) for change in found[LAN]["changes"]}
    same("of a module", kinds, {("removed", "input `mtu`"), ("lost", "input `mtu`"), ("added", "input `frame_size`"),
                                ("added", "input `later`")})
    same("--dry-run writes nothing", tree(library), before)
    same("written", slipway(*words)[0], 0)
    same("the version", version_of(library), "v9.0.0")
    after = tree(library)
    same("files", sorted(name for name in after if after[name] != before.get(name)),
         ["catalogue/imported.yaml", "catalogue/toolkit.yaml", "community/modules/network/made-up/module.yaml", LAN + "/module.yaml"])
    status, out, err = slipway(*words)
    same("again", (status, "unchanged" in out, "changed," in out), (0, True, False))
    same("nothing new", tree(library), after)
    # The program takes the library: the module file means what it says.
    install = folder / "prefix/share/slipway/blueprints"
    target = install.resolve()
    install.unlink() if install.is_symlink() else shutil.rmtree(install)
    shutil.copytree(library, install)
    (folder / "x.yaml").write_text("blueprint_name: x\nvars: {project_id: p-1234567, deployment_name: x, region: us-central1}\n"
                                   "deployment_groups:\n- group: g\n  modules:\n"
                                   "  - {id: net, source: modules/network/vpc, settings: {mtu: 1500, later: a}}\n")
    status, out, err = slipway("check", "x.yaml")
    same("a setting that is gone", (status, "`mtu` of module `net` was removed" in err, "Cluster Toolkit v9.0.0" in err), (1, True, True))
    same("the page of a new module", slipway("modules", "made-up")[0], 0)
    shutil.rmtree(install)
    install.symlink_to(target) if target != install else shutil.copytree(ROOT / "blueprints", install)


def older(slipway, checkout, library, folder):
    """An older release than the library's is recorded; blueprints that name it are checked against it."""
    before = tree(library)
    status, out, err = slipway("modules", "import", "toolkit", "--library", "library", "--version", "v1.41.0", "--json")
    found = {module["path"]: module for module in json.loads(out)["modules"] if module["state"] != "unchanged"}
    same("an older release", (status, err, breaks_schema(out), sorted(found)), (0, "", "", [LAN]))
    same("of a module", [(change["what"], change["text"]) for change in found[LAN]["changes"]], 
         [("input `enable_iap_ssh_ingress`", "came later"), ("input `iap`", "is gone since")])
    after = tree(library)
    same("only recorded", sorted(name for name in after if after[name] != before.get(name)), ["catalogue/imported.yaml"])


def refused(slipway, checkout, library, folder):
    before = tree(library)
    words = ("modules", "import", "toolkit", "--library", "library")
    same("no folder", slipway("modules", "import", "./none", "--library", "library")[::2],
         (1, "slipway modules import: there is no folder `./none`\n"))
    status, _, err = slipway(*words, "--version", "newest")
    same("no version", (status, "`newest` is not a version such as v1.95.0" in err), (1, True))
    status, _, err = slipway(*words, "--version", "v9.1")
    same("no tag's version", (status, "`v9.1` is not a version such as v1.95.0" in err), (1, True))
    same("no source", slipway("modules", "import")[0], 2)
    same("an unknown option", slipway(*words, "--dryrun")[0], 2)
    wrong = checkout.folder / "modules/compute/broken/variables.tf"
    wrong.parent.mkdir(parents=True)
    wrong.write_text('variable "a" {\n  type = lisst(string)\n}\n')
    status, _, err = slipway(*words, "--version", "v9.1.0")
    same("a mistake", (status, "variables.tf:2:10" in err, "nothing is imported" in err), (1, True, True))
    shutil.rmtree(wrong.parent)
    same("nothing is written", tree(library), before)


def fetched(slipway, checkout, library, folder):
    git = ["git", "-C", str(checkout.folder), "-c", "user.name=x", "-c", "user.email=x@example.com"]
    for words in (["init", "-q"], ["add", "."], ["commit", "-q", "-m", "x"], ["tag", "v9.2.0"]):
        subprocess.run([*git, *words], check=True, capture_output=True)
    catalogue = library / "catalogue/toolkit.yaml"
    catalogue.write_text(catalogue.read_text().replace("repository: github.com/GoogleCloudPlatform/cluster-toolkit",
                                                       f"repository: git::file://{checkout.folder}"))
    words = ("modules", "import", "v9.2.0", "--library", "library", "--version", "v9.2.0")
    same("a tag", slipway(*words)[0], 0)
    same("its version", version_of(library), "v9.2.0")
    status, _, err = slipway("modules", "import", "v9.3.0", "--library", "library")
    same("no such tag", (status, "cannot fetch" in err, "clone the repository yourself" in err), (1, True, True))


if __name__ == "__main__":
    sys.exit(main())
