#include "scene/usda/usda_writer.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/pacer.h"
#include "base/status.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "scene/layer/field_keys.h"
#include "scene/paths/variant_names.h"
#include "scene/usda/attribute_writer.h"
#include "scene/usda/field_reader.h"
#include "scene/usda/metadata_writer.h"
#include "scene/usda/relationship_writer.h"
#include "scene/usda/round_trip_checks.h"
#include "scene/values/list_op.h"

namespace stagedoor {
namespace usda {
namespace {

// Text takes about twice the memory of its values. Reserved memory that is not used is never
// touched.
constexpr size_t kMaxReserved = size_t{1} << 30;

// The offset of the minor version's digit in the header.
constexpr size_t kMinorAt = 8;

char MinorDigit(int minor) { return static_cast<char>('0' + minor); }

class LayerWriter {
 public:
  LayerWriter(const Layer& layer, bool dry) : layer_(layer), tree_(layer.tree()), out_(dry) {}

  // Writes the next part, usually a few kilobytes at most; false once everything is written.
  bool Advance() {
    if (!std::exchange(begun_, true)) {
      Begin();
    } else if (attributes_.unfinished()) {
      attributes_.Continue();
    } else if (!stack_.empty()) {
      AdvanceIn(stack_.size() - 1);
    } else if (const SpecRange roots = tree_.prims(kRootSpec); root_ < roots.size()) {
      BeginPrim(roots[root_++], 0);
    } else {
      return false;
    }
    return true;
  }

  // Writes the whole layer.
  std::string WriteAll() {
    out_.text().reserve(std::min(layer_.byte_size() / 4 * 9, kMaxReserved));
    while (Advance()) {
    }
    out_.text()[kMinorAt] = MinorDigit(minor());
    return std::move(out_.text());
  }

  // The text that was written and not taken yet.
  std::string& text() { return out_.text(); }
  // RESOURCE_EXHAUSTED or INVALID_ARGUMENT if the text so far lacks something of the layer.
  absl::Status status() const {
    if (!out_.refused().empty()) return ResourceExhaustedError(out_.refused());
    if (!out_.unwritable().empty()) return InvalidArgumentError(out_.unwritable());
    return absl::OkStatus();
  }
  // The minor version that the text so far needs.
  int minor() const { return out_.minor(); }

 private:
  // A prim, a variant set or a variant whose contents are being written.
  struct Open {
    SpecId spec;
    int indent;       // of its contents
    size_t next = 0;  // index into its properties, prims and variant sets; of a set, its variants
  };

  void Begin() {
    out_.Put("#usda 1.0\n");
    WriteLayerMetadata(layer_, &out_);
    out_.Put("\n");
    WriteOrder("rootPrims", kRootSpec, Fields().primOrder, 0);
  }

  void BeginPrim(SpecId prim, int indent) {
    const auto specifier = ReadFieldAs<Specifier>(layer_, prim, Fields().specifier, &out_);
    const auto type = ReadFieldAs<Token>(layer_, prim, Fields().typeName, &out_);
    out_.Indent(indent).Put(specifier == Specifier::kDef     ? "def "
                            : specifier == Specifier::kClass ? "class "
                                                             : "over ");
    if (type && IsValidPrimTypeName(type->text())) out_.Put(type->text(), " ");
    out_.Quoted(tree_.name(prim).text());
    WriteMetadata(layer_, prim, indent, &out_);
    out_.Put("\n").Indent(indent).Put("{\n");
    BeginContents(prim, indent + 1);
  }

  void BeginContents(SpecId spec, int indent) {
    WriteOrder("properties", spec, Fields().propertyOrder, indent);
    WriteOrder("nameChildren", spec, Fields().primOrder, indent);
    stack_.push_back({spec, indent});
  }

  void AdvanceIn(size_t top) {
    const Open at = stack_[top];
    size_t next = stack_[top].next++;
    if (tree_.type(at.spec) == SpecType::kVariantSet) return AdvanceInSet(at, next);
    const SpecRange properties = tree_.properties(at.spec), prims = tree_.prims(at.spec);
    const SpecRange sets = tree_.variants(at.spec);
    if (next < properties.size()) return WriteProperty(properties[next], at.indent);
    next -= properties.size();
    if (next < prims.size()) {
      if (!properties.empty() || next > 0) out_.Put("\n");
      return BeginPrim(prims[next], at.indent);
    }
    next -= prims.size();
    if (next < sets.size()) return BeginVariantSet(at.spec, sets[next], at.indent);
    End(at);
  }

  void WriteProperty(SpecId property, int indent) {
    if (tree_.type(property) == SpecType::kAttribute) {
      attributes_.Write(property, indent);
    } else {
      relationships_.Write(property, indent);
    }
  }

