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

// Writes packages (Core Specification, 16.4 Package): a layer as a crate file, and the files it
// needs.

struct PackageFile {
  std::string name;  // its path in the package
  std::string_view content;
};

// Returns the bytes of a package whose first file is `layer`, named `root_name` and written as a
// crate whatever its extension, followed by `files`. Asset paths in layers are not changed: give
// the files the names by which the layers refer to them. Errors are those of WriteUsdc, and
// INVALID_ARGUMENT for invalid file names.
absl::StatusOr<std::string> WriteUsdz(const Layer& layer, std::string_view root_name,
                                      std::span<const PackageFile> files);

// A package that contains only `layer`, in a file named after it: "lamp.usdc" for /show/lamp.usda,
// "root.usdc" for an anonymous layer. Files that the layer refers to are not included.
absl::StatusOr<std::string> WriteUsdz(const Layer& layer);

// The bytes of a package of these files, the root layer first, generated while they are read; one
// file is open at a time. Each file is read twice, because a package states its size and checksum
// before its content. Errors are those of the files, INVALID_ARGUMENT for invalid file names or no
// files, and DATA_LOSS if a file changes between the two reads.
ByteSourcePtr PackageBytes(std::vector<GeneratedFile> files);

// The bytes of WriteUsdz(layer), generated while they are read.
ByteSourcePtr UsdzBytes(std::shared_ptr<const Layer> layer);

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_USDZ_USDZ_WRITER_H_
