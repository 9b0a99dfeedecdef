#!/usr/bin/env python3
"""Makes the manual pages and docs/reference from what the programs say about themselves (`--help=json`).

usage: reference.py man FOLDER SLIPWAY PERF PROGRAM... PLUGINS
       reference.py markdown FOLDER SLIPWAY PERF PROGRAM... PLUGINS

PERF is bandwidth_perf, PROGRAM another program with `--help=json`, PLUGINS the program that describes the SPANK
plugins. The build makes manual pages of them; tests/golden/reference.py compares docs/reference with them.
"""
import json, os, pathlib, re, subprocess, sys

COLLECTIVES = ["all_gather", "all_reduce", "alltoall", "broadcast", "gather", "reduce", "reduce_scatter", "scatter",
               "sendrecv"]
NO_COLOR = {"name": "NO_COLOR", "text": "if set, nothing is printed in color"}


def printed(*words):
    # A sanitized program would report what MPI never frees.
    environment = {**os.environ, "ASAN_OPTIONS": "detect_leaks=0"}
    done = subprocess.run([str(word) for word in words], check=True, stdout=subprocess.PIPE, text=True, env=environment)
    return json.loads(done.stdout)


class Programs:
    """Everything that describes itself."""

    def __init__(self, slipway, perf, *others):
        *programs, plugins = others
        self.version = printed(slipway, "version", "--json")["version"]
        self.slipway = slipway
        self.commands = printed(slipway, "help", "--json")["commands"]
        self.perf = printed(perf, "all_gather", "--help=json")
        self.programs = [printed(program, "--help=json") for program in [perf, *programs]]
        self.plugins = printed(plugins)["plugins"]

    def modules(self):
        for one in printed(self.slipway, "modules", "--json")["modules"]:
            yield printed(self.slipway, "modules", one["path"], "--json")


def spelled(option):
    """`-o, --output FILE`, as (names, value)."""
    names = [f"-{option['letter']}"] if option["letter"] else []
    names += [f"--{option['name']}"] if option["name"] else []
    return names, option["value"]


def with_default(option):
    if not option["default"]:
        return option["help"]
    return f"{option['help']} (default{':' if option['computed'] else ''} {option['default']})"


def sections(description):
    """The shown options by their headings, in order."""
    found = {}
    for option in description["options"]:
        if not option["hidden"]:
            found.setdefault(option["section"] or "Options", []).append(option)
    return found


# Manual pages

def roff(text):
    """Text for roff: `code` in bold, nothing taken for a request."""
    text = text.replace("\\", "\\e").replace("-", "\\-")
    text = re.sub(r"`([^`]*)`", r"\\fB\1\\fR", text)
    return re.sub(r"^([.'])", r"\\&\1", text, flags=re.M)


def roff_words(text):
    """A usage line: literal text in bold, names of values in italics."""
    words = []
    for word in text.split(" "):
        bold = re.fullmatch(r"[a-z_]+|--?[a-z].*|--", word)
        words.append(f"\\fB{roff(word)}\\fR" if bold else re.sub(r"([A-Z]+)", r"\\fI\1\\fR", roff(word)))
    return " ".join(words)


def roff_paragraphs(text):
    lines, kept = [], False
    for line in text.split("\n"):
        if line.startswith(" ") != kept and line:
            lines.append(".fi" if kept else ".nf")
            kept = not kept
        lines.append(roff(line) if line else ".PP" if not kept else ".sp")
    return lines + ([".fi"] if kept else [])


def roff_rows(title, rows):
    lines = [f".SH {title}"] if rows else []
    for row in rows:
        lines += [".TP", f"\\fB{roff(row['name'])}\\fR", roff(row["text"])]
    return lines


def roff_options(description):
    lines = []
    for title, options in sections(description).items():
        lines.append(".SH OPTIONS" if not lines else f".SS {roff(title)}")
        if len(lines) == 1 and title != "Options":
            lines.append(f".SS {roff(title)}")
        for option in options:
            names, value = spelled(option)
            text = ", ".join(f"\\fB{roff(name)}\\fR" for name in names)
            lines += [".TP", text + (f" \\fI{roff(value)}\\fR" if value else ""), roff(with_default(option))]
    return lines


