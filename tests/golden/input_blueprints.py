"""The blueprints that inputs.py creates around a module."""

# The deployment's variables; modules take them as settings of the same names.
VARIABLES = {"deployment_name": "small", "project_id": "my-project", "region": "us-central1", "zone": "us-central1-a",
             "labels": {"team": "training"}}

# Files beside the blueprint.
FILES = {"slurm.conf.tpl": "DebugFlags=Power\n", "one.sh": "#!/bin/sh\n", "two.sh": "#!/bin/sh\ntrue\n"}

NETWORK = {"id": "network", "source": "modules/network/vpc"}
SECOND = {"id": "second", "source": "modules/network/vpc", "settings": {
    "network_name": "second", "subnetwork_name": "second", "network_address_range": "10.128.0.0/10"}}
THIRD = {"id": "third", "source": "modules/network/vpc", "settings": {
    "network_name": "third", "subnetwork_name": "third", "network_address_range": "10.192.0.0/10"}}
NETWORK_OF_IT = {"subnetwork_self_link": "$(network.subnetwork_self_link)"}
NODESET = "community/modules/compute/schedmd-slurm-gcp-v6-nodeset"
DYNAMIC = "community/modules/compute/schedmd-slurm-gcp-v6-nodeset-dynamic"
PARTITION = "community/modules/compute/schedmd-slurm-gcp-v6-partition"
LOGIN = "community/modules/scheduler/schedmd-slurm-gcp-v6-login"
CONTROLLER = "community/modules/scheduler/schedmd-slurm-gcp-v6-controller"
MACHINE = "modules/compute/vm-instance"
DATABASE = "community/modules/database/slurm-cloudsql-federation"
GKE, POOL_OF_GKE = "modules/scheduler/gke-cluster", "modules/compute/gke-node-pool"
OLD_GKE = "modules/scheduler/pre-existing-gke-cluster"
JOB_OF_GKE = "modules/compute/gke-job-template"
REGISTRY = "community/modules/container/artifact-registry"
BATCH = "modules/scheduler/batch-job-template"
GKE_ID = "projects/my-project/locations/us-central1/clusters/%s"


def cluster(under_test, nodes=NODESET, settings=None):
    """A Slurm cluster; `it` is the module of the role under test. Outputs of its modules have effects only in the cluster.

    `it` gets its network, or whatever `settings` has, without `use`, so that a test can set it.
    """
    joining = {"slurm_cluster_name": "small", "slurm_bucket_path": "gs://my-project-small-slurm/small"}
    roles = {"nodes": (nodes, ["network"], {"node_count_static": 2} if nodes == NODESET else joining),
             "more": (nodes, ["network"], {} if nodes == NODESET else joining),
             "cpu": (PARTITION, ["nodes"], {"partition_name": "cpu"}),
             "gpu": (PARTITION, ["more"], {"partition_name": "gpu"}),
             "login": (LOGIN, ["network"], {}),
             "front": (LOGIN, ["network"], {}),
             "controller": (CONTROLLER, ["network", "cpu", "login"], {})}
    entries = [NETWORK, SECOND, THIRD]
    for role, (source, use, given) in roles.items():
        entry = {"id": role, "source": source, "outputs": [], "use": use, "settings": given}
        if role == under_test:
            entry.update(id="it", use=[used for used in use if used != "network"] if settings is None else [],
                         settings={**given, **(NETWORK_OF_IT if settings is None else settings)})
        entry["use"] = ["it" if used == under_test else used for used in entry["use"]]
        entries.append(entry)
    return entries


def beside_network(*more, **settings):
    return [NETWORK, SECOND, THIRD, {"id": "it", "settings": settings}, *more]


MOUNTING = {"id": "machine", "source": MACHINE, "use": ["it"], "settings": {"network_self_link": "default"}}
SERVICES = {"id": "services", "source": "modules/network/private-service-access", "use": ["network"]}

FIREWALL_RULE = {"name": "web", "description": "one", "disabled": True, "priority": 4, "destination_ranges": ["10.64.0.0/16"],
                 "source_ranges": ["10.65.0.0/16"], "source_tags": ["one"], "target_tags": ["one"],
                 "allow": [{"protocol": "tcp", "ports": ["80"]}], "log_config": {"metadata": "EXCLUDE_ALL_METADATA"}}
