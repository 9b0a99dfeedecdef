"""Compute Engine: finds what a method does with which resource, and who may call it."""
import copy, re

from compute import collections, rules
from compute.bulk import Bulk
from compute.facts import Facts
from compute.filters import Filter, partial
from compute.groups import Groups
from compute.instances import Instances
from compute.operations import Operations
from errors import Refusal, exists, in_use, missing, not_found
from links import check_name, link, name_of, part, path_of, strings

# Names of collections in methods that differ from those in paths.
IN_PATHS = {"globalAddresses": "addresses", "regionInstances": "instances", "regionInstanceGroupManagers": "instanceGroupManagers",
            "instanceGroupManagerResizeRequests": "resizeRequests", "regionInstanceGroupManagerResizeRequests": "resizeRequests", "zoneOperations": "operations",
            "regionOperations": "operations", "globalOperations": "operations"}
IN_RIGHTS = {"regionInstances": "instances", "regionInstanceGroupManagers": "instanceGroupManagers",
             "regionInstanceGroupManagerResizeRequests": "instanceGroupManagerResizeRequests"}
VERBS = {"insert": "create", "bulkInsert": "create", "aggregatedList": "list", "wait": "get", "patch": "update"}
SCOPES = ("zone", "region")


class Compute:
    def __init__(self, cloud):
        self.cloud, self.operations = cloud, Operations(cloud)
        self.instances, self.bulk, self.groups, self.facts = Instances(self), Bulk(self), Groups(self), Facts(self)

    def call(self, method, params, query, body, caller):
        owner, verb = method.name.split(".")
        collection = IN_PATHS.get(owner, owner)
        project = f"projects/{params['project']}"
        if owner == "projects":
            return self.facts.project(params)
        of = IN_RIGHTS.get(owner, owner)
        permission = self.cloud.rights.needed.get(f"compute:{of}.{verb}", f"compute.{of}.{VERBS.get(verb, verb)}")
        self.cloud.rights.require(caller, permission, project)
        place = next((f"{project}/{scope}s/{params[scope]}" for scope in SCOPES if scope in params), f"{project}/global")
        if owner in ("zones", "regions", "machineTypes", "diskTypes", "acceleratorTypes"):
            return self.facts.answer(owner, verb, project, params, query)
        call = Call(self, method, owner, collection, verb, project, place, params, query, body, caller)
        for handler in (self.instances, self.bulk, self.groups, collections):
            special = getattr(handler, f"{collection}_{verb}", None)
            if special:
                return special(call)
        return getattr(self, f"do_{verb}", self.unsupported)(call)

    @staticmethod
    def unsupported(call):
        raise Refusal(501, f"the stand-in does not support {call.method.name}")

    # resources in general

    def need(self, path):
        resource = self.cloud.get("compute", path)
        if resource is None:
            raise not_found(path)
        return resource

    def do_get(self, call):
        return partial(self.shown(call.path, self.need(call.path)), call.query.get("fields"))

    def shown(self, path, resource):
        """A resource as an answer, with what follows from others."""
        return collections.with_users(self, path, copy.deepcopy(resource))

    def do_list(self, call):
        prefix = f"{call.place}/{call.collection}/"
        wanted = Filter(call.query.get("filter", ""))
        found = [self.shown(path, one) for path, one in self.cloud.under("compute", prefix) if wanted(one)]
        page, more = paged(found, call.query)
        answer = {"kind": f"compute#{call.collection.rstrip('s')}List", "id": prefix.rstrip("/"), "selfLink": link(prefix.rstrip("/")), **more}
        return partial({**answer, "items": page} if page else answer, call.query.get("fields"))

    def do_aggregatedList(self, call):
        wanted = Filter(call.query.get("filter", ""))
        found = []
        for path, one in self.cloud.under("compute", call.project + "/"):
            at = re.fullmatch(rf"{re.escape(call.project)}/((?:zones|regions)/[^/]+|global)/{call.collection}/[^/]+", path)
            if at and wanted(one):
                found.append((at[1], self.shown(path, one)))
        page, more = paged(found, call.query)
        items = {}
        for place, one in page:
            items.setdefault(place, {call.collection: []})[call.collection].append(one)
        if not items:
            items = {"global": {"warning": {"code": "NO_RESULTS_ON_PAGE", "message": "There are no results for scope 'global' on this page."}}}
        return partial({"kind": f"compute#{call.collection.rstrip('s')}AggregatedList", "id": f"{call.project}/aggregated/{call.collection}",
                        "items": items, **more}, call.query.get("fields"))

    def do_insert(self, call):
        name = call.body.get("name")
        if not name:
            raise missing("resource.name")
        check_name("resource.name", name)
        path = f"{call.place}/{call.collection}/{name}"
        if self.cloud.get("compute", path) is not None:
            raise exists(path)
        rules.check_labels("resource.labels", call.body.get("labels", {}))
        resource = self.made(path, call.collection, call.body)
        getattr(rules, f"check_{call.collection}", lambda *_: None)(self, path, resource)
        self.cloud.put("compute", path, resource)
        resource["status"] = "CREATING" if "status" in resource else resource.get("status")
        if resource["status"] is None:
            del resource["status"]

        def ready():
            if "status" in resource:
                resource["status"] = collections.READY.get(call.collection, "READY")
        return self.operations.start(call.place, "insert", path, call.caller, ready)

    def made(self, path, collection, body):
        """A resource with what the cloud adds."""
        resource = copy.deepcopy(body)
        resource.update(kind=f"compute#{collection.rstrip('s')}", id=self.cloud.new_id(), selfLink=link(path),
                        creationTimestamp=collections.now(self.cloud))
        place = path.rsplit("/", 2)[0]
        for scope in SCOPES:
            if f"/{scope}s/" in place:
                resource[scope] = link(place)
        if collection in collections.READY:
            resource["status"] = collections.READY[collection]
        if collection in ("addresses", "disks", "images", "instances"):
            resource["labelFingerprint"] = collections.fingerprint(resource.get("labels", {}))
        return resource

    def do_delete(self, call):
        self.need(call.path)
        self.check_unused(call.path)
        return self.operations.start(call.place, "delete", call.path, call.caller, lambda: self.cloud.remove("compute", call.path) and None)

    def check_unused(self, path):
        """Throws Refusal if another resource refers to this one. A link to what another was made from is ignored."""
        project = path.split("/")[1]
        for key, other in self.cloud.resources.items():
            service, other_path = key.split("/", 1)
            if service not in ("compute", "file", "lustre") or other_path == path or "/operations/" in other_path:
                continue
            if "/routes/" in other_path and collections.belongs_to_network(other, path):
                continue
            for field, text in strings(other):
                if field == "network" and "/" not in text:  # Filestore's networks may be names
                    text = f"projects/{part(other_path, 'projects')}/global/networks/{text}"
                if field in NO_REFERENCE or name_of(path) not in text or "/" not in text:
                    continue
                if path_of(text, project) == path and not (field == "resourcePolicies" and "/instanceTemplates/" in other_path):
                    raise in_use(path, other_path)

    def do_patch(self, call):
        resource = self.need(call.path)
        changed = {**resource, **{key: value for key, value in call.body.items() if key not in ("name", "fingerprint")}}
        getattr(rules, f"check_{call.collection}", lambda *_: None)(self, call.path, changed)
        resource.clear()
        resource.update(changed)
        self.cloud.put("compute", call.path, resource)
        return self.operations.start(call.place, call.verb, call.path, call.caller)

    do_update = do_patch

    def do_setLabels(self, call):
        resource = self.need(call.path)
        rules.check_labels("labels", call.body.get("labels", {}))
        if call.body.get("labelFingerprint") != resource.get("labelFingerprint"):
            raise Refusal(412, "Labels fingerprint either invalid or resource labels have changed", "conditionNotMet")
        resource["labels"] = call.body.get("labels", {})
        resource["labelFingerprint"] = collections.fingerprint(resource["labels"])
        self.cloud.put("compute", call.path, resource)
        return self.operations.start(call.place, "setLabels", call.path, call.caller)

    def do_wait(self, call):
        """The cloud answers after two minutes at most; the stand-in at once: the service does not promise more."""
        return self.do_get(call)

    def preempt(self, names):
        self.instances.preempt(names)