def man_page(description, version, section=1):
    name = description["program"].replace(" ", "-")
    summary = description["summary"].rstrip(".")
    lines = [".\\\" -*- coding: UTF-8 -*-", f'.TH {name.upper()} {section} "" "Slipway {version}" "Slipway Manual"',
             ".nh", ".ad l", ".SH NAME", f"{roff(name)} \\- {roff(summary[0].lower() + summary[1:])}"]
    if description["usage"]:
        lines += [".SH SYNOPSIS", roff_words(description["usage"])]
    lines += [".SH DESCRIPTION", roff(description["summary"])]
    if description["about"]:
        lines += [".PP", *roff_paragraphs(description["about"])]
    lines += roff_rows("COMMANDS", description["parts"]) + roff_options(description)
    lines += roff_rows("ARGUMENTS IN PLUGSTACK.CONF", description.get("arguments", []))
    if description["examples"]:
        lines += [".SH EXAMPLES"]
        for row in description["examples"]:
            lines += [".TP", f"\\fB{roff(row['name'])}\\fR", *roff_paragraphs(row["text"])]
    lines += roff_rows("EXIT STATUS", description["exit_statuses"])
    if section == 1:
        lines += roff_rows("ENVIRONMENT", description["environment"] + [NO_COLOR])
    lines += roff_rows("FILES", description["files"])
    if description["see_also"]:
        also = ", ".join(f"\\fB{roff(one[:-3])}\\fR{one[-3:]}" for one in description["see_also"])
        lines += [".SH SEE ALSO", also]
    return "\n".join(lines) + "\n"


def main_page(programs):
    """slipway(1): all verbs, by group."""
    lines = [".SH COMMANDS"]
    group = ""
    for command in programs.commands:
        if command["program"].count(" ") != 1:
            continue
        if command["group"] != group:
            group = command["group"]
            lines.append(f".SS {roff(group)}")
        name = command["program"].replace(" ", "-")
        lines += [".TP", f"\\fB{roff(name)}\\fR(1)", roff(command["summary"])]
    page = man_page({"program": "slipway", "summary": "Turn a blueprint into a Slurm cluster for GPU training.",
                     "usage": "slipway COMMAND [options]", "parts": [], "options": [],
                     "about": "A blueprint is a YAML file. `slipway deploy` starts its cluster on this machine or on "
                              "Google Cloud. Each command has a page of its own; `slipway help COMMAND` shows it in "
                              "short.",
                     "examples": [{"name": "slipway deploy examples/quickstart.yaml",
                                   "text": "start a cluster on this machine"},
                                  {"name": "slipway exec quickstart login -- sinfo", "text": "list its nodes"}],
                     "exit_statuses": [{"name": "0", "text": "done"},
                                       {"name": "1", "text": "the input or the cluster is wrong"},
                                       {"name": "2", "text": "the command line is wrong"}],
                     "environment": [], "files": [],
                     "see_also": ["all_gather_perf(1)", "bandwidth_scan(1)", "nccl_env(8)", "node_health(8)"]},
                    programs.version)
    return page.replace(".SH EXAMPLES", "\n".join(lines) + "\n.SH EXAMPLES", 1)


def man_pages(programs):
    pages = {"slipway.1": main_page(programs)}
    for description in programs.commands + programs.programs:
        pages[description["program"].replace(" ", "-") + ".1"] = man_page(description, programs.version)
    pages["all_gather_perf.1"] = man_page(programs.perf, programs.version)
    for name in COLLECTIVES[1:]:
        pages[f"{name}_perf.1"] = ".so man1/all_gather_perf.1\n"
    for plugin in programs.plugins:
        pages[plugin["program"] + ".8"] = man_page(plugin, programs.version, 8)
    return pages


# Markdown

HEAD = "<!-- Made by scripts/reference.py from what the programs print; do not edit. -->\n\n"


def cell(text):
    return " ".join(text.replace("|", "\\|").replace("<", "&lt;").split())


def code(text):
    return "`" + text.replace("|", "\\|") + "`" if text else ""


def table(heads, rows):
    if not rows:
        return ""
    lines = [f"| {' | '.join(heads)} |", "|" + " --- |" * len(heads)]
    return "\n".join(lines + [f"| {' | '.join(row)} |" for row in rows]) + "\n"


def paragraphs(text):
    """Lines that begin with a space become a code block."""
    out = []
    for block in re.split(r"\n\n+", text):
        out.append(f"```text\n{block}\n```" if block.startswith(" ") else block)
    return "\n\n".join(out)


