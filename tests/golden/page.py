"""Reads a page that a program has written for a browser."""
import html.parser


class Page(html.parser.HTMLParser):
    """Collects the elements, the open ones, and the resources to load."""

    def __init__(self, text):
        super().__init__()
        self.open, self.count, self.fetched = [], {}, []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.count[tag] = self.count.get(tag, 0) + 1
        self.fetched += [value for name, value in attrs if name in ("src", "href")]
        if tag != "meta":
            self.open.append(tag)

    def handle_endtag(self, tag):
        if self.open.pop() != tag:
            raise ValueError(f"</{tag}> closes another")
