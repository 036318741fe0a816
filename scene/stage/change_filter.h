#ifndef STAGEDOOR_SCENE_STAGE_CHANGE_FILTER_H_
#define STAGEDOOR_SCENE_STAGE_CHANGE_FILTER_H_

#include <functional>
#include <set>
#include <string>
#include <string_view>

namespace stagedoor {

// The prims and properties whose changes someone wants to know of.
//
// A set of absolute paths, as texts, each of which stands for itself and everything below it.
// Without paths, everything is wanted. Immutable once filled, a value type.
class ChangeFilter {
 public:
  void Add(std::string path) { paths_.insert(std::move(path)); }

  // Whether the object at `path` itself is wanted.
  bool Wants(std::string_view path) const;
  // Whether anything at or below `path` is.
  bool WantsBelow(std::string_view path) const;

 private:
  std::set<std::string, std::less<>> paths_;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_STAGE_CHANGE_FILTER_H_
