// PrimReader: prims, variant sets and what is in them.
#ifndef STAGEDOOR_SCENE_USDA_PRIM_READER_H_
#define STAGEDOOR_SCENE_USDA_PRIM_READER_H_

#include <memory>
#include <unordered_map>
#include <vector>

#include "scene/usda/layer_assembler.h"
#include "scene/usda/metadata_reader.h"
#include "scene/usda/property_reader.h"
#include "scene/usda/value_reader.h"

namespace stagedoor::usda {

class PrimReader {
 public:
  PrimReader(ParseContext* context, LayerAssembler* layer);

  // The layer: its metadata and root prims, behind the header up to the end of the text.
  bool ReadLayer();

 private:
  using VariantMap = OpenSpec::VariantMap;

  bool ReadRootStatement();
  // def, over or class, up to and including the closing brace.
  bool ReadPrim(OpenSpec* parent);
  bool ReadPrimHeader(OpenSpec* parent, OpenSpec* prim);
  // Up to and including the closing brace.
  bool ReadContents(OpenSpec* prim);
  bool ReadStatement(OpenSpec* prim);
  bool ReadVariantSet(OpenSpec* prim);
  bool ReadVariants(OpenSpec* prim, SpecId set, VariantMap* variants, std::vector<Token>* names);
  bool ReadVariant(OpenSpec* prim, SpecId set, VariantMap* variants, std::vector<Token>* names);
  void RestateNew(const OpenSpec& variant, SpecType type, std::vector<Token> names);
  bool ReadOptionalMetadata(SpecType spec, OpenSpec* prim);
  bool ReadNames(std::vector<Token>* names);
  bool ReadOrder(OpenSpec* prim, Token field);
  // A line end (or, for `semicolon`, ';') behind a statement.
  bool EndStatement(bool semicolon);

  ParseContext* const context_;
  TextCursor& cursor_;
  LayerAssembler* const layer_;
  OpenSpec root_;
  const OpenSpec* current_ = &root_;
  ValueReader values_;
  MetadataReader metadata_;
  PropertyReader properties_;
  FieldList fields_;
  std::vector<Token> variant_sets_;
};

}  // namespace stagedoor::usda

#endif  // STAGEDOOR_SCENE_USDA_PRIM_READER_H_
