#!/usr/bin/env python3
"""Builds the site as an installation has it, and checks that it works from disk: usage: site.py

Every link, picture, style and script of every page is a file of the installation. Nothing comes from the network. The search has its index in a
script, and finds the pages that a reader would look for.
"""
import html.parser
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import urllib.parse

ROOT = pathlib.Path(__file__).resolve().parents[2]


class Links(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.links, self.anchors = [], set()

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.anchors |= {attributes[name] for name in ("id", "name") if attributes.get(name)}
        for name in ("href", "src"):
            if attributes.get(name):
                self.links.append((tag, attributes[name]))


def read(page, pages={}):
    if page not in pages:
        pages[page] = Links()
        pages[page].feed(page.read_text())
    return pages[page]


def problem_of(page, tag, link):
    address = urllib.parse.urlparse(link)
    if address.scheme or address.netloc:
        return None if tag == "a" else f"<{tag}> loads {link} from the network"
    target = (page.parent / urllib.parse.unquote(address.path)).resolve() if address.path else page
    if not target.exists():
        return f"`{link}` leads nowhere"
    if address.fragment and target.suffix == ".html" and page.name != "404.html" and urllib.parse.unquote(address.fragment) not in read(target).anchors:
        return f"`{link}`: no such anchor"
    return None


def check_search(site, problems):
    text = (site / "search/search_index.js").read_text()
    index = json.loads(re.fullmatch(r"var searchIndex = (.*);\n", text, re.S)[1])
    found = {entry["location"] for entry in index["docs"]}
    for wanted in ("guides/training.html", "guides/troubleshooting.html", "reference/policy.html", "diagnostics/E0203.html", "CHANGELOG.html"):
        if wanted not in found:
            problems.append(f"the search does not know {wanted}")
    if re.search(r"Worker|XMLHttpRequest|fetch\(", (site / "search/main.js").read_text()):
        problems.append("the search asks a server")


def main():
    problems = []
    with tempfile.TemporaryDirectory() as folder:
        share = pathlib.Path(folder).resolve() / "share"
        (share / "slipway").mkdir(parents=True)
        for name in ("examples", "blueprints"):
            (share / "slipway" / name).symlink_to(ROOT / name)
        site = share / "doc/slipway/html"
        subprocess.run([ROOT / "scripts/site.py", site], check=True, stdout=subprocess.DEVNULL)
        pages = sorted(site.rglob("*.html"))
        for page in pages:
            for tag, link in read(page).links:
                problem = problem_of(page, tag, link)
                if problem and page.name != "404.html":
                    problems.append(f"{page.relative_to(site)}: {problem}")
        check_search(site, problems)
    print(*sorted(set(problems)), sep="\n")
    print(f"{len(pages)} pages, {len(problems)} problems")
    return 1 if problems or len(pages) < 100 else 0


if __name__ == "__main__":
    sys.exit(main())
