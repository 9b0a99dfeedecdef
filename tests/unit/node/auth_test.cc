#include "launcher/node/auth.h"

#include "common/error.h"
#include "tests/unit/catch.h"

using namespace slipway::node;

TEST_CASE("auth: slurm.conf decides, and munge is the default") {
  CHECK(auth_of("ClusterName=c\nAuthType=auth/slurm\n") == Auth::slurm);
  CHECK(auth_of("ClusterName=c\nAuthType=auth/munge\n") == Auth::munge);
  CHECK(auth_of("# AuthType=auth/slurm\nClusterName=c\n") == Auth::munge);
}

TEST_CASE("auth: an image whose Slurm is too old for auth/slurm says so") {
  CHECK_NOTHROW(require_auth(Auth::munge, {22, 5, 8}));
  CHECK_NOTHROW(require_auth(Auth::slurm, {24, 11, 5}));
  CHECK_THROWS_WITH(require_auth(Auth::slurm, {22, 5, 8}),
                    ContainsSubstring("this image's Slurm 22.05.8 has no auth/slurm"));
}
