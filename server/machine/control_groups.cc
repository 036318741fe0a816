#include "server/machine/control_groups.h"

#include <algorithm>
#include <fstream>

#include "base/strings.h"

namespace stagedoor::server {
namespace {

// Whether a list like "cpu,cpuacct" has the controller.
bool Has(std::string_view controllers, std::string_view controller) {
  while (!controllers.empty()) {
    const size_t comma = controllers.find(',');
    if (controllers.substr(0, comma) == controller) return true;
    controllers.remove_prefix(std::min(comma, controllers.size() - 1) + 1);
  }
  return false;
}

}  // namespace

void VisitControlGroups(const std::string& root, std::string_view controller,
                        const std::function<void(const ControlGroupFolder&)>& visit) {
  const std::string mount = root + "/sys/fs/cgroup";
  std::ifstream groups(root + "/proc/self/cgroup");
  // "NUMBER:CONTROLLERS:PATH"; an empty list of controllers means cgroup version 2.
  for (std::string line; std::getline(groups, line);) {
    const size_t first = line.find(':');
    const size_t second = first == std::string::npos ? first : line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const bool is_v2 = controllers.empty();
    if (!is_v2 && !Has(controllers, controller)) continue;
    const std::string folder = is_v2 ? mount : Concat(mount, "/", controller);
    for (std::string group = line.substr(second + 1);;) {
      while (!group.empty() && group.back() == '/') group.pop_back();
      visit({folder + group, is_v2});
      if (group.empty()) break;
      group.resize(std::min(group.rfind('/'), group.size()));
      if (group.find('/') == std::string::npos) group.clear();
    }
  }
}

}  // namespace stagedoor::server
