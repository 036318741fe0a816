// PlugInfo: the schema types and metadata fields that a plugInfo.json declares.
//
// OpenUSD's format: JSON, with lines that start with '#' as comments; a file declares plug-ins or
// includes other such files.
#ifndef STAGEDOOR_SCENE_SCHEMA_PLUG_INFO_H_
#define STAGEDOOR_SCENE_SCHEMA_PLUG_INFO_H_

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "scene/layer/custom_fields.h"
#include "scene/paths/token.h"
#include "scene/schema/schema_info.h"

namespace stagedoor {

struct SchemaTypeDeclaration {
  Token type_name;           // "UsdGeomMesh"
  std::vector<Token> bases;  // type names
  Token identifier;          // "Mesh"; empty: it cannot be registered
  std::optional<SchemaKind> kind;
  std::vector<Token> auto_apply_to;  // identifiers
  std::vector<Token> can_only_apply_to;
  std::vector<std::pair<Token, std::vector<Token>>> instance_can_only_apply_to;
  std::vector<Token> allowed_instance_names;
};

struct PlugInfo {
  std::string name;
  // Where its generatedSchema.usda is.
  std::filesystem::path resources;
  std::vector<SchemaTypeDeclaration> types;
  std::vector<FieldDeclaration> metadata;  // of "SdfMetadata"
};

struct PlugInfoFile {
  std::vector<PlugInfo> plugins;
  std::vector<std::string>
      includes;  // relative to the file, with '*' for what has no '/', '**' for any
};

// `folder`: of the file, to anchor what it names. InvalidArgument: not JSON, or not of the right
// shape.
absl::StatusOr<PlugInfoFile> ParsePlugInfo(std::string_view text,
                                           const std::filesystem::path& folder);

// The plug-ins of `path`, a plugInfo.json or a folder with one, and of the files that it includes.
// NotFound, InvalidArgument with the file's name.
absl::StatusOr<std::vector<PlugInfo>> ReadPlugInfos(const std::filesystem::path& path);

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_SCHEMA_PLUG_INFO_H_
