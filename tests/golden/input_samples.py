"""Values for inputs whose type does not say enough about them: see inputs.py."""

from input_blueprints import (
    BATCH, CONTROLLER, DATABASE, DYNAMIC, FIREWALL_RULE, GKE, GKE_ID, JOB_OF_GKE, MACHINE, NODESET, OLD_GKE,
    PARTITION, POLICY, POOL_OF_GKE, REGISTRY)

# Values by the name of an input or attribute, or by its path, for all modules. A change takes the first that is new.
KEY = "projects/my-project/locations/us-central1/keyRings/ring/cryptoKeys/"
ACCOUNT = "nodes@my-project.iam.gserviceaccount.com"
DISK = ("pd-balanced", "pd-ssd", "pd-standard")
PROJECT = ("other-project", "third-project")
RANGE = ("10.64.0.0/16", "10.65.0.0/16")
VALUES = {
    "project_id": PROJECT, "project": PROJECT, "subnetwork_project": PROJECT, "network_project_id": PROJECT,
    "controller_project_id": PROJECT,
    "zone": ("us-central1-b", "us-central1-c"), "zones": (["us-central1-b"], ["us-central1-c"]), "region": ("us-east4", "us-east1"),
    "location": ("us-east4", "us-east1"), "image_storage_locations": (["us"], ["us-east4"]),
    "machine_type": ("n2-standard-8", "n2-standard-16"),
    "disk_type": DISK, "controller_state_disk.type": DISK, "additional_persistent_disks.type": DISK,
    "additional_disks.boot": (False, True),
    "disk_encryption_key": (KEY + "one", KEY + "two"), "kms_key": (KEY + "one",), "slurm_bucket_kms_key": (KEY + "one",),
    "disk_encryption_key_service_account": (ACCOUNT, "other-" + ACCOUNT),
    "resource_manager_tags": ({"tagKeys/1": "tagValues/2"}, {"tagKeys/1": "tagValues/3"}),
    "disk_resource_manager_tags": ({"tagKeys/1": "tagValues/2"}, {"tagKeys/1": "tagValues/3"}),
    "service_account_email": (ACCOUNT,), "service_account.email": (ACCOUNT,),
    "service_account_scopes": (["https://www.googleapis.com/auth/compute"],), "scopes": (["cloud-platform"],),
    "instance_image": ({"project": "my-project", "family": "other"},),
    "guest_accelerator.type": ("nvidia-tesla-t4", "nvidia-tesla-v100"),
    "guest_accelerator.count": (1, 2),
    "placement_policy.max_distance": (2, 3), "placement_policy.collocation": ("COLLOCATED",),
    "project_roles": (["storage.objectViewer"], ["logging.logWriter"]),
    "ingress_rules.allow.protocol": ("tcp", "udp"), "ingress_rules.allow.ports": (["80"], ["443"]),
    "egress_rules.allow.protocol": ("tcp", "udp"), "egress_rules.allow.ports": (["80"], ["443"]),
    "turbo_mode": ("ALL_CORE_MAX", "NONE"), "performance_monitoring_unit": ("STANDARD", "ENHANCED"),
    "threads_per_core": (1, 2),
    "min_cpu_platform": ("Intel Cascade Lake",), "confidential_instance_type": ("SEV_SNP", "SEV"),
    "timeout_create": ("20m", "30m"), "timeout_update": ("20m", "30m"), "monitoring_components": (["SYSTEM_COMPONENTS"],),
    "system_node_pool_disk_type": ("pd-balanced", "pd-ssd"), "local_ssd_count_ephemeral_storage": (8,), "local_ssd_count_nvme_block": (8,),
    "maintenance_exclusions.start_time": ("2026-12-01T00:00:00Z", "2026-12-02T00:00:00Z"),
    "maintenance_exclusions.end_time": ("2027-01-01T00:00:00Z", "2027-01-02T00:00:00Z"),
    "destination_ranges": (["10.66.0.0/16"],), "source_ranges": (["10.66.0.0/16"],),
    "nat_ip": ("192.0.2.1", "192.0.2.2"), "network_tier": ("PREMIUM", "STANDARD"), "network_ip": ("10.0.0.9", "10.0.0.10"),
    "static_ips": (["10.0.0.9"],), "nic_type": ("GVNIC", "VIRTIO_NET"), "stack_type": ("IPV4_ONLY", "IPV4_IPV6"),
    "network_profile": tuple(f"projects/my-project/global/networkProfiles/us-central1-{zone}-vpc-roce" for zone in "bc"),
    "address": ("10.200.0.0", "10.201.0.0"),
    "ip_cidr_range": RANGE, "ip_range": RANGE, "mtu": (1500,), "allowed_ssh_ip_ranges": (["192.0.2.0/24"],),
    "network_address_range": RANGE, "global_ip_address_range": RANGE, "extra_iap_ports": (["8080"],),
    "firewall_rules": ([{"name": "web", "ranges": ["192.0.2.0/24"], "allow": [{"protocol": "tcp", "ports": [80]}]}],),
    "network_id": ("projects/my-project/global/networks/other",),
    "tier_action": ("ENABLED", "PAUSED"), "access_type": ("READ_ONLY", "READ_WRITE"),
    "active_directory_policy": (POLICY % "activeDirectoryPolicies",), "cmek_policy": (POLICY % "kmsConfigs",),
    "protocols": (["NFSV4"],), "unix_permissions": ("0750",), "local_mounts": (["/one"], ["/two"]), "table_schema": ('[{"name": "a", "type": "STRING"}]',),
    "server_ip": ("10.9.0.2", "10.9.0.3"), "remote_mount": ("/one", "/two"), "local_mount": ("/one", "/two"),
    "fs_type": ("nfs", "lustre"), "mount_options": ("ro", "noatime"),
    "client_install_runner": ({"type": "shell", "destination": "one.sh", "content": "true"},
                              {"type": "shell", "destination": "two.sh", "content": "true"}),
    "mount_runner": ({"type": "shell", "destination": "one.sh", "content": "true"},
                     {"type": "shell", "destination": "two.sh", "content": "true"}),
    "node_conf": ({"Weight": 7},), "partition_conf": ({"MaxTime": "10"},),
    "startup_script": ("#!/bin/bash\ntrue\n",),
    "spot_instance_config": ({"termination_action": "STOP"},), "termination_action": ("STOP", "DELETE"),
    "dws_flex": ({"enabled": True, "max_run_duration": 3600, "use_job_duration": False},), "max_run_duration": (3600, 7200),
    "placement_max_distance": (2,), "maintenance_interval": ("PERIODIC",), "provisioning": (["spot", "on_demand"],),
    "metadata_users": (["root"],),
    "subnetwork_stack_type": ("IPV4_IPV6",), "subnetwork_ipv6_access_type": ("EXTERNAL",),
    "http_proxy": ("http://proxy.example.com:3128",), "state_timeout": ("20m",), "disk_size": (20,),
    "ip_ranges": (["10.9.0.0/16"], ["10.8.0.0/16"]), "access_mode": ("READ_ONLY", "READ_WRITE"),
    "squash_mode": ("ROOT_SQUASH", "NO_ROOT_SQUASH"),
    "created_before": ("2026-01-01", "2026-01-02"), "custom_time_before": ("2026-01-01", "2026-01-02"),
    "noncurrent_time_before": ("2026-01-01", "2026-01-02"), "communicator": ("winrm",), "boot_disk_size": (20,),
    "gpu_sharing_strategy": ("TIME_SHARING", "MPS"), "gpu_partition_size": ("1g.5gb", "2g.10gb"),
    "boot_disk_type": ("pd-ssd",), "provisioning_model": ("SPOT",),
    "workload_policy.type": ("HIGH_THROUGHPUT", "HIGH_AVAILABILITY"), "max_topology_distance": ("CLUSTER", "BLOCK"),
    "address_type": ("INTERNAL", "EXTERNAL"), "ip_version": ("IPV4", "IPV6"),
    "terminal_storage_class": ("NEARLINE", "ARCHIVE"), "action.storage_class": ("COLDLINE", "ARCHIVE"),
    "lifecycle_rules.action.type": ("SetStorageClass", "Delete"), "lifecycle_rules.action.storage_class": ("COLDLINE", "ARCHIVE"),
    "size_gib": (54000,), "per_unit_storage_throughput": (250,),
    "backup_zone": ("us-central1-b",), "placement_zones": (["us-east4"],), "user_managed_replication.location": ("us-east4", "us-east1"),
    "viewers": (["user:one@example.com"],), "with_state": ("LIVE", "ARCHIVED"), "gpu_driver_version": ("DEFAULT", "LATEST"),
    "topology_plugin": ("topology/tree", "topology/flat"), "switch_type": ("switch/nvidia_imex",), "prolog_flags": ("Alloc", "Alloc,NoHold"),
    "private_data": (["jobs"], ["users"]),
    "source_service_accounts": ([ACCOUNT], ["other-" + ACCOUNT]), "target_service_accounts": ([ACCOUNT], ["other-" + ACCOUNT]),
    "log_config.metadata": ("INCLUDE_ALL_METADATA", "EXCLUDE_ALL_METADATA"),
    "ingress_rules.log_config.metadata": ("INCLUDE_ALL_METADATA", "EXCLUDE_ALL_METADATA"),
    "egress_rules.log_config.metadata": ("INCLUDE_ALL_METADATA", "EXCLUDE_ALL_METADATA"),
}

