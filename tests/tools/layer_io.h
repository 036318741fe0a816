// Layer files read and written without a resolver, for tests and development tools.
#ifndef STAGEDOOR_TESTS_TOOLS_LAYER_IO_H_
#define STAGEDOOR_TESTS_TOOLS_LAYER_IO_H_

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "scene/layer/layer.h"

namespace stagedoor {

// "" when the file can't be read.
std::string ReadFileBytes(const std::string& file);

// The layer in `bytes`, whose format is told by their content. `file` is named in errors.
absl::StatusOr<std::shared_ptr<const Layer>> ReadLayerBytes(std::string bytes,
                                                            const std::string& file);

// As a crate for "usdc", as a package with a crate in it for "usdz", else as text.
absl::StatusOr<std::string> WriteLayerAs(const Layer& layer, std::string_view extension);

// All layer files below a folder, by their extension, sorted.
std::vector<std::string> LayerFilesBelow(const std::string& folder);

// This project's own layer files (from a test's runfiles), and those of the conformance corpus
// that STAGEDOOR_CONFORMANCE names. Prints a line when there is no corpus.
std::vector<std::string> TestLayerFiles();

}  // namespace stagedoor

#endif  // STAGEDOOR_TESTS_TOOLS_LAYER_IO_H_
