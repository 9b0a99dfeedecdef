# Lines of slurm.conf for prologs that take minutes, such as those that pull images. Blueprints refer to this file.
MessageTimeout=600
BatchStartTimeout=600
PrologEpilogTimeout=600
