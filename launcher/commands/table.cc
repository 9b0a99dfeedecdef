// The table of commands.
#include "launcher/commands/commands.h"

namespace slipway::commands {

std::span<const Command> table() {
  static constexpr Command commands[] = {
      {"modules", "list the modules that blueprints can use, or show all about one", modules},
      {"check", "check a blueprint and say all that is wrong with it", check},
      {"fetch", "download the modules that a blueprint names from elsewhere", fetch},
      {"expand", "print a blueprint with every setting explicit", expand},
      {"schema", "print the JSON Schema of blueprints, for editors", schema},
      {"explain", "say where the value of a setting comes from", explain},
      {"graph", "draw the modules of a blueprint and what flows between them", graph},
      {"model", "print the cluster that a blueprint means, as JSON", model},
      {"quota", "count what a cluster needs of the cloud's quotas", quota},
      {"create", "write the definitions that Terraform and Packer make a cluster from", create},
      {"plan", "say what a deployment on Google Cloud would make, change and destroy", plan},
      {"deploy", "bring up the cluster of a blueprint", deploy},
      {"status", "show deployments, their nodes and what runs on them", status},
      {"exec", "run a command on a node of a deployment", exec},
      {"fault", "give a node a fault, or take it away: power, links, GPUs, disks, daemons", fault},
      {"health", "look at this node and say whether it is fit for a job", health},
      {"destroy", "take a deployment down and remove all of it", destroy},
      {"image", "make, list and remove root file systems for nodes of clusters on this machine",
       image},
      {"rehearse", "simulate a training job that fails, to choose spares and checkpoints",
       rehearse},
      {"launch", "run a training job that goes on when its nodes fail", launch},
      {"ledger", "say where the time of a training job went", ledger},
      {"node", "what a machine of a cluster does by itself: boot, resume, suspend, restart", node},
  };
  return commands;
}

}  // namespace slipway::commands
