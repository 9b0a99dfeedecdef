#!/usr/bin/env python3
"""Gives our manifests to a real server of Kubernetes' API extensions: usage: api_server.py [FOLDER]

FOLDER has the server and etcd, from build_api_server.sh; without an argument, it is $SLIPWAY_API_SERVER or ~/.cache/slipway/api-server. The manifests are those in the
expectations of tests/golden/job. With strict validation, the server has to accept all of their JobSets and objects of Kueue, and to refuse the
same objects with one mistake each. Where there is no server, the strict schemas of the catalogue do the same, and the first line says which it was.

The server's definitions are made of those schemas. What only the projects' own definitions have, rules in CEL, is not in them; $SLIPWAY_CRDS names
a folder with those definitions (*.yaml), which are then used instead. The server has no pods, Jobs and ConfigMaps: the pod of a JobSet is part of
its schema.
"""
import copy, json, os, pathlib, re, socket, ssl, subprocess, sys, tempfile, time, urllib.error, urllib.request

import yaml

sys.dont_write_bytecode = True  # keep the source tree clean
ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/golden"))
from checks import exit_status, same
import job

CLUSTER_WIDE = {"AdmissionCheck", "ClusterQueue", "ProvisioningRequestConfig", "ResourceFlavor", "Topology", "WorkloadPriorityClass", "Network",
                "GKENetworkParamSet"}
DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
MARKS = {"additionalProperties", "const", "anyOf", "unique", "help", "$ref", "properties", "items"}


class Definitions:
    """CRDs that say what the strict schemas say, in the words that the server allows."""

    def __init__(self):
        file = json.loads((ROOT / "blueprints/catalogue/kubernetes_schemas.json").read_text())
        self.definitions = file["definitions"]
        self.kinds = {}
        for schema in file["kinds"]:
            api, kind = (schema["properties"][name]["const"] for name in ("apiVersion", "kind"))
            if "." in api.partition("/")[0] and not api.endswith("k8s.io/v1"):
                self.kinds.setdefault((api.partition("/")[0], kind), {})[api.partition("/")[2]] = schema

    def structural(self, schema):
        while "$ref" in schema:
            schema = self.definitions[schema["$ref"]]
        if "anyOf" in schema:
            return {"x-kubernetes-int-or-string": True}
        made = {key: value for key, value in schema.items() if key not in MARKS}
        if "const" in schema:
            made |= {"type": "string", "enum": [schema["const"]]}
        if "properties" in schema:
            made["properties"] = {name: self.structural(value) for name, value in schema["properties"].items()}
        elif isinstance(schema.get("additionalProperties"), dict):
            made["additionalProperties"] = self.structural(schema["additionalProperties"])
        elif schema.get("type", "object") == "object":
            made["x-kubernetes-preserve-unknown-fields"] = True
        if "items" in schema:
            made["items"] = self.structural(schema["items"])
        made.setdefault("type", "object")
        return made

    def all(self):
        for (group, kind), versions in self.kinds.items():
            served = []
            for number, (version, schema) in enumerate(sorted(versions.items())):
                made = self.structural(schema)
                made["properties"] |= {"metadata": {"type": "object"}, "apiVersion": {"type": "string"}, "kind": {"type": "string"}}
                served.append({"name": version, "served": True, "storage": number + 1 == len(versions), "schema": {"openAPIV3Schema": made}})
            yield {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": {"name": f"{plural(kind)}.{group}"},
                   "spec": {"group": group, "scope": "Cluster" if kind in CLUSTER_WIDE else "Namespaced", "versions": served,
                            "names": {"kind": kind, "listKind": kind + "List", "plural": plural(kind), "singular": kind.lower()}}}


def definitions():
    folder = os.environ.get("SLIPWAY_CRDS")
    if not folder:
        return list(Definitions().all())
    found = [each for path in sorted(pathlib.Path(folder).glob("*.yaml")) for each in yaml.safe_load_all(path.read_text()) if each]
    for each in found:
        each["spec"].pop("conversion", None)  # asks a webhook, which is not there
    return found


def plural(kind):
    name = kind.lower()
    return name[:-1] + "ies" if name.endswith("gy") else name + ("es" if name.endswith("s") else "s")


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


