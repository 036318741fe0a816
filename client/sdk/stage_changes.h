#ifndef STAGEDOOR_CLIENT_SDK_STAGE_CHANGES_H_
#define STAGEDOOR_CLIENT_SDK_STAGE_CHANGES_H_

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace stagedoor::sdk {

// The changes between two snapshots of a stage. Corresponds to UsdNotice::ObjectsChanged.
struct StageChanges {
  std::string previous_snapshot;
  std::string snapshot;
  // Prims and properties that have appeared, disappeared or may be composed in another way, each
  // with everything below it; "/" if everything may have changed.
  std::vector<std::string> resynced_paths;
  // Other prims and properties with changed opinions, and the names of the fields, such as
  // "default" and "timeSamples". "/" is the metadata of the stage.
  std::map<std::string, std::vector<std::string>, std::less<>> changed_info;

  // Whether the prim or property at a path may have changed.
  bool Affects(std::string_view path) const;
};

}  // namespace stagedoor::sdk

#endif  // STAGEDOOR_CLIENT_SDK_STAGE_CHANGES_H_
