"""Makes the pages of docs/reference about commands, exit statuses and options of jobs."""
import re

from reference_programs import COLLECTIVES, sections, spelled

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
            rows.append([code(names[-1] + (f"={value}" if value else "")), cell(option["help"]), code(option["default"]),
                         f"[{plugin['program']}](#{plugin['program']})"])
    text += table(["option", "", "default", "plugin"], rows)
    for plugin in programs.plugins:
        text += f"\n## {plugin['program']}\n\n{plugin['summary']}\n\n{paragraphs(plugin['about'])}\n\n"
        rows = [[code(row["name"]), cell(row["text"])] for row in plugin["arguments"]]
        text += "Arguments in plugstack.conf:\n\n" + table(["argument", ""], rows)
        text += "\n" + table(["file", ""], [[code(row["name"]), cell(row["text"])] for row in plugin["files"]])
    return text
