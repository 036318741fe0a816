// Writes packages: a layer as crate file, and the files it needs.
#ifndef STAGEDOOR_SCENE_USDZ_USDZ_WRITER_H_
#define STAGEDOOR_SCENE_USDZ_USDZ_WRITER_H_

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "base/byte_source.h"
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

// The bytes of a package of these files, the root layer first, made while they are read: one file
// is open at a time. Each is gone through twice, because a package says a file's size and checksum
// before its content. Errors are those of the files, of impossible names, and DATA_LOSS for a file
// that is another one the second time.
ByteSourcePtr PackageBytes(std::vector<GeneratedFile> files);

// The same bytes as WriteUsdz(layer).
ByteSourcePtr UsdzBytes(std::shared_ptr<const Layer> layer);

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_USDZ_USDZ_WRITER_H_
