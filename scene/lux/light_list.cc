#include "scene/lux/light_list.h"

#include <optional>
#include <set>
#include <string_view>

#include "base/pacer.h"
#include "base/request_context.h"
#include "base/reservation.h"
#include "base/strings.h"
#include "scene/lux/lit_prims.h"
#include "scene/stage/property.h"
#include "scene/stage/stage.h"

namespace stagedoor {
namespace {

constexpr size_t kBytesPerLight = 64;  // a node of the set, and the element of the result

struct LuxTokens {
  const Token LightAPI{"LightAPI"};
  const Token LightFilter{"LightFilter"};
  const Token lightList{"lightList"};
  const Token cacheBehavior{"lightList:cacheBehavior"};
  const Token consumeAndContinue{"consumeAndContinue"};
  const Token consumeAndHalt{"consumeAndHalt"};
  const Token filters{"light:filters"};
  const Token portals{"portals"};
  const Token filterShaderId{"lightFilter:shaderId"};
  const Token shaderId{"light:shaderId"};
};
const LuxTokens& Lux() {
  static const auto* tokens = new LuxTokens;
  return *tokens;
}

Token TokenOf(RequestContext& context, const Prim& prim, Token name) {
  const Attribute attribute = prim.GetAttribute(name);
  if (!attribute.valid()) return Token();
  const Value value = attribute.Get(context, TimeCode::Default());
  const Token* token = value.Get<Token>();
  return token == nullptr ? Token() : *token;
}

std::vector<Path> ForwardedTargets(RequestContext& context, const Prim& prim, Token name) {
  const Relationship relationship = prim.GetRelationship(name);
  return relationship.valid() ? relationship.ForwardedTargets(context) : std::vector<Path>();
}

// Collects lights depth first, without recursion.
class LightWalk {
 public:
  LightWalk(RequestContext& context, LightListMode mode)
      : context_(context),
        pacer_(context),
        reserved_(context),
        consults_(mode == LightListMode::kConsultModelHierarchyCache) {}

  std::vector<Path> Collect(const Prim& root) {
    // A prim without lights may have a list of them.
    if (!consults_) lit_.emplace(context_, root);
    todo_.push_back(root);
    while (!todo_.empty() && pacer_.Go()) {
      const Prim prim = todo_.back();
      todo_.pop_back();
      Visit(prim);
    }
    return {lights_.begin(), lights_.end()};
  }

 private:
  void Visit(const Prim& prim) {
    if (consults_ && TakesCachedList(prim)) return;
    if (IsLight(prim) || IsLightFilter(prim)) Add(prim.path());
    PrimFlagsPredicate flags = PrimFlagsPredicate::All()
                                   .With(kPrimActive, true)
                                   .With(kPrimAbstract, false)
                                   .With(kPrimDefined, true)
                                   .WithInstanceProxies();
    if (consults_) flags = flags.With(kPrimModel, true);
    for (const Prim& child : prim.Children(flags)) {
      if (!lit_ || lit_->Contain(child)) todo_.push_back(child);
    }
  }

  // Adds the list that a prim has, if it is to be used. Returns whether it is all.
  bool TakesCachedList(const Prim& prim) {
    const Token behavior = TokenOf(context_, prim, Lux().cacheBehavior);
    const bool halts = behavior == Lux().consumeAndHalt;
    if (!halts && behavior != Lux().consumeAndContinue) return false;
    for (const Path target : ForwardedTargets(context_, prim, Lux().lightList)) Add(target);
    return halts;
  }

  void Add(Path path) {
    if (reserved_.Grow(kBytesPerLight, "lights").ok()) lights_.insert(path);
  }

  RequestContext& context_;
  Pacer pacer_;
  Reservation reserved_;
  const bool consults_;
  std::optional<LitPrims> lit_;  // unless other prims matter, too
  std::vector<Prim> todo_;
  std::set<Path> lights_;
};

}  // namespace

bool IsLight(const Prim& prim) { return prim.HasApi(Lux().LightAPI); }

bool IsLightFilter(const Prim& prim) { return prim.IsA(Lux().LightFilter); }

std::vector<Path> ComputeLightList(RequestContext& context, const Prim& root, LightListMode mode) {
  return LightWalk(context, mode).Collect(root);
}

Token LightShaderId(RequestContext& context, const Prim& light,
                    const std::vector<std::string>& render_contexts) {
  const Token name = IsLightFilter(light) ? Lux().filterShaderId : Lux().shaderId;
  for (const std::string& render_context : render_contexts) {
    const auto own = Token::Find(Concat(render_context, ":", name.text()));
    if (!own) continue;
    const Token id = TokenOf(context, light, *own);
    if (!id.empty()) return id;
  }
  return TokenOf(context, light, name);
}

std::vector<Path> LightFilters(RequestContext& context, const Prim& light) {
  return ForwardedTargets(context, light, Lux().filters);
}

std::vector<Path> LightPortals(RequestContext& context, const Prim& light) {
  return ForwardedTargets(context, light, Lux().portals);
}

}  // namespace stagedoor
