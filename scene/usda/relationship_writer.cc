#include "scene/usda/relationship_writer.h"

#include <string>

#include "scene/layer/field_keys.h"
#include "scene/usda/field_reader.h"
#include "scene/usda/metadata_writer.h"
#include "scene/usda/path_list_writer.h"
#include "scene/values/list_op.h"

namespace stagedoor::usda {
namespace {

// The value as a path. Crates store a path value as a token.
Path PathOf(const Value& value) {
  if (const Path* path = value.Get<Path>()) return *path;
  const Token* text = value.Get<Token>();
  return text ? Path::Parse(text->text()).value_or(Path()) : Path();
}

}  // namespace

void RelationshipWriter::Write(SpecId relationship, int indent) {
  const FieldKeys& f = Fields();
  // A missing field means varying, but a statement without the keyword means uniform.
  const bool varying =
      ReadFieldAs<Variability>(layer_, relationship, f.variability, &out_) != Variability::kUniform;
  const bool custom = ReadFieldAs<bool>(layer_, relationship, f.custom, &out_).value_or(false);
  const auto targets = ReadFieldAs<ListOp<Path>>(layer_, relationship, f.targetPaths, &out_);
  const Path value = PathOf(ReadField(layer_, relationship, f.default_, &out_));
  const bool metadata =
      layer_.Has(relationship, f.comment) || !MetadataNames(layer_, relationship).empty();
  const bool is_explicit = targets && targets->is_explicit;
  const bool edits = targets && !is_explicit && targets->HasEdits();
  std::string declaration = varying ? "varying rel " : "rel ";
  declaration.append(layer_.tree().name(relationship).text());
  if (custom || metadata || is_explicit || (!edits && value.empty())) {
    out_.Indent(indent).Put(custom ? "custom " : "", declaration);
    if (is_explicit) {
      out_.Put(" = ");
      WritePaths(targets->explicit_items, indent, &out_);
    }
    WriteMetadata(layer_, relationship, indent, &out_);
    out_.Put("\n");
  }
  if (edits) WritePathListOp(*targets, declaration, indent, &out_);
  if (!value.empty()) {
    out_.Indent(indent).Put(declaration, ".default = ").PathText(value).Put("\n");
  }
}

}  // namespace stagedoor::usda
