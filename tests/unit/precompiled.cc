// A precompiled header needs a target of its own to be compiled with: pch/precompiled.h.
