// The notations that containers read: environments, fstab, mount flags, accounts, mountinfo;
// and the limits of what root does.
#include <fcntl.h>
#include <signal.h>
#include <sys/mount.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <filesystem>
#include <fstream>

#include "common/error.h"
#include "spank-plugins/container/accounts.h"
#include "spank-plugins/container/entrypoint.h"
#include "spank-plugins/container/environment.h"
#include "spank-plugins/container/job_namespace.h"
#include "spank-plugins/container/mounts.h"
#include "spank-plugins/container/plan_text.h"
#include "spank-plugins/container/pmi.h"
#include "spank-plugins/container/root_help.h"
#include "spank-plugins/container/save_excludes.h"
#include "spank-plugins/container/transport_folder.h"
#include "tests/unit/catch.h"
#include "tests/unit/temporary_directory.h"

using namespace slipway;
using namespace slipway::container;

TEST_CASE("container environment: reads what images write") {
  const Environment job = {{"USER", "ada"}, {"EMPTY", ""}};
  const Environment read = parse_environment(
      "# comment\nPLAIN=a b\nQUOTED=\"a b\"\nexport TOO=1\nJOB=x${USER}y${NONE}z\n=none\n1A=b\n"
      "BAD NAME=c\nODD=${not a name}\nEQUALS=a=b\nEND=\"\r\n",
      job);
  CHECK(read == Environment{{"PLAIN", "a b"},
                            {"QUOTED", "a b"},
                            {"TOO", "1"},
                            {"JOB", "xadayz"},
                            {"ODD", "${not a name}"},
                            {"EQUALS", "a=b"},
                            {"END", "\""}});
}

TEST_CASE("container environment: the image wins, except what the job asked for and has") {
  const Environment job = {{"A", "job"}, {"B", "job"}, {"LANG", "de"}, {"LC_ALL", "de"}};
  const Environment image = {{"A", "image"}, {"B", "image"}, {"C", "image"}};
  CHECK(merged(job, image, {"B", "C", "LC_ALL"}) ==
        Environment{{"A", "image"}, {"B", "job"}, {"C", "image"}, {"LC_ALL", "de"}});
}

TEST_CASE("container namespaces: Slurm's of a job is the mount of an nsfs file") {
  const std::string mounts =
      "60 24 0:4 mnt:[4026532711] /var/job\\040tmp/12/.ns rw shared:1 - nsfs nsfs rw\n"
      "61 24 0:4 mnt:[4026532712] /var/job\\040tmp/112/.ns rw - nsfs nsfs rw\n"
      "62 24 0:9 / /tmp/13/.ns rw - tmpfs nsfs rw\n";
  CHECK(job_namespace_in(mounts, 12) == "/var/job tmp/12/.ns");
  CHECK(job_namespace_in(mounts, 2).empty());
  CHECK(job_namespace_in(mounts, 13).empty());
  CHECK(job_namespace_in("", 12).empty());
}

TEST_CASE("container environment: what PyTorch and PMIx need of a task") {
  Environment task = {{"SLURM_PROCID", "5"},
                      {"SLURM_LOCALID", "1"},
                      {"SLURM_JOB_ID", "9073"},
                      {"SLURM_STEP_ID", "0"},
                      {"SLURM_NTASKS", "8"},
                      {"RANK", "0"},
                      {"SLURM_STEP_NODELIST", "n[07-09,12],x"},
                      {"SLURM_STEP_NUM_TASKS", "8"},
                      {"SLURM_STEP_NUM_NODES", "4"}};
  CHECK(task_variables(task).empty());
  task["PYTORCH_VERSION"] = "2";
  task["WORLD_SIZE"] = "16";
  CHECK(task_variables(task) == Environment{{"RANK", "5"},
                                            {"LOCAL_RANK", "1"},
                                            {"MASTER_ADDR", "n07"},
                                            {"MASTER_PORT", "61001"},
                                            {"OMP_NUM_THREADS", "1"}});
  CHECK(task_variables({{"PMIX_RANK", "0"}, {"PMIX_GDS_MODULE", "hash"}}) ==
        Environment{{"PMIX_MCA_gds", "hash"}});
}

TEST_CASE("container environment: a folder of libraries comes last, and once") {
  CHECK(with_library_folder("", "/d") == "/d");
  CHECK(with_library_folder("/a:/b", "/d") == "/a:/b:/d");
  CHECK(with_library_folder("/d:/a", "/d") == "/d:/a");
  CHECK(with_library_folder("/a/d:", "/d") == "/a/d::/d");  // an empty entry is the current folder
}

