"""Cloud Quotas: the limits that have dimensions, as conditions.json has them in `quota_infos`."""
from errors import Refusal


class CloudQuotas:
    def __init__(self, cloud):
        self.cloud = cloud

    def call(self, method, params, query, body, caller):
        name = params.get("name") or params["parent"]
        project = "/".join(name.split("/")[:2])
        self.cloud.rights.require(caller, "cloudquotas.quotas.get", project)
        infos = self.cloud.conditions.get("quota_infos", {})
        if "name" not in params:
            return {"quotaInfos": [self.info(f"{name}/quotaInfos/{key}", infos[key]) for key in sorted(infos)]}
        if name.split("/")[-1] not in infos:
            raise Refusal(404, f"Quota {name} is not found.", "notFound")
        return self.info(name, infos[name.split("/")[-1]])

    @staticmethod
    def info(name, rows):
        return {"name": name, "quotaId": name.split("/")[-1], "service": name.split("/")[5], "containerType": "PROJECT",
                "dimensions": sorted({key for row in rows for key in row["dimensions"]}),
                "dimensionsInfos": [{"dimensions": row["dimensions"], "details": {"value": str(row["value"])},
                                     "applicableLocations": [row["dimensions"].get("region", "global")]} for row in rows]}
