#include "server/machine_memory.h"

#include <sys/resource.h>

#include <algorithm>
#include <fstream>
#include <string_view>

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

std::optional<uint64_t> AddressSpaceLimit() {
  struct rlimit limit;
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return std::nullopt;
  return limit.rlim_cur;
}

// The smallest limit of a control group and its ancestors. Parts of the path may not exist: a
// container sees its own group as the root.
std::optional<uint64_t> GroupLimit(const std::string& mount, std::string group,
                                   const std::string& file) {
  std::optional<uint64_t> limit;
  for (;;) {
    while (!group.empty() && group.back() == '/') group.pop_back();
    Lower(NumberIn(mount + group + "/" + file), &limit);
    if (group.empty()) return limit;
    group.resize(std::min(group.rfind('/'), group.size()));
    if (group.find('/') == std::string::npos) group.clear();
  }
}

// Whether a controller list like "cpu,memory" includes "memory".
bool HasMemory(std::string_view controllers) {
  while (!controllers.empty()) {
    const size_t comma = controllers.find(',');
    if (controllers.substr(0, comma) == "memory") return true;
    controllers.remove_prefix(std::min(comma, controllers.size() - 1) + 1);
  }
  return false;
}

}  // namespace

std::optional<uint64_t> UsableMemory(const std::string& root) {
  std::optional<uint64_t> memory = MachineMemory(root);
  std::ifstream groups(root + "/proc/self/cgroup");
  // "NUMBER:CONTROLLERS:PATH"; an empty list of controllers means cgroup version 2.
  for (std::string line; std::getline(groups, line);) {
    const size_t first = line.find(':');
    const size_t second = first == std::string::npos ? first : line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const std::string group = line.substr(second + 1);
    if (controllers.empty()) {
      Lower(GroupLimit(root + "/sys/fs/cgroup", group, "memory.max"), &memory);
    } else if (HasMemory(controllers)) {
      Lower(GroupLimit(root + "/sys/fs/cgroup/memory", group, "memory.limit_in_bytes"), &memory);
    }
  }
  if (root.empty()) Lower(AddressSpaceLimit(), &memory);
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
