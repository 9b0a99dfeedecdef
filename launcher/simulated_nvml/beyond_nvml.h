// What only the simulated NVML can tell. The real programs learn it from the driver, not from NVML.
#pragma once

// A simulated GPU, lost ones too.
struct SimulatedGpu {
  unsigned pci_bus;
  unsigned xids;  // how many of `xid` are set: those not yet cleared, oldest first
  int xid[32];
};

// Fills `*to` and returns 1, or 0 if there is no such GPU. NVIDIA's library lacks this symbol.
extern "C" int slipway_simulated_gpu(unsigned index, SimulatedGpu* to);
