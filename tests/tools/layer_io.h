#ifndef STAGEDOOR_TESTS_TOOLS_LAYER_IO_H_
#define STAGEDOOR_TESTS_TOOLS_LAYER_IO_H_

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "scene/layer/layer.h"

namespace stagedoor {

// Reads and writes layer files without a resolver, for tests and development tools.

// The content of a file, or "" if it cannot be read.
std::string ReadFileBytes(const std::string& file);

// The layer in `bytes`, whose format is detected from the content. Errors name `file`.
absl::StatusOr<std::shared_ptr<const Layer>> ReadLayerBytes(std::string bytes,
                                                            const std::string& file);

// Writes a crate for "usdc", a package that contains a crate for "usdz", else text.
absl::StatusOr<std::string> WriteLayerAs(const Layer& layer, std::string_view extension);

// All files with a layer extension below a directory, sorted.
std::vector<std::string> LayerFilesBelow(const std::string& folder);

// This project's own layer files (from a test's runfiles) and those of the conformance corpus that
// STAGEDOOR_CONFORMANCE names. Prints a line if there is no corpus.
std::vector<std::string> TestLayerFiles();

}  // namespace stagedoor

#endif  // STAGEDOOR_TESTS_TOOLS_LAYER_IO_H_
