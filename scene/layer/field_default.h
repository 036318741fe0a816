#ifndef STAGEDOOR_SCENE_LAYER_FIELD_DEFAULT_H_
#define STAGEDOOR_SCENE_LAYER_FIELD_DEFAULT_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <variant>

#include "base/variant.h"
#include "scene/values/value.h"
#include "scene/values/value_type.h"

namespace stagedoor {

// MakeFieldDefault: converts the default of a metadata field in plugInfo.json to a value.
//
// As in OpenUSD, a default is a text, a number or a list of either; tuples and arrays of tuples are
// flat lists, such as [1, 2, 3] for a float3. Numbers are converted as in layer text. A pure
// function.

// A part of a default. The first alternative stands for JSON that is not a value of any type.
using DefaultPart = Variant<std::monostate, int32_t, double, std::string>;

// Makes a value of the parts, in their order; surplus parts are ignored. Nothing if a part has the
// wrong type, if parts are missing, or if `type` is not the type of an attribute.
std::optional<Value> MakeFieldDefault(ValueType type, bool is_array,
                                      std::span<const DefaultPart> parts);

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_LAYER_FIELD_DEFAULT_H_