VALUES |= {
    "allocatable_cpu_per_node": ([8], [16]), "allocatable_gpu_per_node": ([8], [4]), "has_gpu": ([True],),
    "requested_cpu_per_pod": (3, 5), "requested_gpu_per_pod": (2,), "tpu_chips_per_node": (["4"],), "ephemeral_volumes.type": ("memory", "local-ssd"),
    "ephemeral_volumes.mount_path": ("/one", "/two"), "persistent_volume_claims.mount_path": ("/one", "/two"),
    "cluster_id": (GKE_ID % "one", GKE_ID % "two"), "gke_version": ("1.34.1-gke.2000000", "1.34.2-gke.2000000"),
    "master_ipv4_cidr_block": ("172.16.0.64/28",), "version_prefix": ("1.33.",), "maintenance_start_time": ("10:00",),
    "authenticator_security_group": ("gke-security-groups@example.com",), "authorized_networks.cidr_block": RANGE,
    "master_authorized_networks.cidr_block": RANGE, "export_policy_rules.allowed_clients": RANGE, "min_master_version": ("1.33.2-gke.1240000",), "node_version": ("1.33.2-gke.1240000",),
    "default_max_pods_per_node": (32,), "max_pods_per_node": (32,), "system_node_pool_disk_size_gb": (50,),
    "maintenance_exclusions.exclusion_scope": ("NO_UPGRADES", "NO_MINOR_UPGRADES"),
    "maintenance_exclusions.exclusion_end_time_behavior": ("UNTIL_END_OF_SUPPORT",),
    "cloud_dns_config.cluster_dns": ("CLOUD_DNS", "PLATFORM_DEFAULT"), "cloud_dns_config.cluster_dns_scope": ("VPC_SCOPE", "CLUSTER_SCOPE"),
    "network_policy.provider": ("CALICO",), "upgrade_settings.strategy": ("SURGE",), "tpu_topology": ("4x4", "4x8"),
    "consume_reservation_type": ("ANY_RESERVATION", "NO_RESERVATION"), "placement_policy.type": ("COMPACT",),
    "system_node_pool_machine_type": ("n2-standard-8",), "system_node_pool_zones": (["us-central1-b"],),
    "taints.value": ("one", "two"), "taints.effect": ("NO_EXECUTE", "PREFER_NO_SCHEDULE"),
    "system_node_pool_taints.value": ("one", "two"), "system_node_pool_taints.effect": ("NO_EXECUTE", "PREFER_NO_SCHEDULE"),
    "cluster_autoscaling.limits": ([{"autoprovisioning_machine_type": "ct6e-standard-4t"}], [{"autoprovisioning_machine_type": "a3-megagpu-8g"}]),
}

