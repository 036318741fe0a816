#include "scene/usda/usda_writer.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/status.h"
#include "base/status_macros.h"
#include "scene/layer/fields.h"
#include "scene/usda/attribute_writer.h"
#include "scene/usda/field_writer.h"
#include "scene/usda/read_back.h"
#include "scene/usda/relationship_writer.h"
#include "scene/values/list_op.h"

namespace stagedoor {
namespace usda {
namespace {

// Text takes about twice the room of its values in memory; what is not used is never touched.
constexpr size_t kMaxReserved = size_t{1} << 30;

class LayerWriter {
 public:
  explicit LayerWriter(const Layer& layer) : layer_(layer), tree_(layer.tree()) {}

  const std::string& refused() const { return out_.refused(); }

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
    if (type && IsPrimTypeWord(type->text())) out_.Put(type->text(), " ");
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
        attributes_.Write(property, indent);
      } else {
        relationships_.Write(property, indent);
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

  const Layer& layer_;
  const SpecTree& tree_;
  TextSink out_;
  AttributeWriter attributes_{layer_, &out_};
  RelationshipWriter relationships_{layer_, &out_};
};

}  // namespace
}  // namespace usda

namespace {

// The text of a layer, made when its first byte is read, and reserved with that request.
class TextBytes final : public ByteSource {
 public:
  explicit TextBytes(std::shared_ptr<const Layer> layer) : layer_(std::move(layer)) {}

  absl::StatusOr<bool> Next(RequestContext& context, size_t most, std::string* out) override {
    if (layer_ != nullptr) {
      SD_ASSIGN_OR_RETURN(std::string text, WriteWholeUsda(*std::exchange(layer_, nullptr)));
      SD_RETURN_IF_ERROR(context.Reserve(text.size(), "the text of a layer"));
      const auto kept = std::make_shared<const std::string>(std::move(text));
      text_ = std::make_unique<FixedBytes>(*kept, kept);
    }
    return text_->Next(context, most, out);
  }

 private:
  std::shared_ptr<const Layer> layer_;  // until it was written
  ByteSourcePtr text_;
};

}  // namespace

std::string WriteUsda(const Layer& layer) { return usda::LayerWriter(layer).Write(); }

absl::StatusOr<std::string> WriteWholeUsda(const Layer& layer) {
  usda::LayerWriter writer(layer);
  std::string text = writer.Write();
  if (!writer.refused().empty()) return ResourceExhaustedError(writer.refused());
  return text;
}

ByteSourcePtr UsdaBytes(std::shared_ptr<const Layer> layer) {
  return std::make_unique<TextBytes>(std::move(layer));
}

}  // namespace stagedoor