class Call:
    """A request, and what its path says."""

    def __init__(self, compute, method, owner, collection, verb, project, place, params, query, body, caller):
        self.compute, self.cloud, self.method, self.owner, self.collection, self.verb = compute, compute.cloud, method, owner, collection, verb
        self.project, self.place, self.params, self.query, self.body, self.caller = project, place, params, query, body, caller
        items = [value for key, value in params.items() if key not in ("project", *SCOPES)]
        self.scope = place  # where its operations are
        if collection in PARTS_OF:
            self.place = f"{place}/{PARTS_OF[collection]}/{items[0]}"
            self.path = f"{self.place}/{collection}/{items[-1]}"
        else:
            self.path = f"{place}/{collection}/{items[-1]}" if items else ""


# Collections whose items are parts of another resource.
PARTS_OF = {"reservationBlocks": "reservations", "resizeRequests": "instanceGroupManagers"}
NO_REFERENCE = {"selfLink", "sourceImage", "sourceInstanceTemplate", "sourceSnapshot", "targetLink", "id", "zone", "region", "licenses", "users"}


def paged(found, query):
    """A page of a list, and the token of the next. A service may give less than maxResults: these give a quarter of the list."""
    size = min(int(query.get("maxResults", 500)), max(2, -(-len(found) // 4)))
    key = lambda one: one["name"] if isinstance(one, dict) else f"{one[0]}/{one[1]['name']}"
    rest = [one for one in sorted(found, key=key) if key(one) > query.get("pageToken", "")]
    return rest[:size], {"nextPageToken": key(rest[size - 1])} if len(rest) > size else {}