def option_tables(description, level):
    text = ""
    for title, options in sections(description).items():
        rows = []
        for option in options:
            names, value = spelled(option)
            default = option["default"]
            rows.append([code(", ".join(names) + (f" {value}" if value else "")), cell(option["help"]),
                         cell(default) if option["computed"] else code(default)])
        text += f"\n{level} {title}\n\n" + table(["option", "", "default"], rows)
    return text


def body(description, level):
    """A description below its heading of one level less."""
    text = f"{description['summary']}\n\n```text\n{description['usage']}\n```\n"
    if description["about"]:
        text += f"\n{paragraphs(description['about'])}\n"
    if description["parts"]:
        name = description["program"].replace(" ", "-")
        rows = [[f"[`{row['name']}`](#{name}-{row['name']})", cell(row["text"])] for row in description["parts"]]
        text += f"\n{level} Commands\n\n" + table(["command", ""], rows)
    if description["examples"]:
        text += f"\n{level} Examples\n\n"
        text += table(["command", ""], [[code(row["name"]), cell(row["text"])] for row in description["examples"]])
    text += option_tables(description, level)
    for title, key in (("Exit status", "exit_statuses"), ("Environment", "environment"), ("Files", "files")):
        if description[key]:
            rows = [[code(row["name"]), cell(row["text"])] for row in description[key]]
            text += f"\n{level} {title}\n\n" + table([title.lower(), ""], rows)
    return text


def link_of(name):
    """slipway-health-report(1) as a link from docs/reference/commands."""
    base = re.sub(r"\(\d\)$", "", name)
    if name.endswith("(8)"):
        return f"[{base}](../job-options.md)"
    words = base.split("-")
    if words[0] != "slipway":
        return f"[{base}]({base}.md)"
    anchor = f"#{base}" if len(words) > 2 else ""
    return f"[{' '.join(words)}]({words[1]}.md{anchor})"


def also(description):
    if not description["see_also"]:
        return ""
    return "\nSee also: " + ", ".join(link_of(name) for name in description["see_also"]) + ".\n"


def command_pages(programs):
    pages = {}
    for description in programs.commands:
        words = description["program"].split(" ")
        name = f"commands/{words[1]}.md"
        if len(words) == 2:
            pages[name] = HEAD + f"# {description['program']}\n\n" + body(description, "##") + also(description)
        else:
            pages[name] += f"\n## {description['program']}\n\n" + body(description, "###") + also(description)
    perf = {**programs.perf}
    names = ", ".join(f"`{name}_perf`" for name in COLLECTIVES)
    pages["commands/all_gather_perf.md"] = HEAD + "# all_gather_perf and its sisters\n\n" + \
        f"The programs {names} have the same options.\n\n" + body(perf, "##") + also(perf)
    for description in programs.programs:
        pages[f"commands/{description['program']}.md"] = \
            HEAD + f"# {description['program']}\n\n" + body(description, "##") + also(description)
    pages["commands/README.md"] = command_index(programs)
    return pages


def command_index(programs):
    text = HEAD + "# Commands\n\nEvery command with its options and exit statuses, as `slipway help COMMAND` and " \
        "`man slipway-COMMAND` show them.\n"
    group, rows = "", []
    for description in programs.commands:
        words = description["program"].split(" ")
        if description["group"] != group:
            text += table(["command", ""], rows)
            group, rows = description["group"], []
            text += f"\n## {group}\n\n"
        anchor = "" if len(words) == 2 else "#" + "-".join(words)
        rows.append([f"[`{description['program']}`]({words[1]}.md{anchor})", cell(description["summary"])])
    text += table(["command", ""], rows) + "\n## Bandwidth tests\n\n"
    rows = [["[`all_gather_perf`](all_gather_perf.md) and its sisters", cell(programs.perf["summary"])]]
    rows += [[f"[`{one['program']}`]({one['program']}.md)", cell(one["summary"])] for one in programs.programs]
    text += table(["program", ""], rows)
    return text + "\nWhat the exit statuses mean: [exit statuses](../exit-status.md). What other tools call these " \
        "commands: [gcluster's commands](../gcluster.md).\n"


def exit_status_page(programs):
    text = HEAD + """# Exit statuses

Every program here ends with one of these:

| exit status | |
| --- | --- |
| `0` | done |
| `1` | the input or the cluster is wrong; a message on stderr says how |
| `2` | the command line is wrong; `--help` shows the right one |

A program that a signal ended has 128 and the signal's number, as in any shell. These have statuses of their own:

"""
    usual = {"done", "the input or the cluster is wrong; a message says how", "the command line is wrong", "not used"}
    rows = []
    for description in programs.commands + [programs.perf] + programs.programs[1:]:
        rows += [[code(description["program"]), code(row["name"]), cell(row["text"])]
                 for row in description["exit_statuses"] if row["text"] not in usual]
    return text + table(["program", "exit status", ""], rows)


