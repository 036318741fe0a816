// CustomFields: metadata fields that plug-ins add to those of the field registry.
//
// Filled by one thread, then read by any; entries live as long as it does.
#ifndef STAGEDOOR_SCENE_LAYER_CUSTOM_FIELDS_H_
#define STAGEDOOR_SCENE_LAYER_CUSTOM_FIELDS_H_

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "scene/layer/field_default.h"
#include "scene/layer/field_registry.h"

namespace stagedoor {

// As plugInfo.json declares a field.
struct FieldDeclaration {
  std::string name;
  std::string type;                     // a usda type, "dictionary", or one like "tokenlistop"
  std::vector<std::string> applies_to;  // layers, prims, variants, properties, ...; empty: all
  // A text, a number, or a list of one of them; nothing: the zero of the type.
  std::optional<std::vector<DefaultPart>> default_parts = std::nullopt;
};

class CustomFields {
 public:
  // Why the field can't be added; empty when it was. A field that exists stays as it is.
  std::string Add(const FieldDeclaration& declaration);

  // Null when there is none for this type of spec; a variant has the fields of a prim.
  const FieldDefinition* Find(SpecType type, Token name) const;
  bool empty() const { return fields_.empty(); }

 private:
  struct Entry {
    FieldDefinition definition;
    uint32_t applies_to = 0;  // a bit for each spec type
  };
  std::unordered_map<Token, std::unique_ptr<Entry>> fields_;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_LAYER_CUSTOM_FIELDS_H_
