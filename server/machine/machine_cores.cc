#include "server/machine/machine_cores.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <thread>

#include "server/machine/control_groups.h"

namespace stagedoor::server {
namespace {

constexpr double kNoQuota = std::numeric_limits<double>::infinity();

// The cores of a quota in each period. Files without a quota have "max" or -1 instead of a number.
double CoresOf(std::istream& quota, std::istream& period) {
  double used = 0, of = 0;
  if (!(quota >> used) || !(period >> of) || used <= 0 || of <= 0) return kNoQuota;
  return used / of;
}

double QuotaOf(const ControlGroupFolder& group) {
  if (group.is_v2) {
    std::ifstream both(group.path + "/cpu.max");  // "200000 100000"
    return CoresOf(both, both);
  }
  std::ifstream quota(group.path + "/cpu.cfs_quota_us"), period(group.path + "/cpu.cfs_period_us");
  return CoresOf(quota, period);
}

}  // namespace

int UsableCores(int cores, const std::string& root) {
  double usable = cores;
  VisitControlGroups(root, "cpu", [&](const ControlGroupFolder& group) {
    usable = std::min(usable, std::ceil(QuotaOf(group)));
  });
  return std::max(1, static_cast<int>(usable));
}

int UsableCores() { return UsableCores(static_cast<int>(std::thread::hardware_concurrency())); }

}  // namespace stagedoor::server
