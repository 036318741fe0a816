#include "scene/edit/edit_target.h"

#include "base/strings.h"
#include "scene/edit/edit_error.h"

namespace stagedoor {

absl::StatusOr<EditTarget> EditTarget::ForLocalDirectVariant(Path variant_path) {
  if (!variant_path.IsAbsolute() || !variant_path.IsVariantSelection()) {
    return EditError(EditErrorKind::kInvalidPath, Quoted(variant_path.ToString()),
                     " is not the path of a variant, such as \"/Char{look=red}\"");
  }
  for (const Path prefix : variant_path.Prefixes()) {
    if (prefix.IsVariantSelection() && prefix.variant().empty()) {
      return EditError(EditErrorKind::kInvalidPath, Quoted(variant_path.ToString()),
                       " selects no variant of the set '", prefix.name().text(), "'");
    }
  }
  EditTarget target;
  target.prim_ = variant_path.StripVariantSelections();
  target.variant_ = variant_path;
  return target;
}

}  // namespace stagedoor
