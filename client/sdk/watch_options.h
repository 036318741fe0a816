#ifndef STAGEDOOR_CLIENT_SDK_WATCH_OPTIONS_H_
#define STAGEDOOR_CLIENT_SDK_WATCH_OPTIONS_H_

#include <chrono>
#include <string>
#include <vector>

namespace stagedoor::sdk {

// Options for what a watch reports.
struct WatchOptions {
  // Only what concerns these prims and properties and what is below them. Default: everything.
  std::vector<std::string> paths = {};
  // The least time between two reports; changes in between are reported together.
  std::chrono::milliseconds min_interval{0};
};

}  // namespace stagedoor::sdk

#endif  // STAGEDOOR_CLIENT_SDK_WATCH_OPTIONS_H_
