#ifndef STAGEDOOR_SERVER_MACHINE_CONTROL_GROUPS_H_
#define STAGEDOOR_SERVER_MACHINE_CONTROL_GROUPS_H_

#include <functional>
#include <string>
#include <string_view>

namespace stagedoor::server {

// The folder of a control group of this process.
struct ControlGroupFolder {
  std::string path;
  bool is_v2 = true;  // which version of control groups, and thus the names of its files
};

// Visits the control groups of this process that can limit what a controller, "memory" or "cpu",
// manages, and those that enclose them. Folders may not exist: a container sees its own group as
// the root. `root` is prepended to "/proc" and "/sys"; tests set it.
void VisitControlGroups(const std::string& root, std::string_view controller,
                        const std::function<void(const ControlGroupFolder&)>& visit);

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_MACHINE_CONTROL_GROUPS_H_