def job_options_page(programs):
    text = HEAD + """# Options of sbatch, srun and salloc

The SPANK plugins add these options to Slurm's commands.

"""
    rows = []
    for plugin in programs.plugins:
        for option in plugin["options"]:
            names, value = spelled(option)
            rows.append([code(f"{names[-1]}={value}"), cell(option["help"]), code(option["default"]),
                         f"[{plugin['program']}](#{plugin['program']})"])
    text += table(["option", "", "default", "plugin"], rows)
    for plugin in programs.plugins:
        text += f"\n## {plugin['program']}\n\n{plugin['summary']}\n\n{paragraphs(plugin['about'])}\n\n"
        rows = [[code(row["name"]), cell(row["text"])] for row in plugin["arguments"]]
        text += "Arguments in plugstack.conf:\n\n" + table(["argument", ""], rows)
        text += "\n" + table(["file", ""], [[code(row["name"]), cell(row["text"])] for row in plugin["files"]])
    return text


def value_text(value):
    text = json.dumps(value, ensure_ascii=False)
    return code(text if len(text) <= 60 else text[:59] + "…")


def module_page(module):
    text = HEAD + f"# {module['path']}\n\n{module['about']}\n"
    if module["kind"] == "packer":
        text += "\nIt builds an image with Packer.\n"
    if module["must_be_used"]:
        text += "\nIt does nothing unless another module uses it.\n"
    current = [one for one in module["inputs"] if "gone" not in one]
    for title, wanted in (("Inputs that must be set", True), ("Inputs", False)):
        rows = []
        for one in current:
            if one["required"] != wanted:
                continue
            choices = f" One of {', '.join(code(choice) for choice in one['one_of'])}." if one["one_of"] else ""
            row = [code(one["name"]), code(re.sub(r"\s+", " ", one["type"])), cell(one["help"]) + choices]
            is_id = one["name"] == module["id_input"]
            rows.append(row if wanted else row + ["the module's id" if is_id else value_text(one["default"])])
        if rows:
            text += f"\n## {title}\n\n" + table(["input", "type", ""] + ([] if wanted else ["default"]), rows)
    if module["outputs"]:
        text += "\n## Outputs\n\n" + table(["output", "type", ""], [
            [code(one["name"]), code(re.sub(r"\s+", " ", one["type"])),
             cell(one["help"]) + (" A secret." if one["sensitive"] else "")] for one in module["outputs"]])
    if module["rules"]:
        text += "\n## Rules\n\n" + table(["at", "rule", "if it is broken"], [
            [code(one["at"]), cell(one["message"]), one["severity"]] for one in module["rules"]])
    gone = [one for one in module["inputs"] if "gone" in one]
    if gone:
        text += "\n## Removed inputs\n\n" + table(["input", ""], [[code(one["name"]), cell(one["gone"])] for one in gone])
    if module["apis"]:
        text += f"\n## Google APIs\n\n{', '.join(code(api) for api in module['apis'])}\n"
    return text


def module_pages(programs):
    pages, folders = {}, {}
    for module in programs.modules():
        name = module["path"].replace("/", "-").replace("modules-", "", 1) + ".md"
        pages["modules/" + name] = module_page(module)
        folders.setdefault(str(pathlib.PurePath(module["path"]).parent), []).append((module, name))
    text = HEAD + "# Modules\n\nEvery module of the library, as `slipway modules MODULE` describes it.\n"
    for folder, modules in sorted(folders.items()):
        text += f"\n## {folder}\n\n" + table(["module", ""], [
            [f"[`{pathlib.PurePath(module['path']).name}`]({name})", cell(module["about"].split(". ")[0])]
            for module, name in modules])
    pages["modules/README.md"] = text
    return pages


def markdown_pages(programs):
    return {**command_pages(programs), **module_pages(programs), "exit-status.md": exit_status_page(programs),
            "job-options.md": job_options_page(programs)}


def main():
    form, folder, *words = sys.argv[1:]
    programs = Programs(*words)
    for name, text in (man_pages if form == "man" else markdown_pages)(programs).items():
        file = pathlib.Path(folder) / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)


if __name__ == "__main__":
    main()