TEST_CASE("container environment: the first host of a list") {
  CHECK(first_host("") == "");
  CHECK(first_host("a,b") == "a");
  CHECK(first_host("a[3,5-7]b[1-2],c") == "a3b1");
  CHECK(first_host("a[003-010]") == "a003");
  CHECK(first_host("a[") == "a");
}

TEST_CASE("container mounts: flags of a bind mount") {
  const MountFlags flags = understand_flags(
      {"x-create=auto", "rbind", "ro", "noexec", "rprivate", "nofail", "noatime"}, "");
  CHECK(flags.kind == MountKind::bind);
  CHECK(flags.make == MakeTarget::automatic);
  CHECK((flags.recursive && flags.may_fail && flags.propagation_recursive));
  CHECK(flags.propagation == MS_PRIVATE);
  CHECK(flags.set == (MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOEXEC | MOUNT_ATTR_NOATIME));
  CHECK(understand_flags({"ro", "rw"}, "none").set == 0);
  CHECK_THROWS_WITH(understand_flags({"size=1"}, ""), "unknown mount flag `size=1`");
  CHECK(understand_flags({"size=1"}, "tmpfs").options == std::vector<std::string>{"size=1"});
}

TEST_CASE("container mounts: lines of enroot's fstab") {
  const auto lines = parse_fstab(
      "# comment\n/proc /proc rbind,ro\ntmpfs\t/tmp\n${PWD} /mnt none x-create=dir,bind # own\n"
      "/data nofail\n",
      {{"PWD", "/job"}});
  REQUIRE(lines.size() == 4);
  CHECK((lines[0].target == "/proc" && lines[0].type.empty() && lines[0].flags.size() == 2));
  CHECK((lines[1].target == "/tmp" && lines[1].type == "tmpfs"));
  CHECK((lines[2].source == "/job" && lines[2].type == "none" && lines[2].flags.size() == 2));
  CHECK((lines[3].target == "/data" && lines[3].flags == std::vector<std::string>{"nofail"}));
  CHECK_THROWS_WITH(parse_fstab("\n\nUUID=1 none swap\n", {}),
                    "/etc/fstab of the image, line 3: `UUID=1` is not an absolute path");
}

TEST_CASE("container accounts: ours come first, and replace the image's") {
  const Account ada = {1000, 1001, "ada", "team", "Ada", "/home/ada", "/bin/bash"};
  const std::string image =
      "root:x:0:0::/:/bin/x\n_apt:x:42:1::/:\nother:x:1000:1::/:\nweb:x:9:9::/:\n";
  CHECK(passwd_with(ada, image, false) ==
        "root:x:0:0:root:/root:/bin/sh\nada:x:1000:1001:Ada:/home/ada:/bin/bash\nweb:x:9:9::/:\n");
  CHECK(passwd_with(ada, "ada:x:7:7::/:\n", true) ==
        "root:x:0:0:root:/root:/bin/bash\nada:x:7:7::/:\n");
  CHECK(group_with(ada, "team:x:5:\nweb:x:9:\n", false) == "root:x:0:\nteam:x:1001:\nweb:x:9:\n");
}

TEST_CASE("container save: names mounts as patterns") {
  CHECK(unescaped_mount("/a\\040b\\") == "/a b\\");
  CHECK(glob_of("a[b]*\\") == "a\\[b\\]\\*\\\\");
  CHECK(excluded_mounts("1 0 0:1 / / rw - a a\n2 1 0:2 / /etc rw - a a\n3 1 0:3 / /no\\040ne rw\n",
                        "") == std::vector<std::string>{"etc/*", "no ne"});
}

