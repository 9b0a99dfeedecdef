# Machines of two images in one cluster: a controller on Debian 13 with nodes on Ubuntu 24.04, as images for GPU machines have
# it. Takes minutes, and needs the archives of both: ./test.sh --images

# bats file_tags=apart,alone

load image_roots

setup_file() { start_gate; }

teardown_file() { stop_gate; }

teardown() { drop_roots; }

# conf FOLDER: the files that Slipway writes for the cluster, for machines without cgroups and a cloud; one node
conf() {
  local created=$SCRATCH/created
  "$SUITE/prefix/bin/slipway" create "$TOP/examples/first-day.yaml" -d "$TOP/examples/first-day-deployment.yaml" -o "$created" >&2
  mkdir -p "$1"
  cp "$created"/firstday/cluster/controller/slurm/* "$1/"
  rm "$1/plugstack.conf" "$1/job_container.conf"
  echo CgroupPlugin=cgroup/v1 >"$1/cgroup.conf"
  sed -i 's/\[0-1\]/0/g' "$1"/*.conf
  sed -i -E '/^(Resume|Suspend|HealthCheck|Accounting|PlugStack|JobContainer|Prolog|SlurmctldParameters|PrivateData)/d
    s/ (Suspend|Resume)[A-Za-z]*=[0-9]+//g; s/State=CLOUD.*/State=UNKNOWN CPUs=1 RealMemory=512/; s/DefMemPerCPU=[0-9]+/DefMemPerCPU=64/
    s,proctrack/cgroup,proctrack/linuxproc,; s/,task.cgroup//; s,jobacct_gather/cgroup,jobacct_gather/linux,' "$1/slurm.conf"
}

# add_slurm RELEASE: a root of that release with the recipe's Slurm
add_slurm() {
  fresh "$1"
  install "$1" base slurm mpi
}

@test "image versions: a controller on Debian 13 runs jobs on a node with Ubuntu 24.04, for users of either" {
  add_slurm trixie
  add_slurm noble
  conf "$SCRATCH/conf"
  run "$FAKES/two_releases.sh" "$(root_of trixie)" "$(root_of noble)" "$SCRATCH/conf" firstday-small-0
  echo "$output"
  [ "$status" -eq 0 ]
  says "controller: slurm-wlm 24.11."
  says "node: slurm-wlm 23.11."
  says "srun of controller: noble slurm-wlm 23.11."
  says "srun of node: noble slurm-wlm 23.11."
  says "sbatch of controller: two steps, exit code 7"
  says "sbatch of node: two steps, exit code 7"
}
