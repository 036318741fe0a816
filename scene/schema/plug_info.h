#ifndef STAGEDOOR_SCENE_SCHEMA_PLUG_INFO_H_
#define STAGEDOOR_SCENE_SCHEMA_PLUG_INFO_H_

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "scene/layer/plugin_fields.h"
#include "scene/paths/token.h"
#include "scene/schema/schema_info.h"

namespace stagedoor {

// An entry of "Types". `kind` is empty for types that are not schemas. Limits on where a schema may
// be applied are not read: as in OpenUSD, tools that apply it check them, not composition.
struct SchemaTypeDeclaration {
  Token type_name;           // "UsdGeomMesh"
  std::vector<Token> bases;  // type names
  Token identifier;          // "Mesh"; if empty, the schema cannot be registered
  std::optional<SchemaKind> kind;
  std::vector<Token> auto_apply_to;  // identifiers
};

// The schema types and metadata fields that a plugInfo.json declares. Corresponds to OpenUSD's
// PlugPlugin.
//
// The format is OpenUSD's: JSON, in which lines that begin with '#' are comments. A file declares
// plug-ins, includes other such files, or both.
struct PlugInfo {
  std::string name;
  // The folder of its generatedSchema.usda.
  std::filesystem::path resources;
  std::vector<SchemaTypeDeclaration> types;
  std::vector<FieldDeclaration> metadata;  // from "SdfMetadata"
};

struct PlugInfoFile {
  std::vector<PlugInfo> plugins;
  // Paths relative to the file. '*' stands for any text without '/', '**' for any text.
  std::vector<std::string> includes;
};

// Parses the text of a file in `folder`, to which relative paths are anchored. INVALID_ARGUMENT if
// the text is not JSON or does not have the expected structure.
absl::StatusOr<PlugInfoFile> ParsePlugInfo(std::string_view text,
                                           const std::filesystem::path& folder);

// Reads the plug-ins of `path`, a plugInfo.json or a folder with one, and of the files that it
// includes. Errors name the file: NOT_FOUND and INVALID_ARGUMENT.
absl::StatusOr<std::vector<PlugInfo>> ReadPlugInfos(const std::filesystem::path& path);

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_SCHEMA_PLUG_INFO_H_
