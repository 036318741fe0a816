// The grammar of schema names: versions, instance names and the property names of templates.
#ifndef STAGEDOOR_SCENE_SCHEMA_SCHEMA_NAMES_H_
#define STAGEDOOR_SCENE_SCHEMA_SCHEMA_NAMES_H_

#include <cstdint>
#include <string_view>
#include <utility>

#include "scene/paths/token.h"

namespace stagedoor {

// Stands for the instance name in what a multiple-apply schema declares.
inline constexpr std::string_view kInstanceNamePlaceholder = "__INSTANCE_NAME__";

// "Capsule_1" is ("Capsule", 1), "Capsule" is ("Capsule", 0).
std::pair<std::string_view, uint32_t> SplitSchemaVersion(std::string_view identifier);

// "CollectionAPI:a:b" is ("CollectionAPI", "a:b").
std::pair<std::string_view, std::string_view> SplitSchemaInstance(std::string_view applied);

// `name` with its first ':'-delimited placeholder replaced; `name` itself when it has none.
Token InstantiateTemplate(Token name, std::string_view instance);

// Has a ':'-delimited placeholder.
bool IsTemplateName(std::string_view name);

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_SCHEMA_SCHEMA_NAMES_H_