POLICY = "projects/my-project/locations/us-central1/%s/ours"
POOL = "projects/my-project/locations/us-central1/storagePools/first"
DYNAMIC_PARTITION = cluster("cpu", DYNAMIC, {"partition_name": "cpu", "nodeset_dyn": ["$(nodes.nodeset_dyn)"]})
WHOLE = {**NETWORK_OF_IT, "partitions": "$(cpu.partitions)", "nodeset": "$(concat(cpu.nodeset, gpu.nodeset))",
         "login_nodes": "$(login.login_nodes)"}

TPU = "community/modules/compute/schedmd-slurm-gcp-v6-nodeset-tpu"
TPU_PARTITIONS = [
    NETWORK, {"id": "nodes", "source": TPU, "use": ["network"], "settings": {"node_type": "v3-8"}},
    {"id": "more", "source": TPU, "use": ["network"], "settings": {"node_type": "v2-8"}},
    {"id": "it", "settings": {"partition_name": "one"}},
    {"id": "two", "source": PARTITION, "use": ["nodes", "more"], "settings": {"partition_name": "two"}},
    {"id": "controller", "source": CONTROLLER, "use": ["network", "it", "two"]}]

# A machine type to which GPUs and local SSDs can be added.
WITH_GPUS = {**NETWORK_OF_IT, "machine_type": "n1-standard-8"}

