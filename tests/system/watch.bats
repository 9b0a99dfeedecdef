# Real jobs under `slipway launch` that hang, break a rule about their output, or are slowed down by a slow link, and one
# that writes a long checkpoint: what is found from outside, and on which host.

# bats file_tags=apart
load helper
load launch_helper

NAME=st-watch
N=stwatch-a3meganodeset

# A program whose steps need all ranks, over TCP: ./together.py STEPS WHAT. In the first attempt, rank 2 shows WHAT at step 5.
install_together() {
  write_program /home/together.py <<'END'
#!/usr/bin/env python3
import os
import socket
import sys
import time

rank, size, steps, what = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"]), int(sys.argv[1]), sys.argv[2]
first = os.environ["SLIPWAY_RESTART_COUNT"] == "0"
hub = (os.environ["MASTER_ADDR"], int(os.environ["MASTER_PORT"]))


def connect():
    while True:
        try:
            return socket.create_connection(hub)
        except OSError:
            time.sleep(0.1)


if rank == 0:
    server = socket.create_server(("", hub[1]))
    peers = [server.accept()[0] for _ in range(size - 1)]
else:
    peers = [connect()]


def together():
    """Returns when all ranks have called it; nobody spins."""
    if rank == 0:
        for peer in peers:
            peer.recv(1)
    for peer in peers:
        peer.send(b".")
    if rank != 0:
        peers[0].recv(1)


def checkpoint(seconds):
    end, path = time.monotonic() + seconds, f"/home/checkpoint-{os.environ['SLURM_JOB_ID']}-{rank}"
    with open(path, "wb", buffering=0) as file:
        while time.monotonic() < end:
            file.write(bytes(1 << 20))
            file.seek(0)
            time.sleep(0.25)
    os.remove(path)


if rank == 2:
    print(f"rank 2 runs on {socket.gethostname()}", flush=True)
for step in range(1, steps + 1):
    together()
    if rank == 0:
        print(f"step {step}", flush=True)
    time.sleep(0.2)
    if first and step == 5 and what == "checkpoint":
        checkpoint(25)
    if first and step == 5 and rank == 2:
        if what == "busy":
            while True:
                pass
        if what == "accept":
            socket.create_server(("127.0.0.1", 0)).accept()
        if what == "nan":
            print("loss: nan", flush=True)
END
}

# host_of_rank_2: as the first attempt printed it
host_of_rank_2() { sed -n 's/^rank 2 runs on //p' <<<"$output" | head -1; }

# There is no NCCL here: a stand-in for its RAS service runs beside rank 0, with an answer that was recorded.
@test "watch: a rank in a busy loop is named, also by NCCL's RAS, and its node replaced" {
  install_together
  write_program /home/ras.py <"$BATS_TEST_DIRNAME/../fakes/nccl_recorded/ras.py"
  # As if it had been recorded here: RAS knows addresses.
  sed "s/192.0.2.2/$(on $NAME login getent ahostsv4 $N-1 | head -1 | cut -d' ' -f1)/" \
    "$BATS_TEST_DIRNAME/../fakes/nccl_recorded/ras-stopped.txt" | write_program /home/ras-stopped.txt
  write_program /home/together-and-ras.sh <<'END'
#!/bin/sh
[ "$RANK" != 0 ] || sleep 600 | ./ras.py ras-stopped.txt ok 127.0.0.1 28028 >/dev/null &
exec ./together.py "$@"
END
  submit --spares 1 --hang 10 --on-hang blame -- ./together-and-ras.sh 10 busy
  ended 0
  says "rank 2 is busy, and all others wait (on $(host_of_rank_2))"
  says "(on $(host_of_rank_2)); NCCL's RAS: rank 1 of 2 does not answer (process 1707 on $N-1)"
  says "hang, blamed: $(host_of_rank_2)"
  says "attempt 2 on 4 nodes"
}

