// Writes a ledger for ledger.py: a job that loses a node, is requeued, and ends well.
#include "common/command_line.h"
#include "launcher/job/ledger.h"
#include "tests/unit/job/ledger_lines.h"

int main(int argc, char** argv) {
  return slipway::run_main("write_ledger", [&] {
    slipway::job::LedgerWriter writer(argc > 1 ? argv[1] : "");
    slipway::job::Entry gone = failed(24000, 1, "node gone", "node");
    slipway::job::Entry hang = failed(22000, 1, "hang", "unknown");
    hang.event = slipway::job::Event::finding;
    gone.evidence = {"<b>no heartbeat</b> & no ping"};
    for (const slipway::job::Entry& entry :
         {begun(0), started(0, 1), progress(5000, 1, 0), progress(20000, 1, 15), hang, gone,
          energy(24000, 1, 1.6e6), ended(26000, "requeued"), begun(46000), started(47000, 2),
          progress(52000, 2, 10), progress(72000, 2, 30), energy(72000, 2, 2.0e6),
          ended(72000, "done")}) {
      writer.append(entry);
    }
    return 0;
  });
}
