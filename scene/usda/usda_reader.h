// Reads the text format (Core Specification, "Text"): usda 1.0 to 1.4, and the older .sdf.
#ifndef STAGEDOOR_SCENE_USDA_USDA_READER_H_
#define STAGEDOOR_SCENE_USDA_USDA_READER_H_

#include <memory>
#include <string_view>

#include "absl/status/statusor.h"
#include "base/request_context.h"
#include "scene/layer/layer.h"
#include "scene/layer/plugin_fields.h"

namespace stagedoor {

// The layer that `text` describes; keeps no reference to it. `fields`: metadata that plug-ins
// define, null for none. `request`: whose work it is, null for nobody's; fails as its Check() does.
// Thread-safe.
//
// INVALID_ARGUMENT "file:line:column: message" for what is not in the grammar of a version that is
// known, for values that do not fit their types and for text that is not UTF-8. Memory is bounded
// by a small multiple of the text's size; nesting is bounded.
absl::StatusOr<std::shared_ptr<const Layer>> ReadUsda(std::string_view text, Layer::Info info,
                                                      const PluginFields* fields = nullptr,
                                                      RequestContext* request = nullptr);

// True when `text` begins as a layer in text form does, of whatever version.
bool LooksLikeUsda(std::string_view text);

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_USDA_USDA_READER_H_