# By module and input, or attribute; `*` is every module.
INTERFACE = {"network": None, "subnetwork": "$(second.subnetwork_self_link)", "subnetwork_project": None, "network_ip": "10.0.0.9",
             "nic_type": "GVNIC", "stack_type": "IPV4_ONLY", "queue_count": 4,
             "access_config": [{"nat_ip": "192.0.2.1", "network_tier": "PREMIUM", "public_ptr_domain_name": "one.example.com"}],
             "ipv6_access_config": [{"network_tier": "PREMIUM", "public_ptr_domain_name": "one.example.com"}],
             "alias_ip_range": [{"ip_cidr_range": "10.64.0.0/16", "subnetwork_range_name": "one"}]}
BY_SUBNETWORK = [{key: value for key, value in INTERFACE.items() if value is not None}]
BY_NETWORK = [{**BY_SUBNETWORK[0], "network": "$(second.network_self_link)"}]
DENY = [{**FIREWALL_RULE, "name": "other", "allow": [], "deny": [{"protocol": "udp", "ports": ["53"]}]}]
OTHER_DENY = [{**DENY[0], "deny": [{"protocol": "udp", "ports": ["54"]}]}]
OF_ACCOUNTS = [{**FIREWALL_RULE, "name": "other", "source_tags": None, "target_tags": None, "source_service_accounts": [ACCOUNT],
                "target_service_accounts": [ACCOUNT]}]
