"""Secret Manager. A version's value is the file secrets/PROJECT/NAME/NUMBER."""
import base64, binascii, copy, re

from errors import Refusal


class SecretManager:
    def __init__(self, cloud):
        self.cloud = cloud

    def call(self, method, params, query, body, caller):
        name = params.get("name") or params.get("resource") or params.get("parent") or params.get("secret.name")
        secret = re.match(r"projects/[^/]+/secrets/[^/]+", name)
        resources = ([secret[0]] if secret else []) + [re.match(r"projects/[^/]+", name)[0]]
        self.cloud.rights.require(caller, self.cloud.rights.needed[f"secretmanager:{method.name}"], *resources)
        verb = method.name.split(".")[1]
        if secret and verb != "createSecret" and self.cloud.get("secretmanager", secret[0]) is None:
            raise Refusal(404, f"Secret [{secret[0]}] not found or has no versions.", word="NOT_FOUND")
        return getattr(self, verb)(name, query, body)

    def folder(self, secret):
        _, project, _, name = secret.split("/")[:4]
        return self.cloud.folder / "secrets" / project / name

    def createSecret(self, parent, query, body):
        name = query.get("secretId", "")
        if not re.fullmatch(r"[A-Za-z0-9_-]{1,255}", name):
            raise Refusal(400, f"Invalid secret id: '{name}'")
        path = f"{parent}/secrets/{name}"
        if self.cloud.get("secretmanager", path) is not None:
            raise Refusal(409, f"Secret [{path}] already exists.")
        if not body.get("replication") and "/locations/" not in parent:
            raise Refusal(400, "The replication policy is required.")
        self.folder(path).mkdir(parents=True, exist_ok=True)
        return self.cloud.put("secretmanager", path, {**body, "name": path, "createTime": "2026-11-01T00:00:00Z", "etag": '"1"'})

    def getSecret(self, name, query, body):
        return self.cloud.get("secretmanager", name)

    def updateSecret(self, name, query, body):
        secret = self.cloud.get("secretmanager", name)
        secret.update({key: value for key, value in body.items() if key in query.get("updateMask", "").split(",")})
        return secret

    def deleteSecret(self, name, query, body):
        self.cloud.remove("secretmanager", name)
        for file in self.folder(name).iterdir():
            file.unlink()
        self.folder(name).rmdir()
        return {}

    def listSecrets(self, parent, query, body):
        return {"secrets": [one for path, one in self.cloud.under("secretmanager", f"{parent}/secrets/") if "/versions/" not in path]}

    def numbers(self, secret):
        return sorted(int(file.name) for file in self.folder(secret).iterdir() if file.name.isdigit())

    def addSecretVersion(self, name, query, body):
        try:
            data = base64.b64decode((body.get("payload") or {}).get("data", ""), validate=True)
        except binascii.Error as error:
            raise Refusal(400, f"Invalid value at 'payload.data': {error}") from error
        if not 0 < len(data) <= 65536:
            raise Refusal(400, "The payload has to have between 1 and 65536 bytes.")
        number = max(self.numbers(name), default=0) + 1
        (self.folder(name) / str(number)).write_bytes(data)
        return self.version(f"{name}/versions/{number}")

    def version(self, name):
        """A version's state; `latest` is the newest one."""
        secret, number = name.split("/versions/")
        numbers = self.numbers(secret)
        if number == "latest" and numbers:
            number = str(numbers[-1])
        if number == "latest" or int(number or 0) not in numbers:
            raise Refusal(404, f"Secret Version [{name}] not found.", word="NOT_FOUND")
        path = f"{secret}/versions/{number}"
        return self.cloud.get("secretmanager", path) or {"name": path, "state": "ENABLED", "createTime": "2026-11-01T00:00:00Z", "etag": '"1"'}

    def accessSecretVersion(self, name, query, body):
        version = self.version(name)
        if version["state"] != "ENABLED":
            raise Refusal(400, f"Secret Version [{version['name']}] is in {version['state']} state.", word="FAILED_PRECONDITION")
        secret, number = version["name"].split("/versions/")
        data = (self.folder(secret) / number).read_bytes()
        return {"name": version["name"], "payload": {"data": base64.b64encode(data).decode()}}

    def getSecretVersion(self, name, query, body):
        return self.version(name)

    def listSecretVersions(self, name, query, body):
        return {"versions": [self.version(f"{name}/versions/{number}") for number in reversed(self.numbers(name))]}

    def changed(self, name, state):
        version = {**self.version(name), "state": state}
        return self.cloud.put("secretmanager", version["name"], version)

    def destroySecretVersion(self, name, query, body):
        version = self.changed(name, "DESTROYED")
        secret, number = version["name"].split("/versions/")
        (self.folder(secret) / number).write_bytes(b"")
        return version

    def disableSecretVersion(self, name, query, body):
        return self.changed(name, "DISABLED")

    def enableSecretVersion(self, name, query, body):
        return self.changed(name, "ENABLED")

    def getIamPolicy(self, name, query, body):
        return copy.deepcopy(self.cloud.policy(name))

    def setIamPolicy(self, name, query, body):
        return self.cloud.services["iam"].set_policy(name, body.get("policy") or {})
