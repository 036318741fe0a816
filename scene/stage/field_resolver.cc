#include "scene/stage/field_resolver.h"

#include "resolver/asset_path.h"
#include "scene/layer/layer_registry.h"
#include "scene/stage/asset_paths.h"
#include "scene/stage/path_expressions.h"
#include "scene/stage/stage_data.h"
#include "scene/values/asset_path.h"
#include "scene/values/layer_offset.h"
#include "scene/values/retiming.h"

namespace stagedoor {

namespace {

// With times and path expressions in terms of the stage.
Value ToStage(RequestContext& context, const Prim& prim, const PrimSpecHandle& site, Value value) {
  value = MapPathExpressions(context, prim, site.node, std::move(value));
  if (!HoldsTimes(value)) return value;
  // The offset is composed on demand only, as few fields hold times.
  const LayerOffset offset = prim.index().OffsetOf(site);
  return offset.IsIdentity() ? value : Retime(value, offset);
}

const PrimSpecHandle& SiteOfField(const Prim& prim, const SpecHandle& field) {
  return prim.index().index->prim_stack()[field.site];
}

const LayerStack& LayerStackOf(const Prim& prim, const PrimSpecHandle& site) {
  return *prim.index().index->nodes()[site.node].layer_stack;
}

}  // namespace

Value FieldResolver::operator()(RequestContext& context, Value value,
                                const SpecHandle& field) const {
  const PrimSpecHandle& site = SiteOfField(prim_, field);
  return ResolveAssets(context, ToStage(context, prim_, site, std::move(value)), site);
}

Value FieldAnchorer::operator()(RequestContext& context, Value value,
                                const SpecHandle& field) const {
  const PrimSpecHandle& site = SiteOfField(prim_, field);
  return Anchor(context, ToStage(context, prim_, site, std::move(value)), *site.layer,
                LayerStackOf(prim_, site));
}

Value FieldAnchorer::Anchor(RequestContext& context, Value value, const Layer& layer,
                            const LayerStack& stack) const {
  if (!HoldsAssetPath(value)) return value;
  return ResolveAssetPaths(value, [&](const std::string& authored) {
    const AssetPath path = prim_.stage_data().ResolveAssetPath(context, authored, layer, stack);
    // An expression that cannot be evaluated is kept as authored.
    const std::string& text = path.evaluated.empty() ? authored : path.evaluated;
    if (text.empty()) return AssetPath();
    const std::string identifier = prim_.stage_data().Identify(context, text, layer);
    return AssetPath{.authored = std::string(WithoutForeignFileScheme(identifier))};
  });
}

Value FieldResolver::ResolveAssets(RequestContext& context, Value value,
                                   const PrimSpecHandle& site) const {
  return ResolveAssets(context, std::move(value), *site.layer, LayerStackOf(prim_, site));
}

Value FieldResolver::ResolveAssets(RequestContext& context, Value value, const Layer& layer,
                                   const LayerStack& stack) const {
  if (!HoldsAssetPath(value)) return value;
  return ResolveAssetPaths(value, [&](const std::string& authored) {
    return prim_.stage_data().ResolveAssetPath(context, authored, layer, stack);
  });
}

}  // namespace stagedoor