  void AdvanceInSet(const Open& set, size_t next) {
    const SpecRange variants = tree_.variants(set.spec);
    if (next == variants.size()) return End(set);
    CheckVariantName(variants[next]);
    out_.Indent(set.indent).Quoted(tree_.name(variants[next]).text());
    WriteMetadata(layer_, variants[next], set.indent, &out_);
    out_.Put(" {\n");
    BeginContents(variants[next], set.indent + 1);
  }

  void End(const Open& at) {
    stack_.pop_back();
    if (tree_.type(at.spec) == SpecType::kVariant) out_.Put("\n");
    out_.Indent(at.indent - 1).Put("}\n");
    if (stack_.empty()) out_.Put("\n");
  }

  void WriteOrder(const char* word, SpecId spec, Token field, int indent) {
    const auto names = ReadFieldAs<std::vector<Token>>(layer_, spec, field, &out_);
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

  // Crates hold names of variant sets and variants that text does not.
  void CheckVariantName(SpecId spec) {
    const std::string_view name = tree_.name(spec).text();
    if (IsVariantName(name)) return;
    out_.NoteUnwritable(Concat(layer_.identifier(), ": text cannot hold the name ", Quoted(name),
                               " of the variant or variant set ",
                               Quoted(tree_.path(spec).ToString()),
                               "; rename it, or write the layer as .usdc"));
  }

  // True if the `variantSets` metadata alone makes the reader add the set.
  bool IsDeclared(SpecId prim, SpecId set) {
    const auto [at, is_new] = declared_.try_emplace(prim);
    if (is_new) {
      const auto op =
          ReadFieldAs<ListOp<std::string>>(layer_, prim, Fields().variantSetNames, &out_);
      if (op) at->second.insert(op->explicit_items.begin(), op->explicit_items.end());
      if (op) at->second.insert(op->added.begin(), op->added.end());
    }
    return at->second.contains(tree_.name(set).str());
  }

  void BeginVariantSet(SpecId prim, SpecId set, int indent) {
    CheckVariantName(set);
    const bool empty = tree_.variants(set).empty();
    if (empty && IsDeclared(prim, set)) return;
    out_.Indent(indent).Put("variantSet ").Quoted(tree_.name(set).text());
    out_.Put(empty ? " = {}\n" : " = {\n");
    if (!empty) stack_.push_back({set, indent + 1});
  }

  const Layer& layer_;
  const SpecTree& tree_;
  TextSink out_;
  AttributeWriter attributes_{layer_, &out_};
  RelationshipWriter relationships_{layer_, &out_};
  bool begun_ = false;
  // The variant sets that metadata declares, for prims that have empty variant sets.
  std::unordered_map<SpecId, std::unordered_set<std::string>> declared_;
  size_t root_ = 0;  // the next prim below the pseudo-root
  std::vector<Open> stack_;
};

// The header states the version that the rest of the text needs, which a dry writer finds out
// first.
class UsdaSource final : public ByteSource {
 public:
  explicit UsdaSource(std::shared_ptr<const Layer> layer)
      : layer_(std::move(layer)), writer_(*layer_, /*dry=*/false) {}

  absl::StatusOr<bool> Next(RequestContext& context, size_t bytes, std::string* out) override {
    if (!begun_) SD_RETURN_IF_ERROR(Begin(context));
    Pacer pacer(context);
    std::string& text = writer_.text();
    while (text.size() < bytes && writer_.Advance()) SD_RETURN_IF_ERROR(pacer.Step(kStepsOfPart));
    SD_RETURN_IF_ERROR(writer_.status());
    if (text.empty()) return false;
    if (out->empty()) {
      out->swap(text);
    } else {
      out->append(text);
      text.clear();
    }
    return true;
  }

 private:
  static constexpr int64_t kStepsOfPart = 20;

  absl::Status Begin(RequestContext& context) {
    LayerWriter dry(*layer_, /*dry=*/true);
    for (Pacer pacer(context); dry.Advance(); dry.text().clear()) {
      SD_RETURN_IF_ERROR(pacer.Step(kStepsOfPart));
    }
    SD_RETURN_IF_ERROR(dry.status());
    writer_.Advance();
    writer_.text()[kMinorAt] = MinorDigit(dry.minor());
    begun_ = true;
    return absl::OkStatus();
  }

  const std::shared_ptr<const Layer> layer_;
  LayerWriter writer_;
  bool begun_ = false;
};

}  // namespace
}  // namespace usda

std::string WriteUsda(const Layer& layer) {
  usda::LayerWriter writer(layer, /*dry=*/false);
  return writer.WriteAll();
}

absl::StatusOr<std::string> WriteCompleteUsda(const Layer& layer) {
  usda::LayerWriter writer(layer, /*dry=*/false);
  std::string text = writer.WriteAll();
  SD_RETURN_IF_ERROR(writer.status());
  return text;
}

ByteSourcePtr UsdaBytes(std::shared_ptr<const Layer> layer) {
  return std::make_unique<usda::UsdaSource>(std::move(layer));
}

}  // namespace stagedoor
