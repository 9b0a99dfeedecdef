// Tests of our lines in a site's files, and of reading slurm.conf.
#include "launcher/hosts/site_files.h"

#include "launcher/hosts/pci.h"
#include "launcher/hosts/site.h"
#include "tests/unit/catch.h"

using namespace slipway::hosts;

TEST_CASE("site files: what was put in is taken out, and every other byte stays") {
  for (const std::string own : {"", "a=1\n", "a=1", "\n\n", "# END Slipway\na=1\n"}) {
    const std::string with = with_our_lines(own, "ours\n");
    CHECK(without_our_lines(with) == own);
    CHECK(with_our_lines(with, "") == own);
    CHECK(with_our_lines(with, "ours\n") == with);
    CHECK(without_our_lines(with_our_lines(with, "other\nlines\n")) == own);
  }
}

TEST_CASE("site files: what the site writes around our lines stays") {
  std::string text = with_our_lines("a=1", "ours\n") + "b=2\n";
  CHECK(without_our_lines(text) == "a=1\nb=2\n");
  text = with_our_lines("a=1\n", "ours\n") + "b=2\n";
  CHECK(with_our_lines(text, "more\n").ends_with("more\n# END Slipway\nb=2\n"));
  CHECK(without_our_lines(text) == "a=1\nb=2\n");
}

TEST_CASE("site files: a file that we made is known as ours, an empty one of the site's is not") {
  const std::string made = with_our_lines("", "ours\n", Origin::ours);
  CHECK(is_made_by_us(made));
  CHECK(is_made_by_us(with_our_lines(made, "other\n")));
  CHECK(without_our_lines(made).empty());
  CHECK(without_our_lines(made + "a=1\n") == "a=1\n");
  CHECK_FALSE(is_made_by_us(with_our_lines("", "ours\n")));
  CHECK_FALSE(is_made_by_us("a=1\n"));
}

TEST_CASE("site files: a difference shows three lines around the change") {
  CHECK(difference("x.conf", "1\n2\n3\n4\n", "1\n2\n3\n4\nnew\n") ==
        "--- x.conf\n+++ x.conf\n 2\n 3\n 4\n+new\n");
  CHECK(difference("x.conf", "", "new\n") == "--- /dev/null\n+++ x.conf\n+new\n");
  CHECK(difference("x.conf", "1\nold\n2\n", "1\n2\n") == "--- x.conf\n+++ x.conf\n 1\n-old\n 2\n");
  CHECK(difference("x.conf", "same\n", "same\n").empty());
}

TEST_CASE("slurm.conf: keys without case, comments, blanks and continued lines") {
  const std::string text =
      "#ClusterName=no\nclustername = yes # by Ana\nPrologFlags=Alloc,\\\nContain\n";
  CHECK(slurm_value(text, "ClusterName") == "yes");
  CHECK(slurm_value(text, "PrologFlags") == "Alloc,Contain");
  CHECK(slurm_value(text, "SlurmUser").empty());
  CHECK(slurm_value("A=1\nA=2", "A") == "2");
}

TEST_CASE("pci: distances as NVIDIA's programs name them") {
  const auto at = [](std::vector<std::string> above, int64_t node) {
    PciDevice device;
    device.above = std::move(above);
    device.numa_node = node;
    return device;
  };
  const PciDevice gpu = at({"pci0000:15", "15:01.0", "16:00.0", "17:01.0"}, 0);
  const auto from_gpu = [&](const PciDevice& other) {
    return std::string(name_of(distance_between(gpu, other)));
  };
  CHECK(from_gpu(at({"pci0000:15", "15:01.0", "16:00.0", "17:00.0"}, 0)) == "PIX");
  CHECK(from_gpu(at({"pci0000:15", "15:01.0", "16:00.0", "17:00.0", "18:00.0", "19:0.0"}, 0)) ==
        "PXB");
  CHECK(from_gpu(at({"pci0000:15", "15:02.0"}, 0)) == "PHB");
  CHECK(from_gpu(at({"pci0000:20", "20:01.0"}, 0)) == "NODE");
  CHECK(from_gpu(at({"pci0000:20", "20:01.0"}, 1)) == "SYS");
  CHECK(from_gpu(at({"pci0000:20", "20:01.0"}, -1)) == "SYS");
}
