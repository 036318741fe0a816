#include "tests/tools/layer_dump_lib.h"

#include <algorithm>
#include <vector>

#include "scene/layer/field_definition.h"
#include "tests/tools/value_json.h"

namespace stagedoor {
namespace {

const char* SpecWord(SpecType type) {
  switch (type) {
    case SpecType::kPseudoRoot:
      return "layer";
    case SpecType::kPrim:
      return "prim";
    case SpecType::kAttribute:
      return "attribute";
    case SpecType::kRelationship:
      return "relationship";
    case SpecType::kVariantSet:
      return "variantSet";
    case SpecType::kVariant:
      break;
  }
  return "variant";
}

class Dumper {
 public:
  explicit Dumper(const Layer& layer) : layer_(layer), tree_(layer.tree()) {}

  std::string Run() {
    out_ += "{\"record\":\"layer\",\"error\":false,\"metadata\":";
    Fields(kRootSpec);
    out_ += "}\n";
    Children(kRootSpec);
    return std::move(out_);
  }

 private:
  void Fields(SpecId spec) {
    out_ += '{';
    bool first = true;
    std::vector<Token> names = layer_.FieldNames(spec);
    std::sort(names.begin(), names.end());
    for (const Token name : names) {
      if (tree_.type(spec) == SpecType::kVariant && name.text() == "specifier") continue;
      if (IsMisplacedField(tree_.type(spec), name)) continue;
      if (!std::exchange(first, false)) out_ += ',';
      AppendJsonString(name.text(), &out_);
      out_ += ':';
      AppendValueJson(layer_.Get(spec, name), &out_);
    }
    out_ += '}';
  }
  void Spec(SpecId spec) {
    out_ += "{\"record\":\"spec\",\"path\":";
    AppendJsonString(tree_.path(spec).ToString(), &out_);
    out_ += ",\"specType\":\"";
    out_ += SpecWord(tree_.type(spec));
    out_ += "\",\"fields\":";
    Fields(spec);
    out_ += "}\n";
    Children(spec);
  }
  // In OpenUSD a variant without a name replaces its variant set.
  bool HasNamelessVariant(SpecId spec) const {
    if (tree_.type(spec) != SpecType::kVariantSet) return false;
    for (const SpecId variant : tree_.variants(spec)) {
      if (tree_.name(variant).empty()) return true;
    }
    return false;
  }
  void Children(SpecId spec) {
    for (const SpecId id : tree_.properties(spec)) Spec(id);
    std::vector<SpecId> variants;
    for (const SpecId id : tree_.variants(spec)) variants.push_back(id);
    std::sort(variants.begin(), variants.end(),
              [this](SpecId a, SpecId b) { return tree_.name(a) < tree_.name(b); });
    for (const SpecId id : variants) {
      if (!HasNamelessVariant(id)) Spec(id);
    }
    for (const SpecId id : tree_.prims(spec)) Spec(id);
  }

  const Layer& layer_;
  const SpecTree& tree_;
  std::string out_;
};

}  // namespace

std::string DumpLayer(const Layer& layer) { return Dumper(layer).Run(); }

}  // namespace stagedoor