# On each node, another user has NCCL's port.
@test "watch: a rank that waits for a connection is named, and its node replaced; another user's RAS is not believed" {
  install_together
  write_program /home/ras.py <"$BATS_TEST_DIRNAME/../fakes/nccl_recorded/ras.py"
  write_program /home/ras-stopped.txt <"$BATS_TEST_DIRNAME/../fakes/nccl_recorded/ras-stopped.txt"
  local node
  for node in 0 1 2 3 4; do
    on $NAME $N-$node sh -c 'setsid setpriv --reuid=30001 --clear-groups sh -c "sleep 300 | exec /home/ras.py /home/ras-stopped.txt ok 127.0.0.1 28028" \
      >/dev/null 2>&1 & echo $! >/run/foreign-ras'
  done
  submit --spares 1 --hang 10 --on-hang blame -- ./together.py 10 accept
  ended 0
  for node in 0 1 2 3 4; do on $NAME $N-$node sh -c 'kill -- -$(cat /run/foreign-ras)'; done
  says "NCCL's RAS: another user (uid 30001) listens on 127.0.0.1:28028 on $N-"
  [[ "$output" != *"does not answer"* ]]
  says "rank 2 waits in inet_csk_accept, and all others in "
  says "hang, blamed: $(host_of_rank_2)"
}

@test "watch: a broken rule about the output restarts the job, and names the rank that printed it" {
  install_together
  on $NAME login sh -c "cat >/home/rules.yaml" <<'END'
- {name: not a number, logPattern: 'loss: nan', faultOnMatch: true}
END
  submit --spares 1 --on-hang restart --log-rules rules.yaml -- ./together.py 10 nan
  ended 0
  says "log rule: \`not a number\`: rank 2 wrote \`loss: nan\` (on $(host_of_rank_2))"
  says "attempt 2 on 4 nodes"
}

@test "watch: a checkpoint longer than the limit is not a hang" {
  install_together
  submit --spares 1 --hang 10 --on-hang restart -- ./together.py 10 checkpoint
  ended 0
  [[ "$output" != *"hang"* && "$output" != *"attempt 2"* ]]
}

# There is no NCCL here: each pair of ranks is a communicator, whose AllReduces go over the network, and a stand-in for
# the inspector of NCCL 2.28 records a sample of them.
@test "watch: the host of a slow link is named by the speeds of real exchanges" {
  write_program /home/nccl_inspector.py <"$BATS_TEST_DIRNAME/../fakes/nccl_recorded/inspector.py"
  write_program /home/pairs.py <<'END'
#!/usr/bin/env python3
import os
import socket
import time

from nccl_inspector import Recorder

rank, size = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
folder, amount = f"/home/pairs-{os.environ['SLURM_JOB_ID']}", 256 << 10
os.makedirs(folder, exist_ok=True)
server = socket.create_server(("", 0))
with open(f"{folder}/new-{rank}", "w") as file:
    file.write(f"{socket.gethostbyname(socket.gethostname())} {server.getsockname()[1]}")
os.rename(f"{folder}/new-{rank}", f"{folder}/{rank}")


def connect(other):
    while not os.path.exists(f"{folder}/{other}"):
        time.sleep(0.05)
    host, port = open(f"{folder}/{other}").read().split()
    link = socket.create_connection((host, int(port)))
    link.sendall(bytes([rank]))
    return link


def receive(link, count):
    while count > 0:
        count -= len(link.recv(min(count, 1 << 16)))


def enter_together():
    """Otherwise, who waited for the slow link would enter the next exchange late."""
    if rank == 0:
        for link in links.values():
            receive(link, 1)
        for link in links.values():
            link.sendall(b"b")
    else:
        links[0].sendall(b"a")
        receive(links[0], 1)


links = {other: connect(other) for other in range(rank)}
for _ in range(rank + 1, size):
    link = server.accept()[0]
    links[link.recv(1)[0]] = link
recorder = Recorder()
print(f"rank {rank} is ready", flush=True)
number = 0
while True:
    number += 1
    for turn in range(size):
        # Each pair meets in one turn; with an odd number of ranks, one rests.
        other = (turn - rank) % size
        enter_together()
        if other == rank:
            continue
        link, leads = links[other], rank < other
        begin = time.monotonic()
        for sends in (leads, not leads):
            link.sendall(bytes(amount)) if sends else receive(link, amount)
        link.sendall(b"e") if leads else receive(link, 1)
        seconds = time.monotonic() - begin
        low, high = min(rank, other), max(rank, other)
        recorder.record(low << 8 | high, 0 if leads else 1, 2, 2, "AllReduce", number, amount, seconds)
    time.sleep(0.2)
END
  submit --nccl-watch -- ./pairs.py
  wait_for has_said "rank 4 is ready"
  slipway fault $NAME $N-2 link-rate enp0s12 50mbit
  wait_for has_said "slow link: collectives with $N-2 reach" || { output && false; }
  [ "$(output | grep -c 'straggler:')" -eq 0 ]
  on $NAME login scancel "$JOB"
  slipway fault $NAME $N-2 clear
}

