#include "scene/stage/change_filter.h"

#include "base/strings.h"
#include "scene/stage/internal_arcs.h"

namespace stagedoor {

bool ChangeFilter::Wants(std::string_view path) const {
  if (paths_.empty()) return true;
  for (; !path.empty(); path = ParentPath(path)) {
    if (paths_.contains(path)) return true;
  }
  return false;
}

bool ChangeFilter::WantsBelow(std::string_view path) const {
  if (path == "/" || Wants(path)) return true;
  for (const char separator : {'.', '/'}) {
    const std::string prefix = Concat(path, separator);
    const auto first = paths_.lower_bound(prefix);
    if (first != paths_.end() && first->starts_with(prefix)) return true;
  }
  return false;
}

}  // namespace stagedoor
