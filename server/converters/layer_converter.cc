#include "server/converters/layer_converter.h"

#include <algorithm>
#include <numeric>
#include <string>
#include <string_view>

#include "scene/layer/field_definition.h"
#include "scene/layer/field_keys.h"
#include "scene/layer/layer.h"
#include "server/converters/reply_budget.h"
#include "server/converters/value_converter.h"
#include "stagedoor/v1/layers.pb.h"

namespace stagedoor::server {
namespace {

struct NamedFormat {
  v1::LayerFormat format;
  std::string_view name;
};

// Requests may leave the format unspecified; replies name the first format that matches.
constexpr NamedFormat kFormats[] = {{v1::LAYER_FORMAT_USDA, "usda"},
                                    {v1::LAYER_FORMAT_USDC, "usdc"},
                                    {v1::LAYER_FORMAT_USDZ, "usdz"},
                                    {v1::LAYER_FORMAT_UNSPECIFIED, "usdc"}};

v1::LayerFormat FormatOf(std::string_view name) {
  for (const NamedFormat& known : kFormats) {
    if (known.name == name) return known.format;
  }
  return v1::LAYER_FORMAT_UNSPECIFIED;
}

v1::Spec::Type TypeOf(SpecType type) {
  switch (type) {
    case SpecType::kPseudoRoot:
      return v1::Spec::TYPE_UNSPECIFIED;
    case SpecType::kPrim:
      return v1::Spec::TYPE_PRIM;
    case SpecType::kAttribute:
      return v1::Spec::TYPE_ATTRIBUTE;
    case SpecType::kRelationship:
      return v1::Spec::TYPE_RELATIONSHIP;
    case SpecType::kVariantSet:
      return v1::Spec::TYPE_VARIANT_SET;
    case SpecType::kVariant:
      return v1::Spec::TYPE_VARIANT;
  }
  return v1::Spec::TYPE_UNSPECIFIED;
}

bool IsValueField(Token field) {
  return field == Fields().default_ || field == Fields().timeSamples || field == Fields().spline;
}

void FillFields(const Layer& layer, SpecId spec, const LayerTraversalOptions& options,
                ReplyBudget& budget, google::protobuf::RepeatedPtrField<v1::Field>* out) {
  const bool is_variant = layer.tree().type(spec) == SpecType::kVariant;
  for (const Token name : layer.FieldNames(spec)) {
    if (!budget.ok()) return;
    if (options.without_values && IsValueField(name)) continue;
    if (is_variant && name == Fields().specifier) continue;
    if (IsMisplacedField(layer.tree().type(spec), name)) continue;
    v1::Field* field = budget.Add(out);
    field->set_name(budget.Text(name.text()));
    budget.Charge(sizeof(v1::Value));
    FillValue(layer.Get(spec, name), budget, field->mutable_value());
  }
}

std::vector<SpecId> InOrder(SpecRange range) {
  std::vector<SpecId> ids(range.size());
  std::iota(ids.begin(), ids.end(), range.first());
  return ids;
}

std::vector<SpecId> SortedByName(const SpecTree& tree, SpecRange range) {
  std::vector<SpecId> ids = InOrder(range);
  std::sort(ids.begin(), ids.end(),
            [&](SpecId a, SpecId b) { return tree.name(a).text() < tree.name(b).text(); });
  return ids;
}

// Whether a variant set has a variant without a name. Like OpenUSD, a traversal omits such a set:
// in OpenUSD the variant has the same path as the set and replaces it.
bool HasNamelessVariant(const SpecTree& tree, SpecId spec) {
  if (tree.type(spec) != SpecType::kVariantSet) return false;
  for (const SpecId variant : tree.variants(spec)) {
    if (tree.name(variant).empty()) return true;
  }
  return false;
}

}  // namespace

std::string_view LayerFormatName(v1::LayerFormat format) {
  for (const NamedFormat& known : kFormats) {
    if (known.format == format) return known.name;
  }
  return "";
}

void FillLayerHeader(const Layer& layer, ReplyBudget& budget, v1::LayerHeader* out) {
  out->set_identifier(budget.Text(layer.identifier()));
  out->set_format(FormatOf(layer.info().format));
  FillFields(layer, kRootSpec, {}, budget, out->mutable_fields());
}

void FillSpecName(const Layer& layer, SpecId spec, ReplyBudget& budget, v1::Spec* out) {
  out->set_path(budget.Text(layer.tree().path(spec).ToString()));
  out->set_type(TypeOf(layer.tree().type(spec)));
}

void FillSpec(const Layer& layer, SpecId spec, const LayerTraversalOptions& options,
              ReplyBudget& budget, v1::Spec* out) {
  FillSpecName(layer, spec, budget, out);
  FillFields(layer, spec, options, budget, out->mutable_fields());
}

SpecTraversal::SpecTraversal(const Layer& layer) : layer_(layer) { PushChildren(kRootSpec); }

SpecId SpecTraversal::Next() {
  const SpecId spec = pending_.back();
  pending_.pop_back();
  PushChildren(spec);
  return spec;
}

void SpecTraversal::PushChildren(SpecId spec) {
  const SpecTree& tree = layer_.tree();
  if (tree.is_property(spec)) return;
  PushReversed(InOrder(tree.prims(spec)));
  std::vector<SpecId> variants = SortedByName(tree, tree.variants(spec));
  std::erase_if(variants, [&](SpecId variant) { return HasNamelessVariant(tree, variant); });
  PushReversed(variants);
  PushReversed(InOrder(tree.properties(spec)));
}

void SpecTraversal::PushReversed(const std::vector<SpecId>& specs) {
  pending_.insert(pending_.end(), specs.rbegin(), specs.rend());
}

}  // namespace stagedoor::server