class Server:
    """etcd and the server, in a folder that is removed at the end."""

    def __init__(self, programs, folder):
        self.folder, self.running = folder, []
        etcd, peer, self.port = free_port(), free_port(), free_port()
        self.certificates()
        self.start([programs / "etcd", "--data-dir", folder / "etcd", "--listen-client-urls", f"http://127.0.0.1:{etcd}", "--advertise-client-urls",
                    f"http://127.0.0.1:{etcd}", "--listen-peer-urls", f"http://127.0.0.1:{peer}", "--initial-advertise-peer-urls",
                    f"http://127.0.0.1:{peer}", "--initial-cluster", f"default=http://127.0.0.1:{peer}"], "etcd.log")
        config = folder / "kubeconfig"
        config.write_text(yaml.safe_dump({
            "apiVersion": "v1", "kind": "Config", "current-context": "a", "contexts": [{"name": "a", "context": {"cluster": "a", "user": "a"}}],
            "clusters": [{"name": "a", "cluster": {"server": f"https://127.0.0.1:{self.port}", "insecure-skip-tls-verify": True}}],
            "users": [{"name": "a", "user": {"client-certificate": str(folder / "client.crt"), "client-key": str(folder / "client.key")}}]}))
        self.start([programs / "apiextensions-apiserver", f"--etcd-servers=http://127.0.0.1:{etcd}", "--bind-address=127.0.0.1",
                    f"--secure-port={self.port}", f"--cert-dir={folder}", f"--client-ca-file={folder}/ca.crt", "--authentication-skip-lookup",
                    f"--kubeconfig={config}", f"--authentication-kubeconfig={config}", f"--authorization-kubeconfig={config}",
                    "--disable-admission-plugins=NamespaceLifecycle,MutatingAdmissionWebhook,ValidatingAdmissionWebhook,"
                    "MutatingAdmissionPolicy,ValidatingAdmissionPolicy", "--enable-priority-and-fairness=false"], "server.log")
        self.context = ssl.create_default_context()
        self.context.check_hostname, self.context.verify_mode = False, ssl.CERT_NONE
        self.context.load_cert_chain(folder / "client.crt", folder / "client.key")
        # It never calls itself ready, as it waits for the services of a whole cluster.
        self.wait(lambda: self.ask(DEFINITIONS)[0] == 200, "the server")

    def start(self, command, log):
        self.running.append(subprocess.Popen(command, cwd=self.folder, stdout=(self.folder / log).open("w"), stderr=subprocess.STDOUT))

    def wait(self, done, what):
        for _ in range(600):
            if done():
                return
            if any(process.poll() is not None for process in self.running):
                break
            time.sleep(0.2)
        raise SystemExit(f"{what} does not come up:\n" + "".join(path.read_text()[-3000:] for path in sorted(self.folder.glob("*.log"))))

    def certificates(self):
        """Of a client that may do everything, whose authority the server trusts."""
        openssl = lambda *words: subprocess.run(["openssl", *words], cwd=self.folder, check=True, capture_output=True)
        openssl("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", "ca.key", "-out", "ca.crt", "-subj", "/CN=authority", "-days", "2")
        openssl("req", "-newkey", "rsa:2048", "-nodes", "-keyout", "client.key", "-out", "client.csr", "-subj", "/O=system:masters/CN=test")
        openssl("x509", "-req", "-in", "client.csr", "-CA", "ca.crt", "-CAkey", "ca.key", "-CAcreateserial", "-out", "client.crt", "-days", "2")

    def ask(self, path, body=None):
        """The status and the answer."""
        request = urllib.request.Request(f"https://127.0.0.1:{self.port}{path}", None if body is None else json.dumps(body).encode(),
                                         {"Content-Type": "application/json", "Accept": "application/json"})
        try:
            with urllib.request.urlopen(request, context=self.context, timeout=60) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            return error.code, error.read().decode()
        except OSError as error:
            return 0, str(error)

    def define(self, crds):
        for crd in crds:
            status, answer = self.ask(DEFINITIONS, crd)
            same(f"definition of {crd['spec']['names']['kind']}", status == 201 or answer, True)
        established = lambda name: '"type":"Established"' in re.sub(r"\s", "", self.ask(f"{DEFINITIONS}/{name}")[1])
        for crd in crds:
            self.wait(lambda name=crd["metadata"]["name"]: established(name), crd["metadata"]["name"])
        self.scopes = {(crd["spec"]["group"], crd["spec"]["names"]["kind"]): (crd["spec"]["names"]["plural"], crd["spec"]["scope"]) for crd in crds}

    def knows(self, each):
        return (each["apiVersion"].partition("/")[0], each["kind"]) in self.scopes

    def wrong(self, each):
        """What the server says about an object; empty if it would take it."""
        plural_name, scope = self.scopes[each["apiVersion"].partition("/")[0], each["kind"]]
        space = "" if scope == "Cluster" else f"namespaces/{each['metadata'].get('namespace', 'default')}/"
        path = f"/apis/{each['apiVersion']}/{space}{plural_name}?dryRun=All&fieldValidation=Strict"
        for _ in range(100):  # a definition is served a moment after it is established
            status, answer = self.ask(path, each)
            if status != 404:
                break
            time.sleep(0.1)
        return "" if status == 201 else json.loads(answer)["message"] if answer.startswith("{") else answer

    def end(self):
        for process in reversed(self.running):
            process.terminate()
        for process in self.running:
            process.wait()


