#ifndef STAGEDOOR_CLIENT_CC_DETACHED_PROCESS_H_
#define STAGEDOOR_CLIENT_CC_DETACHED_PROCESS_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace stagedoor {

// A program that goes on after this one, in a session of its own. It is not a child of this
// process, which might wait for its children, and inherits no files of it.
struct DetachedProcess {
  std::vector<std::string> command;  // the absolute path of the program, and its arguments
  std::string folder;                // where it runs
  int output = -1;                   // for what it prints
  std::vector<std::string> without;  // variables of the environment that it does not get
};

// Starts it. Returns a descriptor, to be closed, at which reading ends when the process does.
// UNAVAILABLE if that is impossible.
absl::StatusOr<int> StartDetached(const DetachedProcess& process);

}  // namespace stagedoor

#endif  // STAGEDOOR_CLIENT_CC_DETACHED_PROCESS_H_