ALONE = [{"id": "it"}]
# By module, or by module and input.
AROUND = {
    NODESET: cluster("nodes"),
    DYNAMIC: cluster("nodes", DYNAMIC),
    PARTITION: cluster("cpu", NODESET, {"partition_name": "cpu", "nodeset": ["$(nodes.nodeset)"]}),
    (PARTITION, "nodeset_dyn"): DYNAMIC_PARTITION,
    (PARTITION, "nodeset_tpu"): TPU_PARTITIONS,
    LOGIN: cluster("login"),
    CONTROLLER: cluster("controller"),
    (CONTROLLER, "partitions"): cluster("controller", NODESET, WHOLE),
    (CONTROLLER, "login_nodes"): cluster("controller", NODESET, WHOLE),
    (NODESET, "guest_accelerator"): cluster("nodes", NODESET, WITH_GPUS),
    (DYNAMIC, "guest_accelerator"): cluster("nodes", DYNAMIC, WITH_GPUS),
    (LOGIN, "guest_accelerator"): cluster("login", NODESET, WITH_GPUS),
    (CONTROLLER, "guest_accelerator"): cluster("controller", NODESET, {**WHOLE, **WITH_GPUS}),
    MACHINE: beside_network(**NETWORK_OF_IT),
    (MACHINE, "guest_accelerator"): beside_network(**WITH_GPUS),
    (MACHINE, "local_ssd_count"): beside_network(**WITH_GPUS),
    (MACHINE, "local_ssd_interface"): beside_network(**WITH_GPUS),
    (MACHINE, "network_self_link"): beside_network(network_self_link="$(network.network_self_link)"),
    "community/modules/compute/schedmd-slurm-gcp-v6-nodeset-tpu": [{"id": "it", "settings": {"node_type": "v3-8"}}],
    "community/modules/project/service-enablement": [{"id": "it", "settings": {"gcp_service_list": ["file.googleapis.com"]}}],
    "community/modules/scripts/wait-for-startup": [{"id": "it", "settings": {"instance_name": "machine-0"}}],
    "modules/compute/resource-policy": [{"id": "it", "settings": {"name": "near", "group_placement_max_distance": 2}}],
    "modules/file-system/cloud-storage-bucket": [{"id": "it", "settings": {"name_prefix": "data"}}, MOUNTING],
    DATABASE: beside_network(network_id="$(network.network_id)", sql_instance_name="books", tier="db-g1-small"),
    "modules/file-system/filestore": beside_network(MOUNTING, network_id="$(network.network_id)"),
    "modules/file-system/managed-lustre": beside_network(
        {**SERVICES, "id": "services"}, {**SERVICES, "id": "others"}, MOUNTING, name="fast", remote_mount="fast",
        network_id="$(network.network_id)", network_self_link="$(network.network_self_link)",
        private_vpc_connection_peering="$(services.private_vpc_connection_peering)"),
    "modules/file-system/pre-existing-network-storage": [
        {"id": "it", "settings": {"server_ip": "10.9.0.9", "remote_mount": "/data"}}, MOUNTING],
    "modules/network/firewall-rules": beside_network(**NETWORK_OF_IT, ingress_rules=[FIREWALL_RULE]),
    "modules/network/gpu-rdma-vpc": [{"id": "it", "settings": {
        "network_profile": "projects/my-project/global/networkProfiles/us-central1-a-vpc-roce"}}],
    "modules/network/pre-existing-subnetwork": [{"id": "it", "settings": {
        "subnetwork_name": "pool", "project": "host-project", "region": "us-central1"}}],
    ("modules/network/pre-existing-subnetwork", "subnetwork_self_link"): [{"id": "it", "settings": {
        "subnetwork_self_link": "projects/host-project/regions/us-central1/subnetworks/pool"}}],
    "modules/network/private-service-access": beside_network(network_id="$(network.network_id)"),
    "modules/packer/custom-image": [
        {**NETWORK, "group": "network"},
        {"id": "it", "group": "image", "kind": "packer", "outputs": [],
         "settings": {"subnetwork_name": "default", "shell_scripts": ["setup.sh"]}}],
    "community/modules/database/bigquery-table": [{"id": "it", "settings": {"dataset_id": "results", "table_schema": "[]"}}],
    "community/modules/pubsub/bigquery-sub": [{"id": "it", "settings": {
        "dataset_id": "results", "table_id": "runs", "topic_id": "runs"}}],
    "community/modules/file-system/nfs-server": beside_network(MOUNTING, network_self_link="$(network.network_self_link)"),
    "modules/file-system/netapp-storage-pool": beside_network(
        {**SERVICES, "id": "services"}, network_id="$(network.network_id)", network_self_link="$(network.network_self_link)"),
    "modules/file-system/netapp-volume": [{"id": "it", "settings": {"netapp_storage_pool_id": POOL}}, MOUNTING],
    "modules/network/dns-managed-zone": [{"id": "it", "settings": {"dns_name": "other.example.com.", "zone_name": "cluster"}}],
    "modules/database/redis": beside_network(environment="dev", network_self_link="$(network.network_self_link)"),
    "modules/database/spanner": [{"id": "it", "settings": {"instance_name": "books"}}],
    "modules/compute/cloud-run": [{"id": "it", "settings": {"service_name": "front", "image": "us-docker.pkg.dev/p/r/i:1"}}],
    "modules/iam/iap-policy": [{"id": "it", "settings": {"backend_service_id": "front", "iap_members": ["group:team@example.com"]}}],
    "modules/file-system/parallelstore": beside_network(
        {**SERVICES, "id": "services"}, {**SERVICES, "id": "others"}, MOUNTING, network_id="$(network.network_id)",
        private_vpc_connection_peering="$(services.private_vpc_connection_peering)"),
    "community/modules/compute/mig": [{"id": "it", "settings": {"versions": [{"name": "one", "instance_template": "one"}]}}],
    BATCH: beside_network(runnable="true"),
    (BATCH, "runnables"): [{"id": "it", "settings": {"runnables": [{"script": "false"}]}}],
    "modules/scheduler/batch-login-node": [{"id": "it", "settings": {
        "instance_template": "projects/my-project/global/instanceTemplates/mine",
        "job_data": [{"template_contents": "{}", "filename": "one.json", "id": "one"}]}}],
    OLD_GKE: [{"id": "it", "settings": {"cluster_name": "theirs"}}],
    GKE: beside_network(network_id="$(network.network_id)", **NETWORK_OF_IT),
    POOL_OF_GKE: beside_network(cluster_id=GKE_ID % "one", gke_version="1.35.1-gke.1000000"),
    (POOL_OF_GKE, "guest_accelerator"): beside_network(
        cluster_id=GKE_ID % "one", gke_version="1.35.1-gke.1000000", machine_type="n1-standard-8"),
    "modules/network/global-static-ip": [{"id": "it", "settings": {"ip_names": ["front"]}}],
    "modules/project/workload_identity_binding": [{"id": "it", "settings": {
        "service_account_email": "pods@my-project.iam.gserviceaccount.com", "k8s_service_account_name": "nodes"}}],
    "modules/project/service-account": [{"id": "it", "settings": {
        "name": "nodes", "project_roles": ["logging.logWriter"], "org_id": "123456789"}}],
}
