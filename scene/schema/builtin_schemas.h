// The schemas of OpenUSD's own domains, embedded in the program: see builtin/.
#ifndef STAGEDOOR_SCENE_SCHEMA_BUILTIN_SCHEMAS_H_
#define STAGEDOOR_SCENE_SCHEMA_BUILTIN_SCHEMAS_H_

#include <span>
#include <string_view>

namespace stagedoor {

struct BuiltinSchemaFile {
  std::string_view domain;  // "usdGeom"; also the name of its plug-in in BuiltinPlugInfo()
  std::string_view text;    // usda: its classes, without the properties that their bases have
};

std::span<const BuiltinSchemaFile> BuiltinSchemaFiles();

// Of all domains, as a plugInfo.json.
std::string_view BuiltinPlugInfo();

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_SCHEMA_BUILTIN_SCHEMAS_H_
