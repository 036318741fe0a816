// MakeFieldDefault: the value of a default as plugInfo.json writes it.
//
// OpenUSD takes a text, a number or a list of either, flat for tuples and arrays of tuples: [1, 2,
// 3] for a float3. Numbers convert as in layer text. Thread-safe.
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

// The first alternative: something else, which is no value of any type.
using DefaultPart = Variant<std::monostate, int32_t, double, std::string>;

// Of the parts, in their order; what is left over is ignored. Nothing where a part is no value of
// the type, one is missing, or the type is not that of an attribute.
std::optional<Value> MakeFieldDefault(ValueType type, bool is_array,
                                      std::span<const DefaultPart> parts);

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_LAYER_FIELD_DEFAULT_H_
