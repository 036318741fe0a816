#ifndef STAGEDOOR_SERVER_MACHINE_MEMORY_H_
#define STAGEDOOR_SERVER_MACHINE_MEMORY_H_

#include <cstdint>
#include <optional>
#include <string>

namespace stagedoor {

// How many bytes of memory this process may use at most: what the machine has, or the smallest
// limit of the control groups (version 1 or 2) it is in, as containers and systemd set them, and of
// `ulimit -v`. None where nothing says. `root` is where "/proc" and "/sys" are found; for tests,
// which the limit of their own process does not concern.
std::optional<uint64_t> UsableMemory(const std::string& root = "");

// The budget of the clip cache where the operator names none: a quarter of UsableMemory(), at least
// 64 MiB; 2 GiB where that is not known.
uint64_t DefaultClipCacheBytes(std::optional<uint64_t> usable_memory);

// The same for the layer cache: an eighth, at least 64 MiB; 2 GiB.
uint64_t DefaultLayerCacheBytes(std::optional<uint64_t> usable_memory);

// The same for what all stages hold: a quarter, at least 64 MiB; 4 GiB.
uint64_t DefaultStageCacheBytes(std::optional<uint64_t> usable_memory);

// The same for what all calls in flight may hold together: a quarter, at least 256 MiB; 1 GiB.
uint64_t DefaultCallsBytes(std::optional<uint64_t> usable_memory);

// The same for arrays that crates hold strongly compressed: an eighth, at least 256 MiB; 1 GiB.
uint64_t DefaultExpansionBytes(std::optional<uint64_t> usable_memory);

// What is in use (base/memory_guard.h) when requests get no more, of the memory that the process
// may use: an eighth, at least 128 MiB, stays for what is not work of requests; never less than
// half.
uint64_t RequestMemoryLimit(uint64_t memory);

}  // namespace stagedoor

#endif  // STAGEDOOR_SERVER_MACHINE_MEMORY_H_
