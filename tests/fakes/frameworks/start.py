#!/usr/bin/env python3
"""How frameworks start, from their documentation and sources: which variables they read, and what they refuse.

start.py FRAMEWORK <ENVIRONMENTS: reads a JSON list of environments, one a task, and prints for each
`COORDINATOR RANK of SIZE` on a line, or `refused: WHY`, or `alone` where the framework would silently train by itself.
Tests give it the variables of `slipway launch`: the frameworks themselves are not packages of Debian.
"""
import json
import sys


class Refused(Exception):
    pass


def required(env, name):
    if not env.get(name):
        raise Refused(f"environment variable {name} expected, but not set")
    return env[name]


def number(env, name):
    value = required(env, name)
    if not value.isdigit():
        raise Refused(f"{name}={value} is not a number")
    return int(value)


def torch(env):
    """torch/distributed/rendezvous.py, _env_rendezvous_handler"""
    rank, size = number(env, "RANK"), number(env, "WORLD_SIZE")
    return f"{required(env, 'MASTER_ADDR')}:{number(env, 'MASTER_PORT')}", rank, size


def torchrun_static(env):
    """torchrun --nnodes $NNODES --node-rank $NODE_RANK --master-addr $MASTER_ADDR --master-port $MASTER_PORT: the agents"""
    return f"{required(env, 'MASTER_ADDR')}:{number(env, 'MASTER_PORT')}", number(env, "NODE_RANK"), number(env, "NNODES")


def torchrun_c10d(env):
    """The same with --rdzv-backend c10d: the agent whose host name is that of the endpoint listens; ranks come later"""
    endpoint = f"{required(env, 'MASTER_ADDR')}:{number(env, 'MASTER_PORT')}"
    return endpoint, number(env, "SLURM_NODEID"), number(env, "SLURM_NNODES")


def slurm_first_host(nodes):
    """jax/_src/clusters/slurm_cluster.py: the first host of `a,b`, of `a[001-003],b` or of `a[1,3],b`"""
    end = next((i for i, c in enumerate(nodes) if c in ",["), len(nodes))
    if end == len(nodes) or nodes[end] == ",":
        return nodes[:end]
    rest = nodes[end + 1:]
    stop = next((i for i, c in enumerate(rest) if c in ",-"), None)
    stop = rest.index("]") if stop is None else min(stop, rest.index("]"))
    return nodes[:end] + rest[:stop]


def jax(env):
    """jax/_src/distributed.py: the variable wins; what is missing comes from Slurm, if it is present"""
    address = env.get("JAX_COORDINATOR_ADDRESS")
    if "SLURM_JOB_ID" not in env:
        raise Refused("coordinator_address should be defined.")
    if not address:
        address = f"{slurm_first_host(required(env, 'SLURM_STEP_NODELIST'))}:{int(env['SLURM_JOB_ID']) % 2 ** 12 + 61440}"
    if ":" not in address:
        raise Refused(f"coordinator address `{address}` has no port")
    number(env, "SLURM_LOCALID")
    return address, number(env, "SLURM_PROCID"), number(env, "SLURM_NTASKS")


def maxtext_gpu(env):
    """MaxText's initialize_jax_for_gpu: without all four, no error and no distributed system"""
    four = [env.get(name) for name in ("JAX_COORDINATOR_IP", "JAX_COORDINATOR_PORT", "NNODES", "NODE_RANK")]
    if None in four:
        return None
    host, port, size, rank = four
    return f"{host}:{int(port)}", int(rank), int(size)


def maxtext_gpu_multiprocess(env):
    """MaxText, hardware=gpu_multiprocess: jax.distributed.initialize() without arguments"""
    return jax(env)


def maxtext_cpu(env):
    """MaxText's initialize_jax_for_cpu: resolves the address as a host name, and adds port 1234"""
    host = required(env, "JAX_COORDINATOR_ADDRESS")
    if ":" in host:
        raise Refused(f"gethostbyname: `{host}` is not a host")
    rank = number(env, "JOB_INDEX") * number(env, "PROCESSES_IN_JOB") + number(env, "JOB_COMPLETION_INDEX")
    return f"{host}:1234", rank, number(env, "JAX_PROCESS_COUNT")


def deepspeed(env):
    """deepspeed/comm/comm.py, init_distributed: five variables, or it looks for MPI"""
    number(env, "LOCAL_RANK")
    return torch(env)


def accelerate(env):
    """accelerate/state.py: WORLD_SIZE above 1 with LOCAL_RANK makes it distributed"""
    if int(env.get("LOCAL_RANK", -1)) == -1:
        return None
    number(env, "LOCAL_WORLD_SIZE")
    return torch(env)


def lightning(env):
    """lightning/fabric/plugins/environments/slurm.py: recognizes srun, and validates its variables"""
    size = number(env, "SLURM_NTASKS")
    if env.get("SLURM_JOB_NAME") in ("bash", "interactive"):
        return None
    if size > 1 and "SLURM_NTASKS_PER_NODE" not in env:
        raise Refused("You set `--ntasks` in your SLURM bash script, but this variable is not supported")
    if number(env, "SLURM_LOCALID") >= number(env, "SLURM_NTASKS_PER_NODE"):
        raise Refused("SLURM_LOCALID is not below SLURM_NTASKS_PER_NODE")
    number(env, "SLURM_NODEID")
    host = env.get("MASTER_ADDR") or slurm_first_host(required(env, "SLURM_NODELIST"))
    port = env.get("MASTER_PORT") or int(required(env, "SLURM_JOB_ID")[-4:]) + 15000
    return f"{host}:{port}", number(env, "SLURM_PROCID"), size


def nemo_run(env):
    """A task of NeMo-Run's torchrun: --nnodes $SLURM_NNODES --node_rank $SLURM_NODEID"""
    return torchrun_c10d(env)


def megatron_bridge(env):
    """gpu-recipes: torchrun --node-rank=$JOB_COMPLETION_INDEX --rdzv-endpoint=$MASTER_ADDR:$MASTER_PORT"""
    return f"{required(env, 'MASTER_ADDR')}:{number(env, 'MASTER_PORT')}", number(env, "JOB_COMPLETION_INDEX"), number(env, "NNODES")


def main():
    start = globals()[sys.argv[1]]
    for env in json.load(sys.stdin):
        try:
            found = start(env)
            print("alone" if found is None else "{} {} of {}".format(*found))
        except Refused as why:
            print(f"refused: {why}")


if __name__ == "__main__":
    main()
