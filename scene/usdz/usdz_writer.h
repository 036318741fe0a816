// Writes packages: a layer as crate file, and the files it needs.
#ifndef STAGEDOOR_SCENE_USDZ_USDZ_WRITER_H_
#define STAGEDOOR_SCENE_USDZ_USDZ_WRITER_H_

#include <span>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "scene/layer/layer.h"

namespace stagedoor {

struct PackageFile {
  std::string name;  // its path in the package
  std::string_view content;
};

// The bytes of a package whose first file is `layer`, written as `root_name` (in crate form,
// whatever its extension), followed by `files`. Asset paths in layers are not changed: name the
// files as the layers call them. Errors are those of WriteUsdc and of impossible file names
// (INVALID_ARGUMENT).
absl::StatusOr<std::string> WriteUsdz(const Layer& layer, std::string_view root_name,
                                      std::span<const PackageFile> files);

// A package of `layer` alone, named after it: "lamp.usdc" for /show/lamp.usda, "root.usdc" for a
// layer made in memory. What it refers to stays where it is.
absl::StatusOr<std::string> WriteUsdz(const Layer& layer);

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_USDZ_USDZ_WRITER_H_