SCRIPT = [{"filename": "one.sh", "content": "#!/bin/sh\ntrue\n"}]
TEMPLATE = '$(ghpc_stage("slurm.conf.tpl"))'
RESERVED = {"zones": ["us-central1-b"], "reservation_affinity": {
    "consume_reservation_type": "SPECIFIC_RESERVATION", "specific_reservations": [{"name": "mine", "project": "my-project"}]}}
BATCH_SHARE = {"server_ip": "10.0.0.9", "remote_mount": "/share", "local_mount": "/data", "fs_type": "nfs", "mount_options": "ro",
               "client_install_runner": {"type": "shell", "destination": "one.sh", "content": "true"},
               "mount_runner": {"type": "shell", "destination": "one.sh", "content": "true"}}
MIRROR = {"repo_mode": "REMOTE_REPOSITORY"}
PACKAGES = {**MIRROR, "format": "APT", "repo_public_repository": "DEBIAN", "repository_base": "DEBIAN", "repository_path": "debian/dists/bookworm"}
SURGE = {"strategy": "SURGE", "max_surge": 2, "max_unavailable": 3}
POD_NETWORKS = [{**INTERFACE, "network": "one", "subnetwork": "one", "subnetwork_project": "my-project", "nic_type": kind,
                 "access_config": [], "ipv6_access_config": [], "alias_ip_range": []} for kind in ("GVNIC", "RDMA")]
