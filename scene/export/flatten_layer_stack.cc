#include "scene/export/flatten_layer_stack.h"

#include <algorithm>
#include <unordered_set>
#include <utility>
#include <vector>

#include "resolver/asset_path.h"
#include "scene/export/field_reduction.h"
#include "scene/layer/field_keys.h"
#include "scene/layer/layer_builder.h"
#include "scene/values/array_edit.h"
#include "scene/values/asset_path.h"
#include "scene/values/list_op.h"
#include "scene/values/refused_value.h"
#include "scene/values/value_block.h"

namespace stagedoor {
namespace {

constexpr uint64_t kStepsPerField = 16;

// A spec in one layer of the stack. Specs lists those of one path, strongest first.
struct Spec {
  const LayerStack::Entry* entry;
  SpecId id;
  const Layer& layer() const { return *entry->layer; }
  const SpecTree& tree() const { return entry->layer->tree(); }
  SpecType type() const { return tree().type(id); }
};
using Specs = std::vector<Spec>;

using Children = SpecRange (SpecTree::*)(SpecId) const;
using FindChild = SpecId (SpecTree::*)(SpecId, Token) const;

class StackFlattener {
 public:
  StackFlattener(RequestContext& context, const LayerStack& stack,
                 const AnchorAssetPathFunction& anchor)
      : context_(context), stack_(stack), anchor_(anchor) {}

  absl::StatusOr<std::shared_ptr<const Layer>> Run(Layer::Info info) {
    Specs roots;
    for (const LayerStack::Entry& entry : stack_.layers()) roots.push_back({&entry, kRootSpec});
    FlattenFields(roots, kRootSpec);
    FlattenPrims(roots, kRootSpec);
    if (absl::Status status = context_.Check(); !status.ok()) return status;
    return std::move(builder_).Build(std::move(info));
  }

 private:
  // ---- Namespace

  void FlattenPrims(const Specs& parents, SpecId out) {
    for (const Token name : Names(parents, &SpecTree::prims, Fields().primOrder)) {
      if (!context_.Check().ok()) return;
      const Specs prims = Find(parents, &SpecTree::FindPrim, name);
      const SpecId prim = builder_.FindOrAdd(out, SpecType::kPrim, name);
      FlattenFields(prims, prim);
      FlattenContents(prims, prim);
    }
  }

  // Flattens what prims and variants may both contain.
  void FlattenContents(const Specs& parents, SpecId out) {
    for (const Token name : Names(parents, &SpecTree::properties, Fields().propertyOrder)) {
      if (!context_.Spend(kStepsPerField).ok()) return;
      const Specs properties = Find(parents, &SpecTree::FindProperty, name);
      FlattenProperty(properties, builder_.FindOrAdd(out, properties.front().type(), name));
    }
    for (const Token name : Names(parents, &SpecTree::variants, Token())) {
      const Specs sets = Find(parents, &SpecTree::FindVariant, name);
      FlattenVariantSet(sets, builder_.FindOrAdd(out, SpecType::kVariantSet, name));
    }
    FlattenPrims(parents, out);
  }

  void FlattenVariantSet(const Specs& sets, SpecId out) {
    FlattenFields(sets, out);
    for (const Token name : Names(sets, &SpecTree::variants, Token())) {
      if (!context_.Spend(kStepsPerField).ok()) return;
      const Specs variants = Find(sets, &SpecTree::FindVariant, name);
      const SpecId variant = builder_.FindOrAdd(out, SpecType::kVariant, name);
      FlattenFields(variants, variant);
      FlattenContents(variants, variant);
    }
  }

  // The names of all children, those of the weakest layer first, reordered by each layer's `order`
  // field (Core Specification 11.3.1, "Ordered Prim Children").
  static std::vector<Token> Names(const Specs& parents, Children children, Token order) {
    std::vector<Token> names;
    std::unordered_set<Token> known;
    for (auto parent = parents.rbegin(); parent != parents.rend(); ++parent) {
      for (const SpecId child : (parent->tree().*children)(parent->id)) {
        const Token name = parent->tree().name(child);
        if (known.insert(name).second) names.push_back(name);
      }
      if (order.empty()) continue;
      const auto wanted = parent->layer().GetAs<std::vector<Token>>(parent->id, order);
      if (wanted) ListOp<Token>::Reorder(*wanted, &names);
    }
    return names;
  }

