#ifndef STAGEDOOR_SERVER_MACHINE_MACHINE_MEMORY_H_
#define STAGEDOOR_SERVER_MACHINE_MACHINE_MEMORY_H_

#include <cstdint>
#include <optional>
#include <string>

namespace stagedoor::server {

// The bytes of memory this process may use: the memory of the machine, lowered to the limits of its
// control groups (version 1 or 2, as containers and systemd set them) and of `ulimit -v`. Unset if
// none of these is known. `root` is prepended to "/proc" and "/sys"; tests set it.
std::optional<uint64_t> UsableMemory(const std::string& root = "");

// The budgets below are parts of one whole: by default they add up to the memory. That of clips
// consists mostly of mapped files, which the system can reclaim.

// The default budget of the clip cache: a quarter of the memory, at least 64 MiB, or 2 GiB if the
// memory is unknown.
uint64_t DefaultClipCacheBytes(std::optional<uint64_t> usable_memory);

// The default budget of the layer cache: an eighth, at least 64 MiB, or 2 GiB if unknown.
uint64_t DefaultLayerCacheBytes(std::optional<uint64_t> usable_memory);

// The default budget for all stages together: a quarter, at least 64 MiB, or 4 GiB if unknown.
uint64_t DefaultStageCacheBytes(std::optional<uint64_t> usable_memory);

// The default budget for all calls in flight: a quarter, at least 64 MiB, or 1 GiB if unknown.
uint64_t DefaultCallsBytes(std::optional<uint64_t> usable_memory);

// The default budget for arrays that crates store strongly compressed: an eighth, at least 64 MiB,
// or 1 GiB if unknown.
uint64_t DefaultExpansionBytes(std::optional<uint64_t> usable_memory);

// The memory use (base/memory_guard.h) above which requests get no more memory, given the `memory`
// the process may use. An eighth, at least 128 MiB, stays reserved for work outside requests; the
// result is never less than half of `memory`.
uint64_t RequestMemoryLimit(uint64_t memory);

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_MACHINE_MACHINE_MEMORY_H_
