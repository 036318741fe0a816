#include "scene/usda/usda_writer.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "scene/layer/fields.h"
#include "scene/usda/field_writer.h"
#include "scene/values/list_op.h"
#include "scene/values/time_samples.h"

namespace stagedoor {
namespace usda {
namespace {

// Text takes about twice the room of its values in memory; what is not used is never touched.
constexpr size_t kMaxReserved = size_t{1} << 30;

class LayerWriter {
 public:
  explicit LayerWriter(const Layer& layer) : layer_(layer), tree_(layer.tree()) {}

  std::string Write() {
    out_.text().reserve(std::min(layer_.byte_size() / 4 * 9, kMaxReserved));
    out_.Put("#usda 1.0\n");
    WriteLayerMetadata(layer_, &out_);
    out_.Put("\n");
    WriteOrder("rootPrims", kRootSpec, Fields().primOrder, 0);
    for (const SpecId prim : tree_.prims(kRootSpec)) {
      WritePrim(prim, 0);
      out_.Put("\n");
    }
    out_.text()[8] = static_cast<char>('0' + out_.minor());  // in the header
    return std::move(out_.text());
  }

 private:
  void WritePrim(SpecId prim, int indent) {
    const auto specifier = layer_.GetAs<Specifier>(prim, Fields().specifier);
    const auto type = layer_.GetAs<Token>(prim, Fields().typeName);
    out_.Indent(indent).Put(specifier == Specifier::kDef     ? "def "
                            : specifier == Specifier::kClass ? "class "
                                                             : "over ");
    if (type && !type->empty()) out_.Put(type->text(), " ");
    out_.Quoted(tree_.name(prim).text());
    WriteMetadata(layer_, prim, indent, &out_);
    out_.Put("\n").Indent(indent).Put("{\n");
    WriteContents(prim, indent + 1);
    out_.Indent(indent).Put("}\n");
  }

  void WriteContents(SpecId prim, int indent) {
    WriteOrder("properties", prim, Fields().propertyOrder, indent);
    WriteOrder("nameChildren", prim, Fields().primOrder, indent);
    for (const SpecId property : tree_.properties(prim)) {
      if (tree_.type(property) == SpecType::kAttribute) {
        WriteAttribute(property, indent);
      } else {
        WriteRelationship(property, indent);
      }
    }
    bool separate = !tree_.properties(prim).empty();
    for (const SpecId child : tree_.prims(prim)) {
      if (std::exchange(separate, true)) out_.Put("\n");
      WritePrim(child, indent);
    }
    for (const SpecId set : tree_.variants(prim)) WriteVariantSet(prim, set, indent);
  }

  void WriteOrder(const char* word, SpecId spec, Token field, int indent) {
    const auto names = layer_.GetAs<std::vector<Token>>(spec, field);
    if (!names || names->empty()) return;
    out_.Indent(indent).Put("reorder ", word, " = ");
    if (names->size() == 1) {
      out_.Quoted(names->front().text()).Put("\n");
      return;
    }
    for (size_t i = 0; i < names->size(); ++i) {
      out_.Put(i ? ", " : "[").Quoted((*names)[i].text());
    }
    out_.Put("]\n");
  }

  // Whether the statement `variantSets` alone makes the reader add the set.
  bool IsDeclared(SpecId prim, SpecId set) const {
    const auto op = layer_.GetAs<ListOp<std::string>>(prim, Fields().variantSetNames);
    if (!op) return false;
    const std::string name = tree_.name(set).str();
    const auto has = [&](const auto& items) {
      return std::find(items.begin(), items.end(), name) != items.end();
    };
    return has(op->explicit_items) || has(op->added);
  }

  void WriteVariantSet(SpecId prim, SpecId set, int indent) {
    const SpecRange variants = tree_.variants(set);
    if (variants.empty()) {
      if (IsDeclared(prim, set)) return;
      out_.Indent(indent).Put("variantSet ").Quoted(tree_.name(set).text()).Put(" = {}\n");
      return;
    }
    out_.Indent(indent).Put("variantSet ").Quoted(tree_.name(set).text()).Put(" = {\n");
    for (const SpecId variant : variants) {
      out_.Indent(indent + 1).Quoted(tree_.name(variant).text());
      WriteMetadata(layer_, variant, indent + 1, &out_);
      out_.Put(" {\n");
      WriteContents(variant, indent + 2);
      out_.Put("\n").Indent(indent + 1).Put("}\n");
    }
    out_.Indent(indent).Put("}\n");
  }

