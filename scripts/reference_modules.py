"""Makes the pages of docs/reference about modules, from `slipway modules MODULE --json` and the modules' files."""
import json, pathlib, re

from reference_markdown import HEAD, cell, code, table

ROOT = pathlib.Path(__file__).resolve().parents[1]
# Where an example of a module's use is looked for: each blueprint there is compiled by a test.
EXAMPLES = ["examples/*.yaml", "examples/parts/*.yaml", "tests/golden/create/*.yaml", "tests/golden/blueprint/ok-*.yaml"]
LONGEST_EXAMPLE = 25  # lines


def value_text(value):
    text = json.dumps(value, ensure_ascii=False)
    return code(text if len(text) <= 60 else text[:59] + "…")


def type_text(text):
    return re.sub(r"\s+", " ", text)


def short_type(text):
    """`list(object({a = string}))` as `list(object)`: what is in it is listed below the table."""
    out, depth = "", 0
    for part in re.split(r"(object\(\{|\}\))", type_text(text)):
        depth -= part == "})"
        if part == "object({":
            out += "object" if depth == 0 else ""
            depth += 1
        elif depth == 0 and part != "})":
            out += part
    return out


def blocks_of(text, source):
    """The items of lists of modules that have this source."""
    for found in re.finditer(r"^( *)- \{?id: .*\n(?:\1 .*\n|[ \t]*\n)*", text, re.M):
        block = found[0]
        if re.search(rf"\bsource: {re.escape(source)}[ ,}}]*$|\bsource: {re.escape(source)}[,}}]", block, re.M):
            yield re.sub(rf"^{found[1]}", "", block, flags=re.M).rstrip()


def example(source):
    """(file, lines) of a short use of the module in a blueprint of ours; None if there is none."""
    for pattern in EXAMPLES:
        found = [(block, file) for file in sorted(ROOT.glob(pattern)) for block in blocks_of(file.read_text(), source)]
        found = [one for one in found if one[0].count("\n") < LONGEST_EXAMPLE]
        if found:
            # The most telling of those that people copy, otherwise the shortest that sets something.
            size = [one[0].count("\n") for one in found]
            best = max(size) if pattern.startswith("examples/") else min([n for n in size if n > 2] or size)
            block, file = found[size.index(best)]
            return file.relative_to(ROOT), block
    return None


def example_text(source):
    found = example(source)
    if found is None:
        return ""
    file, block = found
    place = f" From [{file}](../../../{file})." if str(file).startswith("examples/") else ""
    return f"\n## Example\n\n```yaml\n{block}\n```\n" + (f"\n{place.strip()}\n" if place else "")


def meaning(one):
    text = cell(one["help"])
    if one["one_of"]:
        text += f" One of {', '.join(code(choice) for choice in one['one_of'])}."
    if "no_effect" in one:
        text += f" **No effect on Google Cloud:** {cell(one['no_effect'])}."
    return text


def default_text(one, module):
    if one["required"]:
        return "required"
    return "the module's id" if one["name"] == module["id_input"] else value_text(one["default"])


def input_tables(module):
    current = [one for one in module["inputs"] if "gone" not in one]
    rows = [[code(one["name"]), code(short_type(one["type"])), default_text(one, module), meaning(one)]
            for one in sorted(current, key=lambda one: not one["required"])]
    text = "\n## Inputs\n\n" + table(["input", "type", "default", "meaning"], rows) if rows else ""
    gone = [one for one in module["inputs"] if "gone" in one]
    if gone:
        rows = [[code(one["name"]), cell(one["gone"])] for one in gone]
        text += "\nSetting one of these is an error:\n\n" + table(["removed input", "what to do instead"], rows)
    return text


def full_types(module):
    """The types that a table shows in short."""
    long = [one for one in module["inputs"] + module["outputs"]
            if "gone" not in one and short_type(one["type"]) != type_text(one["type"])]
    rows = sorted({(code(one["name"]), code(type_text(one["type"]))) for one in long})
    return "\n## Types in full\n\n" + table(["input or output", "type"], [list(row) for row in rows]) if rows else ""


# What the table of all modules calls it, by `becomes`.
ON_GOOGLE = {"resources": "resources", "image": "an image", "slurm": "part of Slurm's configuration", "values": "values for other modules",
             "toolkit": "Cluster Toolkit's module", "none": "nothing yet"}


def on_google(module):
    """For the table: what it becomes, and which of Cluster Toolkit's modules its resources come with."""
    called = re.search(r"Cluster Toolkit's (`.*`) for what is on Kubernetes", module["google"]["text"])
    return ON_GOOGLE[module["google"]["becomes"]] + (f"; on Kubernetes: Cluster Toolkit's {called[1]}" if called else "")


def introduction(module):
    text = HEAD + f"# {module['path']}\n\n{module['about']}\n\n"
    notes = []
    if module["kind"] == "packer":
        notes.append("It builds an image with Packer.")
    if module["must_be_used"]:
        notes.append("It does nothing unless another module uses it.")
    notes.append(f"On Google Cloud it becomes {module['google']['text']}; in a local cluster, {module['local']['text']}.")
    if module["google"]["becomes"] == "toolkit":
        notes.append("Terraform downloads that module ([decision 96](../../decisions/0096-modules-of-cluster-toolkit.md)).")
    notes.append(f"Its source is [module.yaml](../../../blueprints/{module['path']}/module.yaml).")
    return text + "\n".join(notes) + "\n"


def module_page(module):
    text = introduction(module) + example_text(module["path"]) + input_tables(module)
    if module["outputs"]:
        text += "\n## Outputs\n\n" + table(["output", "type", "meaning"], [
            [code(one["name"]), code(short_type(one["type"])), cell(one["help"]) + (" A secret." if one["sensitive"] else "")]
            for one in module["outputs"]])
    if module["rules"]:
        text += "\n## Rules\n\n" + table(["input", "rule", "if it is broken"], [
            [code(one["at"]), cell(one["message"]), one["severity"]] for one in module["rules"]])
    text += full_types(module)
    if module["apis"]:
        text += f"\n## Google APIs\n\n{', '.join(code(api) for api in module['apis'])}\n"
    return text + "\nNext: [all modules](README.md), [where a setting comes from](../blueprint-language.md#where-a-setting-comes-from).\n"


def module_pages(programs):
    pages, folders = {}, {}
    for module in programs.modules():
        name = module["path"].replace("/", "-").replace("modules-", "", 1) + ".md"
        pages["modules/" + name] = module_page(module)
        folders.setdefault(str(pathlib.PurePath(module["path"]).parent), []).append((module, name))
    text = HEAD + "# Modules\n\nEvery module of the library, as `slipway modules MODULE` describes it, and what it becomes: on Google " \
        "Cloud and in a cluster on one machine.\n"
    for folder, modules in sorted(folders.items(), key=lambda one: (one[0].startswith("community"), one[0])):
        text += f"\n## {folder}\n\n" + table(["module", "what it is", "on Google Cloud", "local"], [
            [f"[`{pathlib.PurePath(module['path']).name}`]({name})", cell(module["about"].split(". ")[0]),
             on_google(module), module["local"]["becomes"]] for module, name in modules])
    pages["modules/README.md"] = text
    return pages