  // Specs of another type than the strongest one are ignored.
  static Specs Find(const Specs& parents, FindChild find, Token name) {
    Specs result;
    for (const Spec& parent : parents) {
      const SpecId id = (parent.tree().*find)(parent.id, name);
      if (id == kNoSpec) continue;
      const Spec spec{parent.entry, id};
      if (result.empty() || result.front().type() == spec.type()) result.push_back(spec);
    }
    return result;
  }

  // ---- Fields

  // Empty if the layer has no opinion or the value is damaged.
  LayerOpinion Opinion(const Spec& spec, Token field) const {
    const Value value = spec.layer().Get(spec.id, field);
    if (value.is_invalid()) FailIfRefused(context_, value);
    if (value.empty() || value.is_invalid()) return {};
    const auto anchor = [&](DependencyType use, const std::string& authored) {
      return anchor_(spec.layer(), use, authored);
    };
    return {ModifyAssetPathsInValue(field, value, anchor), spec.entry->offset};
  }

  Value Reduced(const Specs& specs, Token field) const {
    std::vector<LayerOpinion> opinions;
    for (const Spec& spec : specs) {
      LayerOpinion opinion = Opinion(spec, field);
      if (!opinion.value.empty()) opinions.push_back(std::move(opinion));
    }
    return ReduceField(context_, field, opinions);
  }

  static bool IsTimeVarying(Token field) {
    return field == Fields().timeSamples || field == Fields().spline;
  }

  void FlattenFields(const Specs& specs, SpecId out) {
    // The flattened layer has no sublayers any more.
    std::unordered_set<Token> done{Fields().subLayers, Fields().subLayerOffsets};
    for (const Spec& spec : specs) {
      for (const Token field : spec.layer().FieldNames(spec.id)) {
        // FlattenProperty writes these.
        if (IsTimeVarying(field) || field == Fields().default_) continue;
        if (!done.insert(field).second) continue;
        if (!context_.Spend(kStepsPerField).ok()) return;
        builder_.Set(out, field, Reduced(specs, field));
      }
    }
  }

  void FlattenProperty(const Specs& specs, SpecId out) {
    FlattenFields(specs, out);
    builder_.Set(out, Fields().default_, Default(specs));
    // The strongest layer with any value hides the animation of weaker ones.
    for (const Spec& spec : specs) {
      const Layer& layer = spec.layer();
      for (const Token field : {Fields().timeSamples, Fields().spline}) {
        if (!layer.Has(spec.id, field)) continue;
        return builder_.Set(out, field, Reduced({spec}, field));
      }
      if (layer.Has(spec.id, Fields().default_)) return;
    }
  }

  // An AnimationBlock does not hide a default. If there is none, it is written, because it also
  // blocks animation behind arcs. Array edits are applied to the weaker value.
  Value Default(const Specs& specs) const {
    Value result;
    for (const Spec& spec : specs) {
      Value opinion = Reduced({spec}, Fields().default_);
      if (opinion.empty() || (!result.empty() && opinion.Is<AnimationBlock>())) continue;
      if (const auto* edit = result.Get<ArrayEdit>()) opinion = ApplyArrayEdit(*edit, opinion);
      result = std::move(opinion);
      if (!result.Is<AnimationBlock>() && !result.Is<ArrayEdit>()) break;
    }
    return result;
  }

  RequestContext& context_;
  const LayerStack& stack_;
  const AnchorAssetPathFunction& anchor_;
  LayerBuilder builder_;
};

}  // namespace

absl::StatusOr<std::shared_ptr<const Layer>> FlattenLayerStack(
    RequestContext& context, const LayerStack& stack, const AnchorAssetPathFunction& anchor,
    Layer::Info info) {
  return StackFlattener(context, stack, anchor).Run(std::move(info));
}

absl::StatusOr<std::shared_ptr<const Layer>> FlattenLayerStack(RequestContext& context,
                                                               const Stage& stage,
                                                               Layer::Info info) {
  const LayerStack& stack = stage.root_layer_stack();
  const AnchorAssetPathFunction anchor = [&](const Layer& layer, DependencyType use,
                                             const std::string& authored) -> std::string {
    // A template does not name a file, so a search path cannot be resolved; leave it as authored.
    if (use == DependencyType::kClipTemplate && !IsFileRelativeAssetPath(authored)) return authored;
    const AssetPath path = stage.data().ResolveAssetPath(context, authored, layer, stack);
    const std::string& text = path.evaluated.empty() ? authored : path.evaluated;
    const std::string identifier = stage.data().Identify(context, text, layer);
    return std::string(WithoutForeignFileScheme(identifier));
  };
  return FlattenLayerStack(context, stack, anchor, std::move(info));
}

}  // namespace stagedoor
