// Loads the shipped patterns of failure messages.
#pragma once

#include "launcher/job/failure_words.h"
#include "launcher/source/diagnostics.h"

inline const slipway::job::FailureWords& shipped_words() {
  static const slipway::job::FailureWords words = [] {
    slipway::source::Sources sources;
    slipway::source::Diagnostics diagnostics(sources);
    return slipway::job::load_failure_words(TEST_SOURCE_ROOT "/blueprints/catalogue", sources,
                                            diagnostics);
  }();
  return words;
}
