# Lines of slurm.conf for prologs that take minutes, such as those that pull images. Blueprints refer to this file.
# Slurm calls a longer MessageTimeout too high.
MessageTimeout=100
BatchStartTimeout=600
PrologEpilogTimeout=600