TEST_CASE("container save: a place that cannot get the file is an error before the step") {
  const TemporaryDirectory folder;
  const std::filesystem::path inside = folder.path() / "image.sqsh";
  CHECK(check_place_to_save(inside) == "");
  std::ofstream(inside) << "an older one";
  CHECK(check_place_to_save(inside) == "");
  const std::string what = "cannot save the container as `";
  CHECK_THROWS_WITH(check_place_to_save(inside / "x"),
                    what + inside.string() + "/x`: Not a directory");
  CHECK_THROWS_WITH(check_place_to_save(folder.path()),
                    what + folder.path().string() + "`: Is a directory");
  CHECK_THROWS_WITH(check_place_to_save(inside / "x/y"),
                    what + inside.string() + "/x/y`: `" + inside.string() + "/x`: Not a directory");
  // A task can make it.
  CHECK(check_place_to_save(folder.path() / "none/deep/x") == folder.path() / "none/deep");
  if (::geteuid() == 0) return;  // may write everywhere
  CHECK_THROWS_WITH(check_place_to_save("/proc/none/x"),
                    "cannot save the container as `/proc/none/x`: Permission denied");
  CHECK_THROWS_WITH(check_place_to_save("/proc/x"),
                    "cannot save the container as `/proc/x`: Permission denied");
}

TEST_CASE("container PMIx: the folder of a step's server") {
  const std::string sockets =
      "Num RefCount Protocol Flags Type St Inode Path\n"
      "0: 2 0 10000 1 1 5 /var/spool/slurmd/pmix.4.10/stepd.slurm.pmix.4.10.0\n"
      "0: 2 0 10000 1 1 6 /var/spool/slurmd/pmix.4.1/stepd.slurm.pmix.4.1.0\n"
      "0: 2 0 10000 1 1 7\n";
  CHECK(pmix_folders(sockets, "4", "1") == std::vector<std::string>{"/var/spool/slurmd/pmix.4.1"});
  CHECK(pmix_folders(sockets, "4", "2").empty());
}

TEST_CASE("container messages: any bytes come back, and anything else is refused") {
  ContainerPlan plan;
  plan.image = "/a b";
  plan.mounts = {{"/x", "", {"ro", ""}}};
  plan.job = {{"A", std::string("\xff\n:\"", 4)}, {"EMPTY", ""}};
  plan.remap_root = true;
  const ContainerPlan read = decode_plan(encode(plan));
  CHECK(read.image == plan.image);
  CHECK(read.mounts.at(0).flags == plan.mounts[0].flags);
  CHECK(read.job == plan.job);
  CHECK((read.remap_root && !read.writable));
  for (const char* text : {"", "5", "5:ab", "x:", "99999999999999999999:", "-1:", "1:a:"}) {
    CHECK_THROWS_WITH(decode_answer(text), "the container's keeper sent an invalid message");
  }
}

TEST_CASE("container entrypoint: reads a process's variables") {
  CHECK(parse_environ(std::string_view("A=1\0B=x\ny\0\0=c\0D", 15)) ==
        Environment{{"A", "1"}, {"B", "x\ny"}});
}

TEST_CASE(
    "container: a node's transport is shown with what its vendor keeps beside the libraries") {
  NodeTransport transport;
  CHECK_FALSE(transport_folder(transport));
  transport.libraries = {"/usr/local/gib/lib64", {"libnccl-net.so"}, true};
  CHECK(transport_folder(transport)->folder == "/usr/local/gib/lib64");
  transport.vendor_profile.path = "/usr/local/gib/scripts/set_nccl_env.sh";
  CHECK(transport_folder(transport)->folder == "/usr/local/gib");
  CHECK(transport_folder(transport)->file == "/usr/local/gib/lib64/libnccl-net.so");
  transport.vendor_profile.path = "/usr/local/etc/profile.sh";  // nobody's folder is /usr/local
  CHECK(transport_folder(transport)->folder == "/usr/local/gib/lib64");
}

TEST_CASE("container root: its helper gives a descriptor, or says why not") {
  const auto device = [] { return Fd(::open("/dev/null", O_RDONLY)); };
  const auto missing = [] { return Fd(::open("/none", O_RDONLY)); };
  if (::geteuid() != 0) {
    CHECK_FALSE(made_by_root(device));
    CHECK(errno == EPERM);
    return;
  }
  CHECK(made_by_root(device));
  CHECK_FALSE(made_by_root(missing));
  CHECK(errno == ENOENT);
}

TEST_CASE("container root: a helper that a user stops or kills is not waited for") {
  if (::geteuid() != 0) return;
  const auto stopped = []() -> Fd {
    ::raise(SIGSTOP);
    return Fd();
  };
  CHECK_FALSE(made_by_root(stopped, std::chrono::milliseconds(50)));
  CHECK(errno == ETIMEDOUT);
  const auto killed = []() -> Fd {
    ::raise(SIGKILL);
    return Fd();
  };
  CHECK_FALSE(made_by_root(killed));
  CHECK(errno == ECHILD);
}
