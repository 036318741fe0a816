#ifndef STAGEDOOR_RESOLVER_VERSIONS_BY_GROUP_H_
#define STAGEDOOR_RESOLVER_VERSIONS_BY_GROUP_H_

#include <algorithm>
#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "base/status.h"
#include "resolver/asset.h"

namespace stagedoor {

// Splits the paths of a call of Resolver::GetVersions into groups, each of which is asked for with
// one call, and puts the results back into the order of the paths. For decorators.
template <typename Group>
class VersionsByGroup {
 public:
  using Versions = std::vector<absl::StatusOr<AssetVersion>>;

  // `group_of` is called once for each path.
  template <typename GroupOf>  // Group(const std::string&)
  VersionsByGroup(std::span<const std::string> paths, const GroupOf& group_of)
      : count_(paths.size()) {
    for (size_t i = 0; i < paths.size(); ++i) {
      Part& part = parts_[group_of(paths[i])];
      part.paths.push_back(paths[i]);
      part.places.push_back(i);
    }
  }

  // Calls get(group, paths) for each group.
  template <typename Get>  // Versions(const Group&, std::span<const std::string>)
  Versions Collect(const Get& get) const {
    Versions result(count_, UnavailableError("the version was not reported"));
    for (const auto& [group, part] : parts_) {
      Versions versions = get(group, std::span<const std::string>(part.paths));
      const size_t count = std::min(versions.size(), part.places.size());
      for (size_t i = 0; i < count; ++i) result[part.places[i]] = std::move(versions[i]);
    }
    return result;
  }

 private:
  struct Part {
    std::vector<std::string> paths;
    std::vector<size_t> places;  // indexes in the call's paths
  };

  const size_t count_;
  std::map<Group, Part> parts_;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_RESOLVER_VERSIONS_BY_GROUP_H_
