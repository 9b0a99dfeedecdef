# Lines of slurmdbd.conf for many short jobs. Blueprints refer to this file.
DebugLevel=info
CommitDelay=1
