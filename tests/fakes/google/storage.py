"""Cloud Storage. The content of an object is a file in buckets/BUCKET/: changing it changes the object."""
import base64, copy, email, hashlib, json, re, urllib.parse

from errors import Refusal

MULTIPART = "multipart/related"


class Storage:
    def __init__(self, cloud):
        self.cloud = cloud

    @staticmethod
    def is_upload(path):
        return path.startswith(("/upload/storage/v1/b/", "/resumable/upload/storage/v1/b/"))

    def call(self, method, params, query, body, caller):
        resource, verb = method.name.split(".")
        bucket = params.get("bucket")
        default = f"storage.{resource[:1].lower()}{resource[1:]}.{verb}".replace("anywherecaches", "anywhereCaches")
        permission = self.cloud.rights.needed.get(f"storage:{method.name}", default)
        if resource == "Buckets" and verb in ("insert", "list"):
            self.cloud.rights.require(caller, permission, f"projects/{query.get('project', '')}")
        else:
            self.require(caller, permission, bucket)
        return getattr(self, f"{resource.lower()}_{verb}")(params, query, body)

    def require(self, caller, permission, bucket):
        """As the service does: who may not see a bucket is not told whether it exists."""
        found = self.cloud.get("storage", bucket)
        resources = [f"buckets/{bucket}"] + ([f"projects/{found['project']}"] if found else [])
        if not self.cloud.rights.has(caller, permission, *resources):
            raise Refusal(403, f"{caller.email} does not have {permission} access to the Google Cloud Storage bucket. Permission '{permission}' "
                               "denied on resource (or it may not exist).", "forbidden")
        if found is None:
            raise Refusal(404, "The specified bucket does not exist.", "notFound")

    def bucket(self, name):
        found = self.cloud.get("storage", name)
        if found is None:
            raise Refusal(404, "The specified bucket does not exist.", "notFound")
        return found

    # buckets

    def buckets_insert(self, params, query, body):
        name = body.get("name", "")
        if not re.fullmatch(r"[a-z0-9][a-z0-9._-]{1,61}[a-z0-9]", name) or "google" in name or name.startswith("goog"):
            raise Refusal(400, f"Invalid bucket name: '{name}'", "invalid")
        if "project" not in query:
            raise Refusal(400, "Required parameter: project", "required")
        if self.cloud.get("storage", name) is not None:  # names are unique in the world
            raise Refusal(409, "Your previous request to create the named bucket succeeded and you already own it.", "conflict")
        made = {"kind": "storage#bucket", "id": name, "storageClass": "STANDARD", "locationType": "region", "projectNumber": "1", "metageneration": "1",
                "etag": "CAE=", "selfLink": f"https://www.googleapis.com/storage/v1/b/{name}", "timeCreated": "2026-11-01T00:00:00.000Z",
                "updated": "2026-11-01T00:00:00.000Z", "generation": "1", **body, "project": query["project"]}
        made["location"] = body.get("location", "US").upper()
        made.setdefault("softDeletePolicy", {"retentionDurationSeconds": "604800", "effectiveTime": "2026-11-01T00:00:00.000Z"})
        made.setdefault("iamConfiguration", {}).setdefault("publicAccessPrevention", "inherited")
        made["iamConfiguration"].setdefault("uniformBucketLevelAccess", {"enabled": False})
        (self.cloud.folder / "buckets" / name).mkdir(parents=True, exist_ok=True)
        return shown(self.cloud.put("storage", name, made))

    def buckets_get(self, params, query, body):
        return shown(self.bucket(params["bucket"]))

    def buckets_list(self, params, query, body):
        return {"kind": "storage#buckets", "items": [shown(one) for path, one in self.cloud.under("storage", "") if "/" not in path
                                                     and one["project"] == query.get("project")]}

    def buckets_patch(self, params, query, body):
        bucket = self.bucket(params["bucket"])
        for key in ("name", "location"):
            if key in body and body[key].upper() != bucket[key].upper():
                raise Refusal(400, f"The {key} of a bucket cannot be changed.", "invalid")
        bucket.update({key: value for key, value in body.items() if key != "location"})
        bucket["metageneration"] = str(int(bucket["metageneration"]) + 1)
        return shown(bucket)

    buckets_update = buckets_patch

    def buckets_delete(self, params, query, body):
        if self.files(params["bucket"]):
            raise Refusal(409, "The bucket you tried to delete is not empty.", "conflict")
        self.cloud.remove("storage", params["bucket"])
        self.cloud.policies.pop(f"buckets/{params['bucket']}", None)
        for folder in sorted(self.folder(params["bucket"]).rglob("*"), reverse=True):
            folder.rmdir()
        self.folder(params["bucket"]).rmdir()
        return b""

    def buckets_getIamPolicy(self, params, query, body):
        return copy.deepcopy(self.cloud.policy(f"buckets/{params['bucket']}"))

    def buckets_setIamPolicy(self, params, query, body):
        return self.cloud.services["iam"].set_policy(f"buckets/{params['bucket']}", body)

    # objects

    def folder(self, bucket):
        return self.cloud.folder / "buckets" / bucket

    def files(self, bucket):
        return sorted(file for file in self.folder(bucket).rglob("*") if file.is_file())

    def file(self, bucket, name):
        return self.folder(bucket) / name

    def object(self, bucket, name, file=None):
        file = file or self.file(bucket, name)
        if not file.is_file():
            raise Refusal(404, f"No such object: {bucket}/{name}", "notFound")
        data, known = file.read_bytes(), self.cloud.get("storage", f"{bucket}/o/{name}") or {}
        generation = str(file.stat().st_mtime_ns // 1000)
        return {"kind": "storage#object", "id": f"{bucket}/{name}/{generation}", "storageClass": "STANDARD", **known, "name": name, "bucket": bucket,
                "size": str(len(data)), "md5Hash": base64.b64encode(hashlib.md5(data).digest()).decode(), "crc32c": "AAAAAA==",
                "generation": generation, "metageneration": "1", "etag": "CAE=", "timeCreated": "2026-11-01T00:00:00.000Z",
                "updated": "2026-11-01T00:00:00.000Z", "timeStorageClassUpdated": "2026-11-01T00:00:00.000Z",
                "mediaLink": f"https://storage.googleapis.com/download/storage/v1/b/{bucket}/o/{urllib.parse.quote(name, safe='')}?alt=media",
                "selfLink": f"https://www.googleapis.com/storage/v1/b/{bucket}/o/{urllib.parse.quote(name, safe='')}"}

    def objects_get(self, params, query, body):
        found = self.object(params["bucket"], params["object"])
        self.check_generation(found, query)
        return self.file(params["bucket"], params["object"]).read_bytes() if query.get("alt") == "media" else found

    @staticmethod
    def check_generation(found, query):
        if query.get("ifGenerationMatch") not in (None, found["generation"]):
            raise Refusal(412, "At least one of the pre-conditions you specified did not hold.", "conditionNotMet")

    def objects_list(self, params, query, body):
        bucket, prefix, delimiter = params["bucket"], query.get("prefix", ""), query.get("delimiter")
        items, prefixes = [], set()
        for file in self.files(bucket):
            name = str(file.relative_to(self.folder(bucket)))
            if name.startswith(prefix):
                rest = name[len(prefix):]
                if delimiter and delimiter in rest:
                    prefixes.add(prefix + rest.split(delimiter)[0] + delimiter)
                else:
                    items.append(self.object(bucket, name, file))
        return {"kind": "storage#objects", **({"items": items} if items else {}), **({"prefixes": sorted(prefixes)} if prefixes else {})}

    def objects_delete(self, params, query, body):
        self.object(params["bucket"], params["object"])
        self.file(params["bucket"], params["object"]).unlink()
        self.cloud.remove("storage", f"{params['bucket']}/o/{params['object']}")
        return b""

    def objects_patch(self, params, query, body):
        self.object(params["bucket"], params["object"])
        known = self.cloud.get("storage", f"{params['bucket']}/o/{params['object']}") or {}
        self.cloud.put("storage", f"{params['bucket']}/o/{params['object']}", {**known, **body})
        return self.object(params["bucket"], params["object"])

    def objects_insert(self, params, query, body):
        raise Refusal(400, "Upload requests must use /upload/storage/v1/b/{bucket}/o", "wrongUrlForUpload")

    # uploads

    def upload(self, request, caller):
        bucket = urllib.parse.unquote(re.search(r"/b/([^/]+)/o", request.path)[1])
        self.require(caller, "storage.objects.create", bucket)
        kind = request.query.get("uploadType")
        if kind == "media":
            return self.store(bucket, request.query["name"], {"contentType": request.headers.get("Content-Type")}, request.body, request, caller)
        if kind == "multipart":
            about, content = multipart(request)
            return self.store(bucket, about.get("name") or request.query.get("name"), about, content, request, caller)
        return self.resumable(bucket, request, caller)

    def resumable(self, bucket, request, caller):
        """Two requests: the first says what comes, the second, at the address of the answer, brings it."""
        from cloud import Answer
        if request.verb == "POST":
            about = json.loads(request.body or b"{}")
            token = self.cloud.new_id()
            self.cloud.put("uploads", token, {"about": about, "name": about.get("name") or request.query.get("name"), "query": request.query})
            host = request.headers.get("Host", request.host)
            prefix = request.headers.get("X-Prefix", f"https://{host}")
            return Answer(200, b"", {"Location": f"{prefix}/upload/storage/v1/b/{bucket}/o?uploadType=resumable&upload_id={token}"})
        upload = self.cloud.remove("uploads", request.query.get("upload_id", ""))
        if upload is None:
            raise Refusal(410, "The upload does not exist.", "gone")
        request.query.update({key: value for key, value in upload["query"].items() if key not in request.query})
        return self.store(bucket, upload["name"], upload["about"], request.body, request, caller)

    def store(self, bucket, name, about, content, request, caller):
        table = self.cloud.description.tables["storage"]
        self.cloud.description.check_value(table, "Object", about, "")
        if not name or name.startswith("/") or ".." in name.split("/"):
            raise Refusal(400, f"Invalid object name: '{name}'", "invalid")
        file = self.file(bucket, name)
        if file.exists():
            # Replacing an object deletes the old one.
            self.require(caller, "storage.objects.delete", bucket)
            self.check_generation(self.object(bucket, name), request.query)
        wanted = about.get("md5Hash")
        if wanted and wanted != base64.b64encode(hashlib.md5(content).digest()).decode():
            raise Refusal(400, f"Provided MD5 hash {wanted!r} doesn't match the content.", "invalid")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)
        self.cloud.put("storage", f"{bucket}/o/{name}", {key: value for key, value in about.items() if value is not None})
        return self.object(bucket, name)

    # caches beside buckets

    def anywherecaches_insert(self, params, query, body):
        zone, bucket = body.get("zone"), params["bucket"]
        path = f"{bucket}/anywhereCaches/{zone}"
        if self.cloud.get("storage", path):
            raise Refusal(409, f"A cache exists in {zone}.", "conflict")
        made = {"kind": "storage#anywhereCache", "id": f"{bucket}/{zone}", "bucket": bucket, "anywhereCacheId": zone, "state": "running",
                "ttl": "86400s", "admissionPolicy": "admit-on-first-miss", "createTime": "2026-11-01T00:00:00Z", "pendingUpdate": False, **body}
        self.cloud.put("storage", path, made)
        return self.cloud.services["file"].operation(f"b/{bucket}/operations", made, self.cloud.new_id())

    def cache(self, params):
        found = self.cloud.get("storage", f"{params['bucket']}/anywhereCaches/{params['anywhereCacheId']}")
        if found is None:
            raise Refusal(404, "The cache does not exist.", "notFound")
        return found

    def anywherecaches_get(self, params, query, body):
        return self.cache(params)

    def anywherecaches_update(self, params, query, body):
        self.cache(params).update(body)
        return self.cloud.services["file"].operation(f"b/{params['bucket']}/operations", self.cache(params), self.cloud.new_id())

    def anywherecaches_disable(self, params, query, body):
        self.cache(params)["state"] = "disabled"
        return self.cloud.remove("storage", f"{params['bucket']}/anywhereCaches/{params['anywhereCacheId']}")

    def anywherecaches_list(self, params, query, body):
        return {"kind": "storage#anywhereCaches", "items": [one for _, one in self.cloud.under("storage", f"{params['bucket']}/anywhereCaches/")]}


def shown(bucket):
    return {key: value for key, value in bucket.items() if key != "project"}


def multipart(request):
    """The description and the content of an object in one body."""
    whole = b"Content-Type: " + request.headers.get("Content-Type", "").encode() + b"\r\n\r\n" + request.body
    message = email.message_from_bytes(whole)
    if not message.is_multipart() or len(message.get_payload()) != 2:
        raise Refusal(400, "The body has no two parts.", "badContent")
    about = message.get_payload(0).get_payload(decode=True)
    # The content byte for byte: the parser would change line ends.
    boundary = b"--" + message.get_boundary().encode()
    part = request.body.split(boundary)[2]
    content = re.split(rb"\r?\n\r?\n", part, maxsplit=1)[1]
    return json.loads(about), re.sub(rb"\r?\n\Z", b"", content)
