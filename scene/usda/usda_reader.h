#ifndef STAGEDOOR_SCENE_USDA_USDA_READER_H_
#define STAGEDOOR_SCENE_USDA_USDA_READER_H_

#include <memory>
#include <string_view>

#include "absl/status/statusor.h"
#include "base/request_context.h"
#include "scene/layer/layer.h"
#include "scene/layer/plugin_fields.h"

namespace stagedoor {

// Reads the text format (Core Specification, 16.2 Text), usda 1.0 to 1.4, and the older .sdf. The
// specification describes version 1.0; the later versions are those of OpenUSD.

// Reads the layer that `text` describes, without keeping a reference to the text. Thread-safe.
// `fields` are the metadata fields that plug-ins define; null if there are none. `request` is
// charged for the work and may be null; once it is cancelled or over budget, its Check() status is
// returned.
//
// INVALID_ARGUMENT "file:line:column: message" if the text does not follow the grammar of a
// supported version, has values that do not fit their types, or is not UTF-8. Malformed values that
// OpenUSD reads all the same are read as it does, and are among Layer::Info::warnings. Memory is
// bounded by a small multiple of the size of the text, and nesting is bounded (kMaxNesting).
absl::StatusOr<std::shared_ptr<const Layer>> ReadUsda(std::string_view text, Layer::Info info,
                                                      const PluginFields* fields = nullptr,
                                                      RequestContext* request = nullptr);

// True if `text` begins like a layer in text form, whatever its version.
bool LooksLikeUsda(std::string_view text);

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_USDA_USDA_READER_H_