  void WriteAttribute(SpecId attribute, int indent) {
    const FieldTokens& f = Fields();
    const auto type = layer_.GetAs<Token>(attribute, f.typeName);
    const bool uniform =
        layer_.GetAs<Variability>(attribute, f.variability) == Variability::kUniform;
    const bool custom = layer_.GetAs<bool>(attribute, f.custom).value_or(false);
    const Value value = layer_.Get(attribute, f.default_);
    const Value samples = layer_.Get(attribute, f.timeSamples);
    const Value spline = layer_.Get(attribute, f.spline);
    const auto connections = layer_.GetAs<ListOp<Path>>(attribute, f.connectionPaths);
    const bool other_lines = samples.samples() || spline.Is<Spline>() ||
                             (connections && (connections->is_explicit || connections->HasEdits()));
    declaration_ = uniform ? "uniform " : "";
    declaration_.append(type ? type->text() : "token")
        .append(" ")
        .append(tree_.name(attribute).text());
    const bool metadata =
        layer_.Has(attribute, f.comment) || !MetadataNames(layer_, attribute).empty();
    if (custom || metadata || !value.empty() || !other_lines) {
      out_.Indent(indent).Put(custom ? "custom " : "", declaration_);
      WriteDefault(value);
      WriteMetadata(layer_, attribute, indent, &out_);
      out_.Put("\n");
    }
    if (type && type->text().substr(0, 8) == "duration") out_.Require(4);
    if (samples.samples()) WriteSamples(*samples.samples(), indent);
    if (const Spline* held = spline.Get<Spline>()) {
      out_.Indent(indent).Put(declaration_, ".spline = {\n");
      WriteSpline(*held, indent + 1, &out_);
      out_.Indent(indent).Put("}\n");
    }
    if (connections) WriteConnections(*connections, indent);
  }

  void WriteDefault(const Value& value) {
    if (value.empty() || value.is_invalid()) return;
    RequireVersion(value, &out_);
    const size_t before = out_.text().size();
    out_.Put(" = ");
    const size_t start = out_.text().size();
    out_.ValueText(value);
    if (out_.text().size() == start) out_.text().resize(before);  // no text form
  }

  void WriteSamples(const TimeSamples& samples, int indent) {
    out_.Indent(indent).Put(declaration_, ".timeSamples = {\n");
    const std::span<const double> times = samples.times();
    for (size_t i = 0; i < times.size(); ++i) {
      const Value value = samples.At(i);
      if (value.is_invalid()) continue;
      RequireVersion(value, &out_);
      out_.Indent(indent + 1).Number(times[i]).Put(": ").ValueText(value).Put(",\n");
    }
    out_.Indent(indent).Put("}\n");
  }

  void WriteConnections(const ListOp<Path>& op, int indent) {
    ForEachList(op, [&](const char* edit, const std::vector<Path>& paths) {
      out_.Indent(indent).Put(edit, declaration_, ".connect = ");
      WritePaths(paths, indent);
      out_.Put("\n");
    });
  }

  template <typename Each>
  static void ForEachList(const ListOp<Path>& op, Each each) {
    if (op.is_explicit) return each("", op.explicit_items);
    const std::pair<const char*, const std::vector<Path>*> lists[] = {
        {"delete ", &op.deleted},  {"add ", &op.added},       {"prepend ", &op.prepended},
        {"append ", &op.appended}, {"reorder ", &op.ordered},
    };
    for (const auto& [edit, paths] : lists) {
      if (!paths->empty()) each(edit, *paths);
    }
  }

  void WritePaths(const std::vector<Path>& paths, int indent) {
    if (paths.empty()) {
      out_.Put("None");
    } else if (paths.size() == 1) {
      out_.PathText(paths[0]);
    } else {
      out_.Put("[\n");
      for (const Path path : paths) out_.Indent(indent + 1).PathText(path).Put(",\n");
      out_.Indent(indent).Put("]");
    }
  }

  // Crates hold a path that is a value as a token.
  static Path PathOf(const Value& value) {
    if (const Path* path = value.Get<Path>()) return *path;
    const Token* text = value.Get<Token>();
    return text ? Path::Parse(text->text()).value_or(Path()) : Path();
  }

  void WriteRelationship(SpecId relationship, int indent) {
    const FieldTokens& f = Fields();
    // What is not said is varying, though text that doesn't say it means uniform.
    const bool varying =
        layer_.GetAs<Variability>(relationship, f.variability) != Variability::kUniform;
    const bool custom = layer_.GetAs<bool>(relationship, f.custom).value_or(false);
    const auto targets = layer_.GetAs<ListOp<Path>>(relationship, f.targetPaths);
    const Value value = layer_.Get(relationship, f.default_);
    const bool metadata =
        layer_.Has(relationship, f.comment) || !MetadataNames(layer_, relationship).empty();
    const bool is_explicit = targets && targets->is_explicit;
    const bool edits = targets && !is_explicit && targets->HasEdits();
    declaration_ = varying ? "varying rel " : "rel ";
    declaration_.append(tree_.name(relationship).text());
    if (custom || metadata || is_explicit || (!edits && PathOf(value).empty())) {
      out_.Indent(indent).Put(custom ? "custom " : "", declaration_);
      if (is_explicit) {
        out_.Put(" = ");
        WritePaths(targets->explicit_items, indent);
      }
      WriteMetadata(layer_, relationship, indent, &out_);
      out_.Put("\n");
    }
    if (edits) {
      ForEachList(*targets, [&](const char* edit, const std::vector<Path>& paths) {
        out_.Indent(indent).Put(edit, declaration_, " = ");
        WritePaths(paths, indent);
        out_.Put("\n");
      });
    }
    if (const Path path = PathOf(value); !path.empty()) {
      out_.Indent(indent).Put(declaration_, ".default = ").PathText(path).Put("\n");
    }
  }

  const Layer& layer_;
  const SpecTree& tree_;
  TextSink out_;
  std::string declaration_;  // of the property being written, without custom
};

}  // namespace
}  // namespace usda

std::string WriteUsda(const Layer& layer) { return usda::LayerWriter(layer).Write(); }

}  // namespace stagedoor