# There is no NCCL here either: each AllReduce is a meeting of all ranks over TCP, and the program calls the plugin that
# --nccl-watch names as NCCL does.
@test "watch: a slow host is named by what Slipway's plugin records, and nobody while all are alike" {
  write_program /home/profiled.py <"$BATS_TEST_DIRNAME/../fakes/nccl/profiled.py"
  write_program /home/even.py <<'END'
#!/usr/bin/env python3
import os
import random
import socket
import time

from profiled import Communicator

rank, size, job = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"]), os.environ["SLURM_JOB_ID"]
hub = (os.environ["MASTER_ADDR"], int(os.environ["MASTER_PORT"]))


def connect():
    while True:
        try:
            return socket.create_connection(hub)
        except OSError:
            time.sleep(0.1)


if rank == 0:
    server = socket.create_server(("", hub[1]))
    peers = [server.accept()[0] for _ in range(size - 1)]
else:
    peers = [connect()]
communicator = Communicator(7, rank, size, size)
if rank == 2:
    print(f"rank 2 runs on {socket.gethostname()}", flush=True)
while True:
    time.sleep(random.uniform(0.19, 0.21))
    if rank == 2 and os.path.exists(f"/home/slow-{job}"):
        time.sleep(0.1)
    communicator.begin("AllReduce", 1 << 20)
    if rank == 0:
        for peer in peers:
            peer.recv(1)
    for peer in peers:
        peer.send(b".")
    if rank != 0:
        peers[0].recv(1)
    communicator.end()
END
  submit --nccl-watch -- ./even.py
  wait_for has_said "rank 2 runs on"
  sleep 75 # two windows of 30 s, after which a straggler would be named
  run output
  [[ "$output" != *"straggler"* && "$output" != *"records nothing"* ]] || { echo "$output" && false; }
  on $NAME login touch "/home/slow-$JOB"
  wait_for has_said "straggler: $(host_of_rank_2) enters collectives last" || { output && false; }
  run output
  [ "$(grep -c 'straggler: ' <<<"$output")" -eq 1 ]
  [[ "$output" =~ "the others wait for it for "(2|3|4)[0-9]" % of the time" ]]
  on $NAME login grep -q '"straggler"' "/home/slipway-ledger-$JOB.jsonl"
  on $NAME login scancel "$JOB"
}

@test "watch: who has a profiler plugin of their own learns that --nccl-watch records nothing" {
  write_program /home/own-plugin.sh <<'END'
#!/bin/sh
exec echo "the plugin is $NCCL_PROFILER_PLUGIN"
END
  NODES=1 submit --nccl-watch -- ./own-plugin.sh
  ended 0
  [[ "$output" != *"records nothing"* ]]
  says "the plugin is /opt/slipway/lib/slipway/nccl/libnccl-profiler-slipway.so"
  on $NAME login sh -c "sed 's/^.opt.slipway/NCCL_PROFILER_PLUGIN=mine &/' /home/launch.sbatch >/home/own.sbatch"
  JOB=$(on $NAME login sbatch --parsable /home/own.sbatch)
  ended 0
  says "the plugin is mine"
  says "slipway launch: --nccl-watch records nothing: your own NCCL_PROFILER_PLUGIN is \`mine\`"
}
