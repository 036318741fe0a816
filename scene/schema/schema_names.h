#ifndef STAGEDOOR_SCENE_SCHEMA_SCHEMA_NAMES_H_
#define STAGEDOOR_SCENE_SCHEMA_SCHEMA_NAMES_H_

#include <cstdint>
#include <string_view>
#include <utility>

#include "scene/paths/token.h"

namespace stagedoor {

// The syntax of schema names: versions, instance names (Core Specification, section 13.3.2 Applied
// Schemas), and the property names of multiple-apply schemas. Pure functions.

// The placeholder for the instance name in properties of multiple-apply schemas. Corresponds to
// OpenUSD's UsdSchemaRegistry::MakeMultipleApplyNameTemplate.
inline constexpr std::string_view kInstanceNamePlaceholder = "__INSTANCE_NAME__";

// Splits "Capsule_1" into ("Capsule", 1), and "Capsule" into ("Capsule", 0).
std::pair<std::string_view, uint32_t> SplitSchemaVersion(std::string_view identifier);

// Splits "CollectionAPI:a:b" into ("CollectionAPI", "a:b").
std::pair<std::string_view, std::string_view> SplitSchemaInstance(std::string_view applied);

// Replaces the first ':'-delimited placeholder in `name`; returns `name` itself if there is none.
Token InstantiateTemplate(Token name, std::string_view instance);

// Whether the name has a ':'-delimited placeholder.
bool IsTemplateName(std::string_view name);

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_SCHEMA_SCHEMA_NAMES_H_
