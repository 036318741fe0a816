// MetadataReader: the statements in parentheses behind a layer's header, a prim, variant or
// property.
#ifndef STAGEDOOR_SCENE_USDA_METADATA_READER_H_
#define STAGEDOOR_SCENE_USDA_METADATA_READER_H_

#include <functional>
#include <string>
#include <vector>

#include "scene/layer/field_definition.h"
#include "scene/usda/list_op_fields.h"
#include "scene/usda/value_reader.h"

namespace stagedoor::usda {

class MetadataReader {
 public:
  // `anchor` gives the path of the prim that relative paths start from.
  MetadataReader(ParseContext* context, ValueReader* values, std::function<Path()> anchor);

  // Behind the opening parenthesis, up to and including the closing one. `variant_sets`, for prims
  // and variants, receives the names of the variant sets that the statements declare.
  bool Read(SpecType spec, FieldList* fields, std::vector<Token>* variant_sets);

 private:
  bool ReadStatement();
  bool ReadListOpEdit(ListOpType edit);
  bool ReadPrimStatement(std::string_view word, ListOpType edit, bool* handled);
  bool ReadLayerStatement(std::string_view word, bool* handled);
  bool ReadPropertyStatement(std::string_view word, bool* handled);

  bool ReadComment();
  bool ReadDocumentation();
  bool ReadPermission();
  bool ReadSymmetryFunction();
  bool ReadDisplayUnit();
  bool ReadKind();
  bool ReadSubstitutions(Token field);
  bool ReadVariants();
  bool ReadVariantSets(ListOpType edit);
  bool ReadInherits(Token field, ListOpType edit);
  template <typename Arc>
  bool ReadArcs(Token field, ListOpType edit);
  template <typename Arc>
  bool ReadArc(Arc* arc);
  bool ReadArcParameter(LayerOffset* offset, Dictionary* custom_data);
  bool ReadOffsetParameter(LayerOffset* offset);
  bool ReadSubLayers();
  bool ReadRelocates();

  bool ReadKeyValue(ListOpType edit);
  bool ReadRegistered(const FieldDefinition& field, ListOpType edit);
  bool ReadRegisteredListOp(const FieldDefinition& field, ListOpType edit);
  bool ReadUnregistered(Token name, ListOpType edit);
  bool SetUnregisteredItems(Token name, ListOpType edit, std::string_view text);

  ParseContext* const context_;
  TextCursor& cursor_;
  ValueReader* const values_;
  const std::function<Path()> anchor_;
  SpecType spec_ = SpecType::kPrim;
  FieldList* fields_ = nullptr;
  std::vector<Token>* variant_sets_ = nullptr;
};

}  // namespace stagedoor::usda

#endif  // STAGEDOOR_SCENE_USDA_METADATA_READER_H_
