#ifndef STAGEDOOR_SCENE_USDA_USDA_WRITER_H_
#define STAGEDOOR_SCENE_USDA_USDA_WRITER_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "base/byte_source.h"
#include "scene/layer/layer.h"

namespace stagedoor {

// Writes the text format (Core Specification, 16.2 Text) in OpenUSD's layout: numbers in their
// shortest exact form, specs in the layer's order, metadata sorted by name. ReadUsda and OpenUSD
// read the text back as an equal layer. Thread-safe.

// Returns the text of the layer. The header states the oldest version that can hold the layer (1.0
// to 1.4). Values that text cannot express are left out: those that could not be decoded and those
// of types without a text form.
std::string WriteUsda(const Layer& layer);

// As WriteUsda, but RESOURCE_EXHAUSTED if a value is missing because its memory was refused
// (scene/values/refused_value.h), and INVALID_ARGUMENT if a variant set or variant has a name that
// only a crate can hold (IsVariantName), for which the other makes text that cannot be read.
absl::StatusOr<std::string> WriteCompleteUsda(const Layer& layer);

// The text of WriteCompleteUsda, generated while it is read; large arrays and long time samples are
// made in parts. The layer is traversed twice, because the header states the version that the rest
// needs. Errors are those of WriteCompleteUsda and of the context.
ByteSourcePtr UsdaBytes(std::shared_ptr<const Layer> layer);

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_USDA_USDA_WRITER_H_
