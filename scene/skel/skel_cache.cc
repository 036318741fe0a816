#include "scene/skel/skel_cache.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/hash.h"
#include "base/status_macros.h"
#include "scene/geom/attribute_values.h"
#include "scene/skel/skel_tokens.h"
#include "scene/values/matrix.h"

namespace stagedoor {
namespace {

LruCacheOptions Bounded(size_t megabytes) { return {.max_bytes = megabytes << 20, .shards = 4}; }

// The bind, inverse bind and rest transforms, and the names.
size_t ByteSize(const SkeletonQuery& skeleton) {
  return sizeof(SkeletonQuery) + skeleton.joint_order().size() * (3 * sizeof(Matrix4d) + 32);
}

// Whether a prim authors binding properties that its descendants inherit, other than the skeleton
// and the animation, which are part of the key.
bool AuthorsInfluences(RequestContext& context, const Prim& prim) {
  const SkelTokens& t = Skel();
  const Token names[] = {t.joint_indices, t.joint_weights, t.geom_bind_transform, t.bound_joints,
                         t.skinning_method};
  return prim.HasApi(t.SkelBindingAPI) &&
         std::any_of(std::begin(names), std::end(names),
                     [&](Token name) { return HasAuthoredValue(context, prim, name); });
}

}  // namespace

SkelCache& SkelCache::Of(const Stage& stage) {
  return stage.derived().Get<SkelCache>(stage.memory().pool());
}

SkelCache::SkelCache(MemoryPool* pool)
    : skins_(Bounded(128)), skeletons_(Bounded(64)), memory_(pool) {}

void SkelCache::Charge() {
  // Results that requests hold stay valid; they are just not shared with later requests.
  if (memory_.over()) {
    skins_.Clear();
    skeletons_.Clear();
  }
  memory_.Set(skins_.bytes() + skeletons_.bytes());
}

std::shared_ptr<const SkeletonQuery> SkelCache::SkeletonOf(RequestContext& context,
                                                           const Prim& prim) {
  if (!prim.valid()) return nullptr;
  using Loaded = decltype(skeletons_)::Loaded;
  const auto load = [&]() -> absl::StatusOr<Loaded> {
    SD_ASSIGN_OR_RETURN(auto skeleton, SkeletonQuery::Compile(context, prim));
    // The result of a request that has ended may be incomplete and must not be cached.
    SD_RETURN_IF_ERROR(context.Check());
    const size_t bytes = ByteSize(*skeleton);
    return Loaded{std::move(skeleton), bytes};
  };
  auto skeleton = skeletons_.GetOrLoad(context, prim, load).value_or(nullptr);
  Charge();
  return skeleton;
}

size_t SkelCache::RootHash::operator()(const RootKey& key) const {
  size_t hash = 0;
  for (const PrimData* data : {key.data, key.skeleton.data, key.animation.data}) {
    hash = HashCombine(hash, data);
  }
  return HashCombine(hash, key.animation.instance_path.hash());
}

SkelCache::RelativePrim SkelCache::RelativeTo(const Prim& instance, const Prim& prim) {
  if (!prim.valid()) return {};
  // In terms of the instance that the prototype was made from, so that the same prim below another
  // instance gives the same key.
  const Path source = instance.data().prototype->source_path;
  return {&prim.data(), prim.instance_path().ReplacePrefix(instance.path(), source)};
}

SkelCache::RootKey SkelCache::KeyOf(RequestContext& context, const Prim& skel_root) {
  RootKey key{&skel_root.data()};
  const bool is_instance = skel_root.data().prototype != nullptr;
  if (is_instance) {
    // An instance that binds more than others of its prototype is compiled on its own.
    if (AuthorsInfluences(context, skel_root)) return key;
    key.data = &skel_root.data().prototype->root;
    if (skel_root.HasApi(Skel().SkelBindingAPI)) {
      const auto skeleton = BoundTarget(context, skel_root, Skel().skeleton_rel);
      key.skeleton = RelativeTo(skel_root, skeleton.value_or(Prim()));
    }
  }
  // A skeleton below the instance takes the nearest animation source at or above it, which the
  // instance or an ancestor of the instance may author.
  const Prim instance =
      is_instance ? skel_root : skel_root.stage().FindPrim(skel_root.instance_path());
  if (instance.valid())
    key.animation = RelativeTo(instance, FindAnimationSource(context, instance));
  return key;
}

absl::StatusOr<std::shared_ptr<const SkinSet>> SkelCache::SkinSetOf(RequestContext& context,
                                                                    const Prim& skel_root) {
  using Loaded = decltype(skins_)::Loaded;
  auto found =
      skins_.GetOrLoad(context, KeyOf(context, skel_root), [&]() -> absl::StatusOr<Loaded> {
        auto set = std::make_shared<const SkinSet>(SkinSet::Compile(
            context, skel_root,
            [this](RequestContext& call, const Prim& prim) { return SkeletonOf(call, prim); }));
        SD_RETURN_IF_ERROR(context.Check());
        const size_t bytes = set->byte_size();
        return Loaded{std::move(set), bytes};
      });
  Charge();
  return found;
}

absl::Status SkelCache::FindAt(RequestContext& context, const Prim& prim,
                               std::vector<SkinningTarget>* found) {
  // Innermost first; taken from the back, because the outermost SkelRoot that finds the prim
  // decides its binding. An inner one may not find what it inherits from above.
  std::vector<Prim> roots;
  for (Prim at = prim; at.valid() && !at.IsPseudoRoot(); at = at.parent()) {
    if (at.IsA(Skel().SkelRoot)) roots.push_back(at);
  }
  for (; !roots.empty(); roots.pop_back()) {
    SD_ASSIGN_OR_RETURN(const auto skins, SkinSetOf(context, roots.back()));
    const size_t place = skins->Find(prim, roots.back());
    if (place == skins->size()) continue;
    found->push_back(skins->At(place, roots.back()));
    break;
  }
  return absl::OkStatus();
}

}  // namespace stagedoor
