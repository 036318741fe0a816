#include "server/machine/machine_memory.h"

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string_view>

#include "server/machine/control_groups.h"

namespace stagedoor::server {
namespace {

constexpr uint64_t kLeastBudget = uint64_t{64} << 20;
constexpr uint64_t kUnknownSmallBudget = uint64_t{1} << 30;
constexpr uint64_t kUnknownBudget = uint64_t{2} << 30;
constexpr uint64_t kUnknownStageBytes = uint64_t{4} << 30;

// A budget that is a part of the memory, or `otherwise` if the memory is unknown.
uint64_t Share(std::optional<uint64_t> memory, uint64_t parts, uint64_t otherwise) {
  return memory ? std::max(*memory / parts, kLeastBudget) : otherwise;
}

// Lowers `memory` to `limit`, treating an unset value as unlimited.
void Lower(std::optional<uint64_t> limit, std::optional<uint64_t>* memory) {
  if (limit && (!*memory || *limit < **memory)) *memory = limit;
}

// The number a file begins with. Unset for "max" and missing files.
std::optional<uint64_t> NumberIn(const std::string& file) {
  std::ifstream in(file);
  uint64_t number;
  if (in >> number) return number;
  return std::nullopt;
}

std::optional<uint64_t> MachineMemory(const std::string& root) {
  std::ifstream in(root + "/proc/meminfo");
  for (std::string word; in >> word;) {
    uint64_t kibibytes;
    if (word == "MemTotal:" && in >> kibibytes) return kibibytes << 10;
  }
  return std::nullopt;
}

// The soft limit of the address space (`ulimit -v`). Unset if there is none.
std::optional<uint64_t> AddressSpaceLimit(const std::string& root) {
  constexpr std::string_view kName = "Max address space";
  std::ifstream in(root + "/proc/self/limits");
  for (std::string line; std::getline(in, line);) {
    if (line.compare(0, kName.size(), kName) != 0) continue;
    uint64_t bytes;
    if (std::istringstream(line.substr(kName.size())) >> bytes) return bytes;
  }
  return std::nullopt;
}

}  // namespace

std::optional<uint64_t> UsableMemory(const std::string& root) {
  std::optional<uint64_t> memory = MachineMemory(root);
  VisitControlGroups(root, "memory", [&](const ControlGroupFolder& group) {
    const char* const file = group.is_v2 ? "/memory.max" : "/memory.limit_in_bytes";
    Lower(NumberIn(group.path + file), &memory);
  });
  Lower(AddressSpaceLimit(root), &memory);
  return memory;
}

uint64_t DefaultExpansionBytes(std::optional<uint64_t> usable_memory) {
  return Share(usable_memory, 8, kUnknownSmallBudget);
}

uint64_t DefaultClipCacheBytes(std::optional<uint64_t> usable_memory) {
  return Share(usable_memory, 4, kUnknownBudget);
}

uint64_t DefaultLayerCacheBytes(std::optional<uint64_t> usable_memory) {
  return Share(usable_memory, 8, kUnknownBudget);
}

uint64_t DefaultStageCacheBytes(std::optional<uint64_t> usable_memory) {
  return Share(usable_memory, 4, kUnknownStageBytes);
}

uint64_t DefaultCallsBytes(std::optional<uint64_t> usable_memory) {
  return Share(usable_memory, 4, kUnknownSmallBudget);
}

uint64_t RequestMemoryLimit(uint64_t memory) {
  const uint64_t rest = std::max(memory / 8, uint64_t{128} << 20);
  return memory - std::min(rest, memory / 2);
}

}  // namespace stagedoor::server
