"""Makes the manual pages of programs and plugins (sections 1 and 8)."""
import re

from reference_programs import COLLECTIVES, OF_ALL, sections, spelled, with_default


def literal(text):
    """Text for roff, unchanged, nothing taken for a request."""
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return re.sub(r"^([.'])", r"\\&\1", text, flags=re.M)


def roff(text):
    """The same with `code` in bold."""
    return re.sub(r"`([^`]*)`", r"\\fB\1\\fR", literal(text))


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
        lines += roff_rows("ENVIRONMENT", description["environment"] + OF_ALL)
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
