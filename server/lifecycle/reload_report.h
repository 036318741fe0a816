#ifndef STAGEDOOR_SERVER_LIFECYCLE_RELOAD_REPORT_H_
#define STAGEDOOR_SERVER_LIFECYCLE_RELOAD_REPORT_H_

#include <string>
#include <vector>

namespace stagedoor::server {

// The result of rereading the configuration.
struct ReloadReport {
  std::vector<std::string> errors;         // if there are any, nothing was changed
  std::vector<std::string> changed;        // settings that apply from now on
  std::vector<std::string> needs_restart;  // flags that have changed but do not apply yet
};

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_LIFECYCLE_RELOAD_REPORT_H_
