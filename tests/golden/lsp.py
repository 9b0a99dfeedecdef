#!/usr/bin/env python3
"""Talks to `slipway lsp` as an editor does: usage: lsp.py SLIPWAY"""
import json, pathlib, re, select, subprocess, sys, tempfile, urllib.parse

sys.dont_write_bytecode = True  # keep the source tree clean
from run import HERE, ROOT, installed

BLUEPRINT = """\
blueprint_name: small
vars:
  project_id: my-project
  deployment_name: d
  region: us-central1
  zone: us-central1-a
  size: 5
deployment_groups:
- group: primary
  modules:
  - id: network
    source: modules/network/vpc
  - id: homefs
    source: modules/file-system/filestore
    use: [network]
    settings:
      local_mount: /home
      size_gb: $(vars.size * 1024)
      name: é😀-$(network.network_name)
"""


class Client:
    """An editor: sends messages, and keeps notifications for later."""

    def __init__(self, slipway):
        words = slipway if isinstance(slipway, list) else [slipway]  # with what runs it
        self.process = subprocess.Popen([*words, "lsp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, bufsize=0)
        self.next_id = 0
        self.notifications = []

    def send_bytes(self, body, header=None):
        self.process.stdin.write((header or f"Content-Length: {len(body)}\r\n\r\n").encode() + body)

    def send(self, **message):
        self.send_bytes(json.dumps({"jsonrpc": "2.0", **message}).encode())

    def notify(self, method, params):
        self.send(method=method, params=params)

    def receive(self):
        if not select.select([self.process.stdout], [], [], 120)[0]:
            raise SystemExit("the server does not answer")
        header = b""
        while not header.endswith(b"\r\n\r\n"):
            byte = self.process.stdout.read(1)
            if not byte:
                raise EOFError(self.process.stderr.read().decode())
            header += byte
        left = int(re.search(rb"Content-Length: (\d+)", header)[1])
        body = b""
        while len(body) < left:
            body += self.process.stdout.read(left - len(body))
        message = json.loads(body)
        if message["jsonrpc"] != "2.0":
            raise SystemExit(f"not a message of JSON-RPC: {message}")
        return message

    def answer(self):
        """The next response; notifications before it are kept."""
        while True:
            message = self.receive()
            if "method" not in message:
                return message
            self.notifications.append(message)

    def ask(self, method, params=None):
        self.next_id += 1
        self.send(id=self.next_id, method=method, params=params or {})
        answer = self.answer()
        if answer["id"] != self.next_id:
            raise SystemExit(f"an answer to another request: {answer}")
        return answer.get("error", answer.get("result"))

    def diagnostics(self):
        """What is published next."""
        while True:
            message = self.notifications.pop(0) if self.notifications else self.receive()
            if message.get("method") == "textDocument/publishDiagnostics":
                return message["params"]

    def start(self, **capabilities):
        result = self.ask("initialize", {"processId": None, "rootUri": None, "capabilities": capabilities})
        self.notify("initialized", {})
        return result

    def open(self, uri, text, version=1):
        self.notify("textDocument/didOpen", {"textDocument": {"uri": uri, "languageId": "yaml", "version": version, "text": text}})
        return self.diagnostics()

    def end(self):
        self.ask("shutdown")
        self.notify("exit", {})
        return self.process.wait(60)


class Text:
    """A text in which places are found by what is written there."""

    def __init__(self, uri, text):
        self.uri, self.text = uri, text

    def place(self, before, units=2):
        """The position right after `before`, in units of UTF-16."""
        at = self.text.index(before) + len(before)
        line = self.text.count("\n", 0, at)
        begin = self.text.rfind("\n", 0, at) + 1
        count = lambda text: len(text.encode("utf-16-le")) // 2 if units == 2 else len(text.encode())
        return {"line": line, "character": count(self.text[begin:at])}

    def at(self, before, **more):
        return {"textDocument": {"uri": self.uri}, "position": self.place(before), **more}

    def offset(self, position):
        begin = 0
        for _ in range(position["line"]):
            begin = self.text.index("\n", begin) + 1
        return begin + len(self.text[begin:].encode("utf-16-le")[:2 * position["character"]].decode("utf-16-le"))

    def edited(self, edits):
        text = self.text
        for edit in sorted(edits, key=lambda e: self.offset(e["range"]["start"]), reverse=True):
            begin, end = (self.offset(edit["range"][side]) for side in ("start", "end"))
            text = text[:begin] + edit["newText"] + text[end:]
        return text


class Tests:
    def __init__(self, program, folder):
        self.slipway = installed(program, folder / "prefix")
        docs = folder / "prefix/share/doc"
        docs.mkdir(parents=True)
        (docs / "slipway").symlink_to(ROOT / "docs")
        self.folder = folder
        self.uri = (folder / "a b.yaml").as_uri()
        self.count = self.failed = 0

    def same(self, what, got, expected):
        self.count += 1
        if got != expected:
            self.failed += 1
            print(f"FAIL {what}\n  expected {expected!r}\n  got      {got!r}")

    def ready(self, text=BLUEPRINT):
        client = Client(self.slipway)
        client.start()
        return client, Text(self.uri, text), client.open(self.uri, text)

    def lifecycle(self):
        client = Client(self.slipway)
        self.same("before initialize", client.ask("textDocument/hover")["code"], -32002)
        self.same("UTF-16 by default", client.start()["capabilities"]["positionEncoding"], "utf-16")
        self.same("initialize again", client.ask("initialize")["code"], -32600)
        self.same("unknown method", client.ask("workspace/nothing")["code"], -32601)
        self.same("wrong parameters", client.ask("textDocument/hover", {"textDocument": 5})["code"], -32602)
        client.notify("nothing/known", {})
        for body, code in ((b"{", -32700), (b"[]", -32600), (b"5", -32600), (b'{"jsonrpc":"2.0","id":[],"method":"x"}', -32600),
                           (b"[" * 100000, -32600), (b'{"jsonrpc":"2.0","id":1,"method":"\xff"}', -32700)):
            client.send_bytes(body)
            answer = client.answer()
            self.same(f"{body[:40]}", (answer["id"], answer["error"]["code"]), (None, code))
        client.send_bytes(b" " * (20 << 20))
        self.same("a huge message", client.answer()["error"]["code"], -32600)
        # In one piece, so that the second is there before the first is answered.
        many = [{"id": 1000 + i, "method": "textDocument/hover", "params": {}} for i in range(50)]
        many.append({"method": "$/cancelRequest", "params": {"id": 1049}})
        bodies = [json.dumps({"jsonrpc": "2.0", **message}).encode() for message in many]
        client.process.stdin.write(b"".join(f"Content-Length: {len(b)}\r\n\r\n".encode() + b for b in bodies))
        answers = {answer["id"]: answer["error"]["code"] for answer in (client.answer() for _ in range(50))}
        self.same("a cancelled request", answers[1049], -32800)
        self.same("the others", {answers[i] for i in range(1000, 1049)}, {-32602})
        self.same("shutdown", client.ask("shutdown"), None)
        self.same("after shutdown", client.ask("textDocument/hover")["code"], -32600)
        client.notify("exit", {})
        self.same("exit", client.process.wait(60), 0)
        client = Client(self.slipway)
        client.notify("exit", {})
        self.same("exit without shutdown", client.process.wait(60), 1)
        client = Client(self.slipway)
        client.send_bytes(b"", header="Length: x\r\n\r\n")
        self.same("a broken header", (client.process.wait(60), b"Content-Length" in client.process.stderr.read()), (1, True))

    def diagnostics(self):
        client, _, found = self.ready()
        self.same("a good blueprint", [d["message"] for d in found["diagnostics"] if d["severity"] == 1], [])
        wrong = BLUEPRINT.replace("local_mount", "local_muont")
        client.notify("textDocument/didChange", {"textDocument": {"uri": self.uri, "version": 2}, "contentChanges": [{"text": wrong}]})
        found = client.diagnostics()
        text = Text(self.uri, wrong)
        one = next(d for d in found["diagnostics"] if d["code"] == "E0203")
        self.same("its place", one["range"], {"start": text.place("settings:\n      "), "end": text.place("local_muont")})
        self.same("its hint", "did you mean `local_mount`?" in one["message"], True)
        self.same("its version", found["version"], 2)
        page = pathlib.Path(urllib.parse.unquote(urllib.parse.urlparse(one["codeDescription"]["href"]).path))
        self.same("its page", page.read_text().startswith("# E0203"), True)
        (self.folder / "w.yaml").write_text(wrong)
        check = subprocess.run([self.slipway, "check", self.folder / "w.yaml", "--json"], capture_output=True, text=True)
        self.same("the same as slipway check", sorted(d["code"] for d in found["diagnostics"]),
                  sorted(d["code"] for d in json.loads(check.stdout)["diagnostics"]))
        # What changed only, after characters that UTF-16 counts twice.
        place = text.place("é😀-")
        back = text.place("settings:\n      ")
        client.notify("textDocument/didChange", {"textDocument": {"uri": self.uri, "version": 3}, "contentChanges": [
            {"range": {"start": place, "end": place}, "text": "x"},
            {"range": {"start": back, "end": {"line": back["line"], "character": back["character"] + 11}}, "text": "local_mount"}]})
        client.diagnostics()
        expected = BLUEPRINT.replace("é😀-", "é😀-x")
        self.same("formatting sees the changes", client.ask("textDocument/formatting", {
            "textDocument": {"uri": self.uri}, "options": {}}), [])
        place = Text(self.uri, expected).at("é😀-x$(net")
        self.same("and so does hover", client.ask("textDocument/definition", place)["range"]["start"]["line"], 10)
        twice = BLUEPRINT.replace("  - id: homefs", "  - id: network")
        found = client.open((self.folder / "c.yaml").as_uri(), twice)
        related = [r for d in found["diagnostics"] for r in d.get("relatedInformation", [])]
        self.same("the other place", related[0]["location"]["range"]["start"]["line"] if related else None, 10)
        self.same("other YAML is not a blueprint", client.open((self.folder / "x.yaml").as_uri(), "a: 1\n")["diagnostics"], [])
        self.same("but must be YAML", [d["code"] for d in client.open((self.folder / "x.yaml").as_uri(), "a: [\n")["diagnostics"]], ["E0101"])
        big = client.open((self.folder / "big.yaml").as_uri(), "a" * (2 << 20))["diagnostics"]
        self.same("a text that is too large", len(big), 1)
        client.notify("textDocument/didClose", {"textDocument": {"uri": self.uri}})
        self.same("closed", client.diagnostics()["diagnostics"], [])
        self.same("end", client.end(), 0)

    def same_as_fresh(self):
        """What a server keeps between checks changes nothing: each text is also checked by a server that saw no other."""
        whole = (HERE / "create/ok-slurm.yaml").read_text()
        lines = whole.splitlines(keepends=True)
        texts = [whole]
        for number, line in enumerate(lines):
            key, colon, value = line.rpartition(": ")
            if colon and value.strip() and "#" not in line and number % 3 == 0:
                texts += ["".join(lines[:number] + [f"{key}: {new}\n"] + lines[number + 1:]) for new in ("-5", "Odd_one")] + [whole]
        client = Client(self.slipway)
        client.start()
        found = [client.open(self.uri, texts[0])["diagnostics"]]
        for text in texts[1:]:
            client.notify("textDocument/didChange", {"textDocument": {"uri": self.uri, "version": 2}, "contentChanges": [{"text": text}]})
            found.append(client.diagnostics()["diagnostics"])
        client.end()
        fresh = {}
        for text in dict.fromkeys(texts):
            client = Client(self.slipway)
            client.start()
            fresh[text] = client.open(self.uri, text)["diagnostics"]
            client.end()
        self.same("checks one after another", found, [fresh[text] for text in texts])
        self.same("some texts have mistakes", len({json.dumps(one) for one in found}) > 10, True)

    def labels(self, client, text, before):
        return [item["label"] for item in client.ask("textDocument/completion", text.at(before))["items"]]

    def completion(self):
        client, text, _ = self.ready()
        self.same("ids in use", self.labels(client, text, "use: ["), ["network"])
        self.same("variables", self.labels(client, text, "$(vars."), ["project_id", "deployment_name", "region", "zone", "size"])
        self.same("outputs", "network_name" in self.labels(client, text, "$(network."), True)
        sources = self.labels(client, text, "source: modules/fi")
        self.same("sources", ("modules/network/vpc" in sources, len(sources) > 50), (True, True))
        # While a line is being written, the text is often no YAML.
        typed = Text(self.uri, BLUEPRINT + "      \n  - id: x\n    source: modules/network/vpc\n    settings:\n      mtu: 1460\n      [")
        client.open(self.uri, typed.text)
        settings = self.labels(client, typed, "network_name)\n      ")
        self.same("settings", ("filestore_tier: " in settings, "local_mount: " in settings, "mtu: " in settings), (True, False, False))
        items = client.ask("textDocument/completion", typed.at("network_name)\n      "))["items"]
        tier = next(item for item in items if item["label"] == "filestore_tier: ")
        self.same("their type and default", tier["detail"].startswith("string, default "), True)
        value = Text(self.uri, BLUEPRINT + "      filestore_tier: \n")
        client.open(self.uri, value.text)
        self.same("values", "BASIC_SSD" in self.labels(client, value, "filestore_tier: "), True)
        empty = Text(self.uri, "\n")
        client.open(self.uri, empty.text)
        self.same("the first key", "blueprint_name: " in self.labels(client, empty, "\n"), True)
        client.end()

    def hover(self):
        client, text, _ = self.ready()
        says = lambda before: (client.ask("textDocument/hover", text.at(before)) or {}).get("contents", {}).get("value", "")
        self.same("a module", "modules/network/vpc" in says("source: modules/net"), True)
        self.same("a setting", ("local_mount" in says("settings:\n      loc"), "string" in says("settings:\n      loc")), (True, True))
        self.same("a variable", "us-central1-a" in says("\n  zo"), True)
        self.same("nothing", client.ask("textDocument/hover", text.at("deployment_gr")), None)
        wrong = Text(self.uri, BLUEPRINT.replace("local_mount", "local_muont"))
        client.open(self.uri, wrong.text)
        text = wrong
        self.same("a diagnostic", "E0203" in says("settings:\n      loc"), True)
        client.end()

    def names(self):
        client, text, _ = self.ready()
        line = lambda before: (client.ask("textDocument/definition", text.at(before)) or {}).get("range", {}).get("start", {}).get("line")
        self.same("definition of an id in use", line("use: [net"), 10)
        self.same("of an id in an expression", line("$(net"), 10)
        self.same("of a variable", line("$(vars.si"), 6)
        self.same("of a group", line("group: pri"), 8)
        self.same("of nothing", line("blueprint_n"), None)
        edits = client.ask("textDocument/rename", text.at("use: [net", newName="net-1"))["changes"][self.uri]
        self.same("rename of a module", text.edited(edits), BLUEPRINT.replace("id: network", "id: net-1").replace("[network]", "[net-1]").replace("$(network.", "$(net-1."))
        edits = client.ask("textDocument/rename", text.at("$(vars.s", newName="terabytes"))["changes"][self.uri]
        self.same("rename of a variable", text.edited(edits), BLUEPRINT.replace("  size:", "  terabytes:").replace("vars.size", "vars.terabytes"))
        self.same("a name that is taken", client.ask("textDocument/rename", text.at("id: net", newName="homefs"))["code"], -32803)
        self.same("no name", client.ask("textDocument/rename", text.at("id: net", newName="a b"))["code"], -32602)
        self.same("a variable that sets by its name", "sets `" in client.ask(
            "textDocument/rename", text.at("\n  zo", newName="place"))["message"], True)
        self.same("nothing to rename", client.ask("textDocument/rename", text.at("blueprint_n", newName="x"))["code"], -32803)
        client.end()

    def names_in_several_files(self):
        """A part that a blueprint includes: closed, then open and changed."""
        folder = self.folder / "several files"
        folder.mkdir()
        head, _, module = BLUEPRINT.partition("  - id: homefs")
        part = "deployment_groups:" + head.partition("deployment_groups:")[2]
        (folder / "part.yaml").write_text(part)
        whole = "include: [part.yaml]\n" + head.partition("  - id: network")[0] + "  - id: homefs" + module
        (folder / "whole.yaml").write_text(whole)
        uri = {name: "file://" + urllib.parse.quote(str(folder / name)) for name in ("whole.yaml", "part.yaml")}
        client = Client(self.slipway)
        client.start()
        client.open(uri["whole.yaml"], whole)
        text = Text(uri["whole.yaml"], whole)
        place = client.ask("textDocument/definition", text.at("use: [net"))
        self.same("definition in an included file", (place["uri"], place["range"]["start"]["line"]), (uri["part.yaml"], 3))
        changes = client.ask("textDocument/rename", text.at("use: [net", newName="lan"))["changes"]
        self.same("rename in both files", {one: len(edits) for one, edits in changes.items()}, {uri["whole.yaml"]: 2, uri["part.yaml"]: 1})
        self.same("rename edits the included file", Text(uri["part.yaml"], part).edited(changes[uri["part.yaml"]]),
                  part.replace("id: network", "id: lan"))
        self.same("a name that the included file has",
                  client.ask("textDocument/rename", text.at("- id: home", newName="network"))["message"], "there is another `network`")
        longer = "# one more line\n" + part
        client.open(uri["part.yaml"], longer)
        changes = client.ask("textDocument/rename", Text(uri["part.yaml"], longer).at("- id: net", newName="lan"))["changes"]
        self.same("rename from the included file", (Text(uri["part.yaml"], longer).edited(changes[uri["part.yaml"]]),
                                                    text.edited(changes[uri["whole.yaml"]])),
                  (longer.replace("id: network", "id: lan"), whole.replace("[network]", "[lan]").replace("$(network.", "$(lan.")))
        client.open(uri["part.yaml"], "a: [\n")
        self.same("no rename next to a file that is not YAML", "is not valid YAML" in client.ask(
            "textDocument/rename", text.at("use: [net", newName="lan"))["message"], True)
        client.end()

    def formatting(self):
        messy = BLUEPRINT.replace("  - id", "      - id").replace("    source", "        source").replace("    use", "        use").replace(
            "    settings", "        settings").replace("      local", "            local").replace("      size_gb", "            size_gb").replace(
            "      name", "            name")
        client, text, _ = self.ready(messy)
        edits = client.ask("textDocument/formatting", {"textDocument": {"uri": self.uri}, "options": {}})
        self.same("formatting", text.edited(edits), BLUEPRINT)
        client.open(self.uri, "a: [\n")
        self.same("no formatting of what is wrong", client.ask("textDocument/formatting", {"textDocument": {"uri": self.uri}, "options": {}}), None)
        client.end()

    def bytes_as_units(self):
        client = Client(self.slipway)
        found = client.start(general={"positionEncodings": ["utf-32", "utf-8"]})
        self.same("UTF-8 if offered", found["capabilities"]["positionEncoding"], "utf-8")
        client.open(self.uri, BLUEPRINT)
        text = Text(self.uri, BLUEPRINT)
        answer = client.ask("textDocument/definition", {"textDocument": {"uri": self.uri}, "position": text.place("😀-$(net", units=1)})
        self.same("a place in bytes", answer["range"]["start"]["line"], 10)
        client.end()


def main():
    with tempfile.TemporaryDirectory() as scratch:
        tests = Tests(sys.argv[1], pathlib.Path(scratch))
        tests.lifecycle()
        tests.diagnostics()
        tests.same_as_fresh()
        tests.completion()
        tests.hover()
        tests.names()
        tests.names_in_several_files()
        tests.formatting()
        tests.bytes_as_units()
    print(f"{tests.count} checks, {tests.failed} failed")
    return 1 if tests.failed or not tests.count else 0


if __name__ == "__main__":
    sys.exit(main())
