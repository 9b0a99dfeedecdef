// What the unit tests include, parsed once for all of them: see common/pch/precompiled.h.
#include "common/pch/precompiled.h"
#include "tests/unit/catch.h"
