#!/usr/bin/env python3
"""Checks that the documentation holds together: usage: links.py

Every relative link and anchor resolves. Every page can be reached from README.md by three clicks. Pages that people write have at most
400 lines, begin with a heading, and those of docs end with links to where to go next.
"""
import re
import sys

sys.dont_write_bytecode = True  # not into the source tree
from pages import ROOT, is_generated, name_of, pages, prose

MOST_LINES = 400
MOST_CLICKS = 3
# Pages that are looked up, not read through, and pages at the top.
NO_NEXT = re.compile(r"docs/diagnostics/|[A-Z]+\.md$")
LINK = re.compile(r"\]\(([^)\s]+)\)")


def anchors(page):
    """The anchors of a page's headings, as GitHub makes them."""
    found, text = {}, re.sub(r"^( *)```.*?^\1```$", "", page.read_text(), flags=re.M | re.S)
    for heading in re.findall(r"^#{1,6} +(.+?) *$", text, re.M):
        heading = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading)
        slug = re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
        number = found.get(slug, -1) + 1
        found[slug] = number
        if number:
            found[f"{slug}-{number}"] = 0
    return set(found)


def links(page):
    """(target, anchor) of each link that leads to something in the tree; the target may not exist."""
    for link in LINK.findall(prose(page)):
        if re.match(r"[a-z][a-z0-9+.-]*:", link):
            continue
        path, _, anchor = link.partition("#")
        yield link, (page.parent / path).resolve() if path else page, anchor


def page_of(target):
    return target / "README.md" if target.is_dir() and (target / "README.md").exists() else target


def check_links(page, problems):
    reached = set()
    for link, target, anchor in links(page):
        if not target.exists() or ROOT not in [target, *target.parents]:
            problems.append(f"{name_of(page)}: `{link}` leads nowhere")
            continue
        target = page_of(target)
        reached.add(target)
        if anchor and target.suffix == ".md" and anchor not in anchors(target):
            problems.append(f"{name_of(page)}: `{link}`: no heading of that page has this anchor")
    return reached


def check_shape(page, problems):
    if is_generated(page):
        return
    lines = page.read_text().splitlines()
    if not lines or not re.match(r"# \S", lines[0]):
        problems.append(f"{name_of(page)}: the first line is not a heading")
    if len(lines) > MOST_LINES:
        problems.append(f"{name_of(page)}: {len(lines)} lines; {MOST_LINES} at most")
    last = next((line for line in reversed(re.split(r"\n\s*\n", page.read_text().strip())) if line.strip()), "")
    if not NO_NEXT.match(name_of(page)) and not LINK.search(last):
        problems.append(f"{name_of(page)}: the last paragraph does not say where to go next")


def check_clicks(reached, problems):
    clicks, front = {ROOT / "README.md": 0}, [ROOT / "README.md"]
    while front:
        page = front.pop(0)
        for target in sorted(reached.get(page, ())):
            if target not in clicks:
                clicks[target] = clicks[page] + 1
                front.append(target)
    for page in reached:
        if clicks.get(page, MOST_CLICKS + 1) > MOST_CLICKS:
            problems.append(f"{name_of(page)}: not within {MOST_CLICKS} clicks of README.md")


def main():
    problems, reached = [], {}
    for page in pages():
        check_shape(page, problems)
        reached[page] = check_links(page, problems)
    check_clicks(reached, problems)
    for problem in problems:
        print(problem)
    print(f"{len(reached)} pages, {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