UNUSED_BY_GKE = ("subnetwork_project", "network_ip", "stack_type", "queue_count", "access_config", "ipv6_access_config", "alias_ip_range")
KINDS = ("prolog", "epilog", "task_prolog", "task_epilog")
STAGED = [{"filename": "one.sh", "source": '$(ghpc_stage("one.sh"))'}]
SAMPLES = {
    (NODESET, "accelerator_topology"): "1x72",
    ("community/modules/file-system/nfs-server", "type"): "pd-balanced",
    ("community/modules/file-system/nfs-server", "service_account"): ACCOUNT,
    (DATABASE, "database_version"): "MYSQL_8_4",
    **{(of, "additional_networks"): POD_NETWORKS for of in (GKE, OLD_GKE, POOL_OF_GKE)},
    **{(of, "additional_networks.network"): "two" for of in (GKE, OLD_GKE, POOL_OF_GKE)},
    **{(of, "additional_networks.subnetwork"): "two" for of in (GKE, OLD_GKE, POOL_OF_GKE)},
    ("modules/iam/iap-policy", "iap_members"): ["user:you@example.com"], ("modules/database/spanner", "processing_units"): 200,
    ("modules/database/spanner", "databases"): {"books": {
        "name": "books", "deletion_protection": False, "iam_members": [{"role": "roles/spanner.databaseUser", "member": "user:you@example.com"}]}},
    ("modules/file-system/parallelstore", "private_vpc_connection_peering"): "$(others.private_vpc_connection_peering)",
    ("modules/file-system/parallelstore", "size_gb"): 16000, ("modules/file-system/parallelstore", "import_gcs_bucket_uri"): "gs://data",
    (REGISTRY, "format"): "NPM", (REGISTRY, "repo_mode"): "VIRTUAL_REPOSITORY", (REGISTRY, "repo_mirror_url"): "https://registry.example.com", (REGISTRY, "repo_public_repository"): "DOCKER_HUB",
    (REGISTRY, "user_managed_replication"): [{"location": "us-east1", "kms_key_name": KEY + "one"}],
    (BATCH, "subnetwork"): "$(second.subnetwork)", (BATCH, "instance_template"): "projects/my-project/global/instanceTemplates/mine",
    (BATCH, "runnables"): [{"script": "true"}], (BATCH, "network_storage"): [BATCH_SHARE], (BATCH, "on_host_maintenance"): "TERMINATE",
    ("modules/scheduler/batch-login-node", "network_storage"): [BATCH_SHARE],
    ("modules/scheduler/batch-login-node", "batch_job_directory"): "/srv/jobs",
    (JOB_OF_GKE, "tpu_topology"): ["4x4"], (JOB_OF_GKE, "enable_dranet"): [True], (JOB_OF_GKE, "persistent_volume_claims.storage_type"): "gcs",
    (POOL_OF_GKE, "cluster_id"): GKE_ID % "two", (POOL_OF_GKE, "threads_per_core"): 2,
    (POOL_OF_GKE, "reservation_affinity"): RESERVED["reservation_affinity"],
    (POOL_OF_GKE, "reservation_affinity.specific_reservations"): [{"name": "theirs", "project": "other-project"}],
    **{(of, "additional_networks.nic_type"): "RDMA" for of in (GKE, OLD_GKE)}, (GKE, "upgrade_settings"): SURGE, (POOL_OF_GKE, "upgrade_settings"): SURGE,
    (DATABASE, "deletion_protection"): "true", (DATABASE, "tier"): "db-n1-standard-1",
    (DATABASE, "sql_password"): "hush",
    ("*", "subnetwork_self_link"): "$(second.subnetwork_self_link)",
    ("*", "network_self_link"): "$(second.network_self_link)",
    ("*", "network_id"): "$(second.network_id)",
    ("*", "additional_networks"): BY_SUBNETWORK,
    ("*", "additional_networks.network"): "$(third.network_self_link)",
    ("*", "additional_networks.subnetwork"): "$(third.subnetwork_self_link)",
    ("*", "network_interfaces"): [INTERFACE],
    ("*", "network_interfaces.network"): "$(third.network_self_link)",
    ("*", "network_interfaces.subnetwork"): "$(third.subnetwork_self_link)",
    **{(CONTROLLER, f"{kind}_scripts"): SCRIPT for kind in KINDS},
    ("*", "ingress_rules"): [{**FIREWALL_RULE, "name": "other"}],
    ("*", "egress_rules"): [{**FIREWALL_RULE, "name": "other"}],
    ("*", "ingress_rules.deny"): DENY[0]["deny"], ("*", "egress_rules.deny"): DENY[0]["deny"],
    (DATABASE, "disk_size_gb"): 20,
    (PARTITION, "nodeset"): ["$(nodes.nodeset)", "$(more.nodeset)"],
    (PARTITION, "nodeset_dyn"): ["$(nodes.nodeset_dyn)", "$(more.nodeset_dyn)"],
    (PARTITION, "nodeset_tpu"): ["$(more.nodeset_tpu)"],
    (CONTROLLER, "nodeset"): "$(cpu.nodeset)",
    (CONTROLLER, "nodeset_dyn"): [{"nodeset_name": "other", "nodeset_feature": "other"}],
    (CONTROLLER, "partitions"): "$(concat(cpu.partitions, gpu.partitions))",
    (CONTROLLER, "login_nodes"): "$(concat(login.login_nodes, front.login_nodes))",
    (CONTROLLER, "slurm_conf_tpl"): TEMPLATE, (CONTROLLER, "slurmdbd_conf_tpl"): TEMPLATE,
    (CONTROLLER, "cgroup_conf_tpl"): TEMPLATE, (CONTROLLER, "slurm_conf_template"): "MaxJobCount=7",
    (CONTROLLER, "health_policy"): {"limits": {"gpu_celsius": 85}},
    (CONTROLLER, "private_tmp_path"): "/scratch/tmp",
    **{(CONTROLLER, f"{kind}_scripts.source"): '$(ghpc_stage("two.sh"))' for kind in KINDS},
    (DYNAMIC, "additional_networks"): [INTERFACE],
    (DYNAMIC, "spot_instance_config"): {"termination_action": "DELETE"},
    (MACHINE, "on_host_maintenance"): "TERMINATE", ("modules/packer/custom-image", "on_host_maintenance"): "TERMINATE",
    (MACHINE, "threads_per_core"): 2,
    ("modules/file-system/cloud-storage-bucket", "soft_delete_retention_duration"): 604800,
    ("modules/file-system/cloud-storage-bucket", "autoclass"): {"enabled": True},
    ("community/modules/project/service-enablement", "gcp_service_list"): ["compute.googleapis.com"],
    ("modules/file-system/cloud-storage-bucket", "anywhere_cache"): {"zones": ["us-central1-b"]},
    ("modules/file-system/cloud-storage-bucket", "anywhere_cache.ttl"): "3600s",
    ("modules/file-system/cloud-storage-bucket", "anywhere_cache.admission_policy"): "admit-on-second-miss",
    ("modules/file-system/managed-lustre", "remote_mount"): "other",
    ("modules/file-system/managed-lustre", "import_gcs_bucket_uri"): "gs://other",
    ("modules/file-system/managed-lustre", "private_vpc_connection_peering"): "$(others.private_vpc_connection_peering)",
    ("modules/file-system/gke-storage", "storage_type"): "Parallelstore",
    ("modules/file-system/gke-storage", "access_mode"): "ReadWriteMany",
    ("modules/file-system/gke-storage", "sc_reclaim_policy"): "Delete",
    ("modules/file-system/netapp-volume", "netapp_storage_pool_id"): "projects/my-project/locations/us-central1/storagePools/pool",
    ("modules/network/dns-managed-zone", "dns_name"): "cluster.example.com.",
    ("modules/monitoring/dashboard", "widgets"): ['{"title": "Notes", "text": {"content": "ask us"}}'],
    ("modules/network/vpc", "subnetworks"): [{"subnet_name": "other"}],
    ("modules/network/vpc", "secondary_ranges_list.subnetwork_name"): "lake",
    ("modules/network/vpc", "firewall_log_config"): "INCLUDE_ALL_METADATA",
    ("modules/network/vpc", "secondary_ranges"): {"small-primary-subnet": [{"range_name": "pods", "ip_cidr_range": RANGE[0]}]},
    ("modules/network/vpc", "secondary_ranges_list"): [
        {"subnetwork_name": "small-primary-subnet", "ranges": [{"range_name": "pods", "ip_cidr_range": RANGE[0]}]}],
    ("modules/network/pre-existing-subnetwork", "subnetwork_self_link"):
        "projects/host-project/regions/us-central1/subnetworks/lake",
    ("modules/network/multivpc", "global_ip_address_range"): "10.0.0.0/8",
    ("modules/scripts/startup-script", "gcs_bucket_path"): "gs://other/scripts",
    ("modules/scripts/startup-script", "bucket_viewers"): ["user:you@example.com"],
    ("modules/scripts/startup-script", "runners"): [{"type": "shell", "destination": "one.sh", "content": "true"}],
    ("modules/scripts/startup-script", "ansible_virtualenv_path"): "/opt/ansible",
    ("modules/scripts/startup-script", "local_ssd_filesystem"): {
        "fs_type": "ext4", "mountpoint": "/mnt/ssd", "permissions": "0755"},
    ("modules/scripts/startup-script", "local_ssd_filesystem.fs_type"): "xfs",
    ("modules/scripts/startup-script", "local_ssd_filesystem.mountpoint"): "/mnt/other",
    ("modules/scripts/startup-script", "local_ssd_filesystem.permissions"): "1777",
}

