// Writes the text format as OpenUSD lays it out; what it writes, ReadUsda and OpenUSD read back as
// an equal layer: numbers in their shortest exact form, specs in the layer's order, metadata sorted
// by name.
#ifndef STAGEDOOR_SCENE_USDA_USDA_WRITER_H_
#define STAGEDOOR_SCENE_USDA_USDA_WRITER_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "base/byte_source.h"
#include "scene/layer/layer.h"

namespace stagedoor {

// The header states the oldest version that can hold the layer (1.0 to 1.4). What text cannot
// express is left out: values of fields that could not be decoded and values of types that have no
// text form.
std::string WriteUsda(const Layer& layer);

// The same, but RESOURCE_EXHAUSTED where a value is missing for want of memory
// (scene/values/refused_value.h).
absl::StatusOr<std::string> WriteCompleteUsda(const Layer& layer);

// The same text, made while it is read: large arrays and many samples in parts. The layer is gone
// through twice, because the header says what the rest needs. Errors are those of WriteCompleteUsda
// and of the context.
ByteSourcePtr UsdaBytes(std::shared_ptr<const Layer> layer);

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_USDA_USDA_WRITER_H_
