#ifndef STAGEDOOR_SCENE_EDIT_EDIT_TARGET_H_
#define STAGEDOOR_SCENE_EDIT_EDIT_TARGET_H_

#include "absl/status/statusor.h"
#include "scene/paths/path.h"

namespace stagedoor {

// Where in a layer the opinions about the objects of a stage are authored: at their own paths, or
// inside a variant. Corresponds to OpenUSD's UsdEditTarget.
class EditTarget {
 public:
  // The layer itself.
  EditTarget() = default;
  // A variant, given as the path of its prim with the selection ("/Char{look=red}"). There may be
  // further selections, at the end for variant sets that nest in the variant, and on the way there.
  // Corresponds to UsdEditTarget::ForLocalDirectVariant. Error: kInvalidPath.
  static absl::StatusOr<EditTarget> ForLocalDirectVariant(Path variant_path);

  // The path of the spec in the layer for an object of the stage. As in OpenUSD, objects outside of
  // the variant's prim have their own path.
  Path MapToSpecPath(Path path) const {
    return variant_.empty() ? path : path.ReplacePrefix(prim_, variant_, /*fix_targets=*/false);
  }

 private:
  Path prim_;
  Path variant_;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_EDIT_EDIT_TARGET_H_