# Lists that modules take from others with `use`: their attributes are those of outputs of modules that are tested themselves.
WIRED = {"nodeset", "nodeset_tpu", "nodeset_dyn", "partitions", "login_nodes"}

# What modules hand over together with what is needed. It has no effect here, and looks the same if a user sets it.
EXEMPT = {
    **{(MACHINE, f"network_storage.{name}"): "`mount_runner` has these values as its arguments"
       for name in ("server_ip", "remote_mount", "local_mount", "fs_type", "mount_options")},
    (PARTITION, "nodeset_tpu"): "a partition has nodes; with those of other kinds, it is refused",
    (DATABASE, "subnetwork_self_link"): "a network hands it over with its id",
    **{(of, f"additional_networks.{name}"): "networks hand it over" for name in UNUSED_BY_GKE for of in (GKE, OLD_GKE, POOL_OF_GKE)},
    (POOL_OF_GKE, "reservation_affinity.consume_reservation_type"): "the other types exclude the rest of this setting",
    (POOL_OF_GKE, "additional_networks.nic_type"): "networks hand it over; the cluster needs it",
    **{("modules/scheduler/batch-login-node", f"network_storage.{name}"): "`mount_runner` has these values as its arguments"
       for name in ("server_ip", "remote_mount", "local_mount", "fs_type", "mount_options")},
    **{(JOB_OF_GKE, name): "node pools hand it over with the rest" for name in ("has_gpu", "allocatable_gpu_per_node")},
    (JOB_OF_GKE, "persistent_volume_claims.mount_options"): "the volume has them",
    (GKE, "upgrade_settings.strategy"): "there is only one", (POOL_OF_GKE, "upgrade_settings.strategy"): "there is only one",
    (GKE, "zone"): "blueprints have a variable of that name; a regional cluster is in all zones",
}

