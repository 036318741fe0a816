#ifndef STAGEDOOR_SCENE_USDA_PROPERTY_READER_H_
#define STAGEDOOR_SCENE_USDA_PROPERTY_READER_H_

#include <optional>
#include <vector>

#include "scene/usda/layer_assembler.h"
#include "scene/usda/metadata_reader.h"
#include "scene/usda/value_reader.h"

namespace stagedoor::usda {

// Reads the statements of attributes and relationships (Core Specification, 16.2.16 Attribute
// Specs, 16.2.16.7 Relationship Specs).
//
// Borrows its arguments; not thread-safe. All functions that return bool, except OpenProperty,
// return false after recording an error with the cursor.
class PropertyReader {
 public:
  PropertyReader(ParseContext* context, ValueReader* values, MetadataReader* metadata,
                 LayerAssembler* layer);

  // Reads one property statement in the contents of `prim`. `edit` is set if a list-editing keyword
  // (add, delete …) came before it.
  bool Read(OpenSpec* prim, std::optional<ListOpType> edit);

 private:
  bool ReadAttribute(bool custom, std::optional<ListOpType> edit);
  bool ReadAttributeRest(const ValueTypeName* type, std::optional<ListOpType> edit);
  bool ReadRelationship(bool custom, bool varying, std::optional<ListOpType> edit);
  bool ReadRelationshipRest(std::optional<ListOpType> edit);
  bool ReadMetadata(SpecType spec);

  // Finds or adds the spec and loads its fields; true if it was added.
  bool OpenProperty(SpecType type, std::string_view name);
  bool DeclareAttribute(bool custom, bool uniform, Token type_name, const char* at);

  bool ReadDefault(const ValueTypeName* type);
  bool ReadTimeSamples(const ValueTypeName* type);
  bool ReadSplineField(const ValueTypeName* type);
  bool ReadConnections(ListOpType edit);
  bool ReadTargets(ListOpType edit);
  template <typename IsValid>
  bool ReadPaths(ListOpType edit, Token field, const char* expected, IsValid is_valid);

  ParseContext* const context_;
  TextCursor& cursor_;
  ValueReader* const values_;
  MetadataReader* const metadata_;
  LayerAssembler* const layer_;

  OpenSpec* prim_ = nullptr;
  SpecId spec_ = kNoSpec;
  FieldList fields_;
  std::vector<std::pair<double, Value>> samples_;
};

}  // namespace stagedoor::usda

#endif  // STAGEDOOR_SCENE_USDA_PROPERTY_READER_H_
