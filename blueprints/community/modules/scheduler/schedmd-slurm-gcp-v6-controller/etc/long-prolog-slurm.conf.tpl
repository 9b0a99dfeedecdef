# Lines of slurm.conf for prologs that take minutes, such as those that pull images: blueprints name this file.
MessageTimeout=600
BatchStartTimeout=600
PrologEpilogTimeout=600
