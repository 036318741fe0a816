#ifndef STAGEDOOR_SCENE_LAYER_PLUGIN_FIELDS_H_
#define STAGEDOOR_SCENE_LAYER_PLUGIN_FIELDS_H_

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "scene/layer/field_default.h"
#include "scene/layer/field_definition.h"

namespace stagedoor {

// A field as declared in plugInfo.json.
struct FieldDeclaration {
  std::string name;
  std::string type;  // a type name, "dictionary" or a list operation such as "tokenlistop"
  // "layers", "prims", "properties", "attributes" and "relationships"; all of them if empty.
  std::vector<std::string> applies_to;
  // The default: a text, a number, or a list of one of these. Nothing for the zero of the type.
  std::optional<std::vector<DefaultPart>> default_parts = std::nullopt;
};

// Metadata fields that plug-ins declare in addition to those of the field registry (Core
// Specification, section 7.4.7 Extension Metadata Fields). Corresponds to the "SdfMetadata" of
// OpenUSD's plugInfo.json.
//
// Add() is not thread-safe; once filled, it is immutable and thread-safe. Entries live as long as
// this object.
class PluginFields {
 public:
  // Adds a field. Returns an empty string, or why the field cannot be added. Does not replace
  // fields.
  std::string Add(const FieldDeclaration& declaration);

  // Null if this type of spec has no such field. Variants have the fields of prims.
  const FieldDefinition* Find(SpecType type, Token name) const;
  bool empty() const { return fields_.empty(); }

 private:
  struct Entry {
    FieldDefinition definition;
    uint32_t applies_to = 0;  // one bit for each spec type
  };
  std::unordered_map<Token, std::unique_ptr<Entry>> fields_;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_LAYER_PLUGIN_FIELDS_H_
