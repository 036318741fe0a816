#ifndef STAGEDOOR_SCENE_USDA_METADATA_READER_H_
#define STAGEDOOR_SCENE_USDA_METADATA_READER_H_

#include <functional>
#include <string>
#include <vector>

#include "scene/layer/field_definition.h"
#include "scene/usda/list_op_fields.h"
#include "scene/usda/value_reader.h"
#include "scene/values/layer_offset.h"

namespace stagedoor::usda {

// Reads the metadata statements in parentheses that follow the header of a layer or the declaration
// of a prim, variant or property (Core Specification, 16.2.15 Common Metadata, 16.2.17.4 Prim
// Metadata, 16.2.18.3 Sublayer Metadata, 16.2.18.5 Layer Relocates Metadata).
class MetadataReader {
 public:
  // `anchor` returns the path of the prim that relative paths start from. Borrows the rest.
  MetadataReader(ParseContext* context, ValueReader* values, std::function<Path()> anchor);

  // Reads from after the opening parenthesis through the closing one. For prims and variants,
  // `variant_sets` receives the names of the variant sets that the statements declare; otherwise it
  // may be null. Returns false after recording an error with the cursor.
  bool Read(SpecType spec, FieldList* fields, std::vector<Token>* variant_sets);

 private:
  bool ReadStatement();
  bool ReadListOpEdit(ListOpType edit);
  // Read the statement that begins with `word`; `*handled` becomes false if there is no special
  // statement of that name, which is then read by ReadKeyValue.
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

  // Statements of the form `name = value`; see generic_metadata.cc.
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