# Settings without which an input has no effect, or is refused: without them there must be a diagnostic, with them an effect.
SPOT = {"enable_spot_vm": True}
STATE = {"server_ip": "10.0.0.9", "remote_mount": "/state", "local_mount": "/var/spool/slurm", "fs_type": "nfs", "mount_options": ""}
SHARED_STATE = {"controller_state_disk": None, "network_storage": [STATE]}
BACKUP = {**SHARED_STATE, "enable_backup_controller": True, "controller_ha_type": "regional", "backup_zone": "us-central1-c"}
WITH = {
    (CONTROLLER, "enable_backup_controller"): SHARED_STATE,
    (CONTROLLER, "controller_ha_type"): {**BACKUP, "controller_ha_type": "zonal"},
    (CONTROLLER, "backup_zone"): BACKUP,
    (PARTITION, "nodeset_tpu"): {"nodeset_tpu": ["$(nodes.nodeset_tpu)"]},
    (DATABASE, "edition"): {"tier": "db-perf-optimized-N-2"},
    (DATABASE, "data_cache_enabled"): {"edition": "ENTERPRISE_PLUS", "tier": "db-perf-optimized-N-2"},
    (DATABASE, "subnetwork_self_link"): {"use_psc_connection": True, "subnetwork_self_link": "$(network.subnetwork_self_link)"},
    **{(of, "additional_networks.network"): {"additional_networks": POD_NETWORKS} for of in (GKE, OLD_GKE, POOL_OF_GKE)},
    (OLD_GKE, "additional_networks"): {"rdma_subnetwork_name_prefix": "rdma"},
    (OLD_GKE, "rdma_subnetwork_name_prefix"): {"additional_networks": POD_NETWORKS, "rdma_subnetwork_name_prefix": "rdma"},
    (POOL_OF_GKE, "is_reservation_active"): RESERVED,
    (POOL_OF_GKE, "install_gpu_direct_manifests"): {"machine_type": "a3-megagpu-8g"},
    (POOL_OF_GKE, "enable_dranet"): {"machine_type": "a4-highgpu-8g"},
    (POOL_OF_GKE, "dranet_device_class_name"): {"machine_type": "a4-highgpu-8g", "enable_dranet": True},
    (GKE, "prefix_with_deployment_name"): {"name_suffix": "training"},
    (POOL_OF_GKE, "dranet_allocation_mode"): {"machine_type": "a4-highgpu-8g", "enable_dranet": True},
    (POOL_OF_GKE, "placement_policy.tpu_topology"): {
        "machine_type": "ct6e-standard-4t", "zones": ["us-central1-b"], "placement_policy": {"type": "COMPACT", "name": None, "tpu_topology": "4x4"}},
    (POOL_OF_GKE, "placement_policy"): {"zones": ["us-central1-b"]},
    (JOB_OF_GKE, "allocatable_gpu_per_node"): {"has_gpu": [True]}, (JOB_OF_GKE, "requested_gpu_per_pod"): {"has_gpu": [True]},
    (JOB_OF_GKE, "has_gpu"): {"allocatable_gpu_per_node": [8]}, (JOB_OF_GKE, "persistent_volume_claims.storage_type"): {
        "k8s_service_account_name": "pods", "persistent_volume_claims": [
            {"name": "data", "namespace": "jobs", "mount_path": "/data", "mount_options": "ro", "storage_type": "filestore"}]},
    ("modules/file-system/parallelstore", "import_destination_path"): {"import_gcs_bucket_uri": "gs://data"},
    (REGISTRY, "repo_mirror_url"): {**MIRROR, "repo_public_repository": "DOCKER_HUB"},
    (REGISTRY, "repo_public_repository"): {**MIRROR, "repo_mirror_url": "https://registry.example.com"},
    **{(REGISTRY, name): {**MIRROR, "repo_mirror_url": "https://registry.example.com", "use_upstream_credentials": True, "repo_username": "us"}
       for name in ("repo_username", "repo_password", "user_managed_replication")},
    (REGISTRY, "use_upstream_credentials"): {**MIRROR, "repo_mirror_url": "https://registry.example.com"},
    (REGISTRY, "repository_base"): PACKAGES, (REGISTRY, "repository_path"): PACKAGES,
    (BATCH, "native_batch_mounting"): {"network_storage": [BATCH_SHARE]},
    (GKE, "zone"): {"cluster_availability_type": "ZONAL"},
    (GKE, "k8s_network_names"): {"additional_networks": POD_NETWORKS},
    (GKE, "enable_slice_controller"): {"version_prefix": "1.35."},
    (GKE, "enable_ml_diagnostics"): {"version_prefix": "1.35.", "configure_workload_identity_sa": True, "namespace": "jobs"},
    (GKE, "enable_fqdn_network_policy"): {"enable_dataplane_v2": True},
    (GKE, "k8s_service_account_name"): {"configure_workload_identity_sa": True},
    (DATABASE, "use_psc_connection"): {"subnetwork_self_link": "$(network.subnetwork_self_link)"},
    ("*", "shielded_instance_config"): {"enable_shielded_vm": True},
    ("*", "disk_encryption_key_service_account"): {"disk_encryption_key": KEY + "one"},
    ("modules/file-system/cloud-storage-bucket", "anywhere_cache_create_timeout"): {"anywhere_cache": {"zones": ["us-central1-b"]}},
    ("modules/file-system/pre-existing-network-storage", "parallelstore_options"): {"fs_type": "daos"},
    ("*", "enable_confidential_vm"): {"machine_type": "n2d-standard-8"},
    ("*", "confidential_instance_type"): {"machine_type": "n2d-standard-8", "enable_confidential_vm": True},
    ("*", "spot_instance_config"): SPOT,
    (NODESET, "on_host_maintenance"): {"enable_placement": False},
    (NODESET, "dws_flex"): {"machine_type": "a2-highgpu-1g", "enable_placement": False},
    (NODESET, "accelerator_topology"): {"machine_type": "a4x-highgpu-4g"},
    ("*", "additional_networks.network"): {"additional_networks": BY_NETWORK},
    (DYNAMIC, "additional_networks.network"): {"additional_networks": [{**INTERFACE, "network": "$(second.network_self_link)"}]},
    ("*", "network_interfaces.network"): {
        "network_interfaces": [{**INTERFACE, "subnetwork": None, "network": "$(second.network_self_link)"}]},
    # A region is refused if a zone of another one is set.
    ("*", "region"): {},
    **{(CONTROLLER, f"{kind}_scripts.source"): {f"{kind}_scripts": STAGED} for kind in KINDS},
    **{("modules/network/firewall-rules", f"{way}_rules.{end}_service_accounts"): {f"{way}_rules": OF_ACCOUNTS}
       for way in ("ingress", "egress") for end in ("source", "target")},
    ("modules/network/firewall-rules", "ingress_rules.deny"): {"ingress_rules": OTHER_DENY},
    ("modules/network/firewall-rules", "egress_rules.deny"): {"egress_rules": OTHER_DENY},
    ("modules/network/vpc", "secondary_ranges_list.subnetwork_name"): {
        "subnetworks": [{"subnet_name": "pool"}, {"subnet_name": "lake"}],
        "secondary_ranges_list": [{"subnetwork_name": "pool", "ranges": [{"range_name": "pods", "ip_cidr_range": RANGE[0]}]}]},
    (MACHINE, "local_ssd_interface"): {"local_ssd_count": 1},
    (MACHINE, "add_deployment_name_before_prefix"): {"name_prefix": "worker"},
    ("modules/file-system/filestore", "protocol"): {"filestore_tier": "ENTERPRISE", "size_gb": 1024},
    ("modules/project/service-account", "billing_account_id"): {"grant_billing_role": True},
    ("modules/scripts/startup-script", "http_no_proxy"): {"http_proxy": "http://proxy.example.com:3128"},
}
