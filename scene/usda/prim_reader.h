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

// Reads prims and variant sets with their contents (Core Specification, 16.2.17 Prim Specs, 16.2.18
// Layer).
//
// Reads one layer. Borrows the context and the assembler; not thread-safe. All functions return
// false after recording an error with the cursor.
class PrimReader {
 public:
  PrimReader(ParseContext* context, LayerAssembler* layer);

  // Reads the layer's metadata and root prims, from after the header to the end of the text.
  bool ReadLayer();

 private:
  using VariantMap = OpenSpec::VariantMap;

  bool ReadRootStatement();
  // Reads a def, over or class through its closing brace.
  bool ReadPrim(OpenSpec* parent);
  bool ReadPrimHeader(OpenSpec* parent, OpenSpec* prim);
  // Reads the contents of a prim or variant through the closing brace.
  bool ReadContents(OpenSpec* prim);
  bool ReadStatement(OpenSpec* prim);
  bool ReadVariantSet(OpenSpec* prim);
  bool ReadVariants(OpenSpec* prim, SpecId set, VariantMap* variants, std::vector<Token>* names);
  bool ReadVariant(OpenSpec* prim, SpecId set, VariantMap* variants, std::vector<Token>* names);
  void RestateNew(const OpenSpec& variant, SpecType type, std::vector<Token> names);
  bool ReadOptionalMetadata(SpecType spec, OpenSpec* prim);
  bool ReadNames(std::vector<Token>* names);
  bool ReadOrder(OpenSpec* prim, Token field);
  // Reads the line end after a statement; with `semicolon`, ';' is accepted too.
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
