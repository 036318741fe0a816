#include "scene/geom/imageable.h"

#include <vector>

#include "scene/geom/attribute_values.h"
#include "scene/geom/geom_tokens.h"
#include "scene/stage/property.h"
#include "scene/stage/stage.h"

namespace stagedoor {
namespace {

// The attribute of VisibilityAPI for a purpose other than default.
Token VisibilityOf(Token purpose) {
  if (purpose == Geom().guide) return Geom().guideVisibility;
  return purpose == Geom().proxy ? Geom().proxyVisibility : Geom().renderVisibility;
}

}  // namespace

bool IsLocallyVisible(RequestContext& context, const Prim& prim, TimeCode time) {
  const auto token = AttributeValueAs<Token>(context, prim, Geom().visibility, time);
  return !token || *token != Geom().invisible;
}

Token ComputeVisibility(RequestContext& context, const Prim& prim, TimeCode time) {
  // Prims that are not imageable neither hide their descendants nor end the inheritance.
  for (Prim at = prim; at.valid() && !at.IsPseudoRoot(); at = at.parent()) {
    if (at.IsA(Geom().Imageable) && !IsLocallyVisible(context, at, time)) return Geom().invisible;
  }
  return Geom().inherited;
}

std::optional<Token> AuthoredPurpose(RequestContext& context, const Prim& prim) {
  if (!prim.IsA(Geom().Imageable)) return std::nullopt;
  const Attribute purpose = prim.GetAttribute(Geom().purpose);
  if (!purpose.HasAuthoredValue(context)) return std::nullopt;
  return TypedValue<Token>(context, purpose, TimeCode::Default());
}

PurposeInfo CombinePurpose(std::optional<Token> authored, const PurposeInfo& parent) {
  // As in OpenUSD, any authored token is accepted. The empty token applies only if there is no
  // purpose to inherit, and is not inheritable itself.
  if (authored && !authored->empty()) return {*authored, true};
  if (parent.inheritable) return parent;
  return {authored.value_or(Geom().default_), false};
}

PurposeInfo ComputePurposeInfo(RequestContext& context, const Prim& prim,
                               const PurposeInfo& parent) {
  return CombinePurpose(AuthoredPurpose(context, prim), parent);
}

PurposeInfo ComputePurposeInfo(RequestContext& context, const Prim& prim) {
  std::vector<Prim> chain;
  for (Prim at = prim; at.valid() && !at.IsPseudoRoot(); at = at.parent()) chain.push_back(at);
  PurposeInfo info{Geom().default_, false};
  for (auto it = chain.rbegin(); it != chain.rend(); ++it) {
    info = ComputePurposeInfo(context, *it, info);
  }
  return info;
}

Token ComputeEffectiveVisibility(RequestContext& context, const Prim& prim, Token purpose,
                                 TimeCode time) {
  if (ComputeVisibility(context, prim, time) == Geom().invisible) return Geom().invisible;
  if (purpose == Geom().default_) return Geom().visible;
  const Token name = VisibilityOf(purpose);
  for (Prim at = prim; at.valid() && !at.IsPseudoRoot(); at = at.parent()) {
    if (!at.IsA(Geom().Imageable) || !at.HasApi(Geom().VisibilityAPI)) continue;
    if (!HasAuthoredValue(context, at, name)) continue;
    if (const auto token = AttributeValueAs<Token>(context, at, name, time)) return *token;
  }
  return purpose == Geom().guide ? Geom().invisible : Geom().inherited;
}

ProxyPrim ComputeProxyPrim(RequestContext& context, const Prim& prim) {
  if (!prim.IsA(Geom().Imageable)) return {};
  std::vector<Prim> chain;
  for (Prim at = prim; at.valid() && !at.IsPseudoRoot(); at = at.parent()) chain.push_back(at);
  Prim first;  // of the prims down to this one whose purpose is render
  PurposeInfo info{Geom().default_, false};
  for (auto it = chain.rbegin(); it != chain.rend(); ++it) {
    info = ComputePurposeInfo(context, *it, info);
    if (info.purpose != Geom().render) {
      first = Prim();
    } else if (!first.valid()) {
      first = *it;
    }
  }
  if (!first.valid()) return {};
  const Relationship relationship = first.GetRelationship(Geom().proxyPrim);
  if (!relationship.valid()) return {};
  const std::vector<Path> targets = relationship.ForwardedTargets(context);
  if (targets.size() != 1) return {};
  const Prim proxy = first.stage().FindPrim(targets[0]);
  if (!proxy.valid() || ComputePurposeInfo(context, proxy).purpose != Geom().proxy) return {};
  return {proxy, first};
}

}  // namespace stagedoor