class Schemas:
    """The strict schemas, where there is no server."""

    def __init__(self):
        self.known = job.validators()

    def knows(self, each):
        return each["kind"] in self.known and each["kind"] not in ("ConfigMap", "Secret")

    def wrong(self, each):
        return "; ".join(error.message for error in self.known[each["kind"]].iter_errors(each))


def objects():
    """The objects in the expectations of the golden tests, once each."""
    found = {}
    for path in sorted((ROOT / "tests/golden/job").glob("ok-*.out")):
        for text in job.manifests(path.read_text()):
            for each in yaml.safe_load_all(text):
                if each and "kind" in each:
                    found.setdefault(json.dumps(each, sort_keys=True), (f"{path.stem}: {each['kind']}", each))
    return found.values()


def mistakes(each):
    """The object with one mistake, each with its name."""
    def with_change(name, change):
        made = copy.deepcopy(each)
        if change(made) is not False:
            yield name, made
    spec = each.get("spec", {})
    if each["kind"] == "JobSet":
        pod = lambda made: made["spec"]["replicatedJobs"][0]["template"]["spec"]["template"]["spec"]
        job_spec = lambda made: made["spec"]["replicatedJobs"][0]["template"]["spec"]
        yield from with_change("a field that a JobSet has not", lambda made: made["spec"].update(restartPolicy="Never"))
        yield from with_change("pods in words", lambda made: job_spec(made).update(completions="two"))
        yield from with_change("a misspelled field of the pod", lambda made: pod(made).update(nodeSelectors={"a": "b"}))
        yield from with_change("a selector with a number", lambda made: pod(made).update(nodeSelector={"a": 4}))
        yield from with_change("a container without a name", lambda made: pod(made)["containers"][0].pop("name") and None)
        yield from with_change("a variable with a number", lambda made: pod(made)["containers"][0]["env"].append({"name": "A", "value": 1}))
        yield from with_change("a policy without its rules' action", lambda made: made["spec"].update(failurePolicy={"rules": [{"name": "a"}]}))
        yield from with_change("a mapping instead of a list of volumes", lambda made: pod(made).update(volumes={"name": "a"}))
    elif each["kind"] == "ClusterQueue":
        yield from with_change("admission checks where only v1beta1 has them", lambda made: made["spec"].update(admissionChecks=["dws-prov"]))
        yield from with_change("a cohort as in v1beta1", lambda made: made["spec"].update(cohort="all"))
        yield from with_change("groups without flavors", lambda made: made["spec"]["resourceGroups"][0].pop("flavors") and None)
    elif spec:
        yield from with_change("a field that it has not", lambda made: made["spec"].update(noSuchField=True))
        yield from with_change("a specification that is a text", lambda made: made.update(spec="x"))


def check(judge):
    count = 0
    for name, each in objects():
        if not judge.knows(each):
            continue
        count += 1
        same(name, judge.wrong(each), "")
        for mistake, wrong in mistakes(each):
            same(f"{name}, {mistake}: is refused", judge.wrong(wrong) != "", True)
    same("there are manifests", count > 20, True)


def main():
    programs = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else os.environ.get("SLIPWAY_API_SERVER") or "~/.cache/slipway/api-server").expanduser()
    if not all((programs / name).exists() for name in ("etcd", "apiextensions-apiserver")):
        print("judged by the strict schemas: no API server is here (tests/kubernetes/build_api_server.sh builds one)")
        check(Schemas())
        return exit_status()
    with tempfile.TemporaryDirectory() as folder:
        server = Server(programs.resolve(), pathlib.Path(folder))
        try:
            print("judged by the API server, with " + ("the definitions of " + os.environ["SLIPWAY_CRDS"] if os.environ.get("SLIPWAY_CRDS")
                                                       else "definitions made of the strict schemas"), flush=True)
            server.define(definitions())
            check(server)
        finally:
            server.end()
    return exit_status()


if __name__ == "__main__":
    sys.exit(main())
