# Lines of slurm.conf for many short jobs (https://slurm.schedmd.com/high_throughput.html). Blueprints refer to this file.
MaxArraySize=10001
MaxJobCount=500000
MaxNodeCount=65536
MinJobAge=60
SlurmctldDebug=error
SlurmdDebug=error
MessageTimeout=60
AuthInfo=cred_expire=120,ttl=120
