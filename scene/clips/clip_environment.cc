#include "scene/clips/clip_environment.h"

#include <optional>
#include <span>
#include <utility>

#include "base/hash.h"
#include "base/pacer.h"
#include "base/single_flight.h"
#include "base/status.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "scene/clips/clip_template.h"
#include "scene/clips/numbered_files.h"
#include "scene/values/asset_path.h"
#include "scene/values/vec.h"

namespace stagedoor {
namespace {

// The cost of a look-up in a set, which may include another attempt to open a missing manifest.
constexpr uint64_t kStepsPerLookUp = 64;

// A clip source that builds its set on first use. Building it may look for every file of a
// template, which must not slow down the opening of stages.
class LazyClipSource final : public ClipSource {
 public:
  LazyClipSource(ClipEnvironment& environment, ResolverContext resolver_context,
                 ClipSetDefinition definition)
      : environment_(environment),
        resolver_context_(std::move(resolver_context)),
        definition_(std::move(definition)) {}

  const std::string& name() const override { return definition_.name; }
  const LayerStack& layer_stack() const override { return *definition_.layer_stack; }
  size_t layer_index() const override { return definition_.layer_index; }
  Path prim_path() const override { return definition_.prim_path; }

  std::shared_ptr<const ClipAttribute> Attribute(RequestContext& context,
                                                 Path path) const override {
    if (!context.Spend(kStepsPerLookUp).ok()) return nullptr;
    const ClipSet* set = Set(context);
    if (!set) return nullptr;
    return set->Attribute(context, path.ReplacePrefix(definition_.prim_path, set->clip_prim()));
  }
  void Prefetch(RequestContext& context, double first, double last,
                PrefetchTally* tally) const override {
    if (const ClipSet* set = Set(context)) set->Prefetch(context, first, last, tally);
  }
  void VisitVersions(RequestContext& context, double first, double last,
                     const std::function<void(std::string_view)>& take) const override {
    if (const ClipSet* set = Set(context)) set->VisitVersions(context, first, last, take);
  }

 private:
  // Null if the definition makes no set, or the context is done.
  const ClipSet* Set(RequestContext& context) const {
    const ClipSet* ready = ready_.load(std::memory_order_acquire);
    if (ready) return ready;
    if (!known_.load(std::memory_order_acquire)) {
      // A single flight instead of a lock, so that a waiting request can end at its own deadline.
      auto made = making_.Do(context, 0, [&] { return Make(context); });
      // The request that ran the flight may have reached a limit of its own; then this one tries.
      if (!made.ok() && context.Check().ok()) {
        made = making_.Do(context, 0, [&] { return Make(context); });
      }
      if (!made.ok()) {
        context.Fail(made.status());
        return nullptr;
      }
    }
    if (!error_.empty()) {
      context.Warn({Warning::Kind::kInvalidMetadata, "", definition_.prim_path.ToString(), error_});
    }
    return set_.get();
  }

  // Called by one thread at a time, until known_ is set.
  absl::StatusOr<bool> Make(RequestContext& context) const {
    if (known_.load(std::memory_order_acquire)) return true;
    auto set = environment_.MakeSet(context, resolver_context_, definition_);
    // An error of the request is not kept: a later request may be able to build the set.
    SD_RETURN_IF_ERROR(context.Check());
    if (set.ok()) {
      set_ = *std::move(set);
    } else {
      error_ =
          Concat("invalid clip set '", name(), "' at ", definition_.prim_path.ToString(), ": ",
                 std::string_view(set.status().message().data(), set.status().message().size()));
    }
    known_.store(true, std::memory_order_release);
    if (set_) ready_.store(set_.get(), std::memory_order_release);
    return true;
  }

  ClipEnvironment& environment_;
  const ResolverContext resolver_context_;
  const ClipSetDefinition definition_;
  mutable std::atomic<const ClipSet*> ready_{nullptr};
  mutable SingleFlight<int, bool> making_;
  mutable std::atomic<bool> known_{false};
  // Written before known_ is set, and never after.
  mutable std::shared_ptr<const ClipSet> set_;
  mutable std::string error_;
};

// 12.3.4.1.1.1 primPath. A relative path would have no meaning in the clips, whose values do not
// compose. Corresponds to part of OpenUSD's _ValidateClipFields.
absl::StatusOr<Path> ParseClipPrim(const std::string& text) {
  SD_ASSIGN_OR_RETURN(const Path path, Path::Parse(text));
  if (path.IsAbsolute() && path.IsPrim()) return path;
  return InvalidArgumentError("primPath ", Quoted(text), " must be the absolute path of a prim");
}

bool SameTiming(const ClipTiming& a, const ClipTiming& b) {
  if (a.size() != b.size() || a.knots().size() != b.knots().size()) return false;
  for (size_t i = 0; i < a.size(); ++i) {
    if (a.authored_start(i) != b.authored_start(i) || a.asset(i) != b.asset(i)) return false;
  }
  return std::equal(a.knots().begin(), a.knots().end(), b.knots().begin(),
                    [](const ClipTiming::Knot& x, const ClipTiming::Knot& y) {
                      return x.stage == y.stage && x.clip == y.clip && x.jump == y.jump;
                    });
}

bool SameDefinition(const ClipSet::Definition& a, const ClipSet::Definition& b) {
  // An anchor that was reloaded anchors asset paths as before, so stages of its old and its new
  // version can share the set.
  const Layer::Info& x = a.anchor->info();
  const Layer::Info& y = b.anchor->info();
  const bool same_anchor =
      a.anchor == b.anchor || (!x.resolved_path.empty() && x.resolved_path == y.resolved_path &&
                               x.identifier == y.identifier);
  return same_anchor && a.resolver_context == b.resolver_context && a.name == b.name &&
         a.offset == b.offset && a.clip_prim == b.clip_prim &&
         a.interpolate_missing == b.interpolate_missing && a.manifest == b.manifest &&
         a.assets == b.assets && SameTiming(a.timing, b.timing);
}

// The timing counts by its sizes only: SameDefinition compares the rest.
size_t HashOf(const ClipSet::Definition& definition) {
  size_t hash = definition.clip_prim.hash();
  hash = HashCombine(hash, definition.assets.size());
  hash = HashCombine(hash, definition.timing.size());
  hash = HashCombine(hash, definition.timing.knots().size());
  for (const std::string& asset : definition.assets) hash = HashCombine(hash, HashBytes(asset));
  return hash;
}

}  // namespace

ClipSources ClipEnvironment::MakeClipSources(RequestContext& context,
                                             const ResolverContext& resolver_context,
                                             const PrimIndexRef& index) {
  ClipSources sources;
  for (ClipSetDefinition& definition : ComputeClipSetDefinitions(context, index)) {
    sources.push_back(
        std::make_shared<LazyClipSource>(*this, resolver_context, std::move(definition)));
  }
  return sources;
}

std::string ClipEnvironment::InstanceKey(RequestContext& context, const PrimIndexRef& index) const {
  std::string key;
  for (const ClipSetDefinition& definition : ComputeClipSetDefinitions(context, index)) {
    key += definition.Key();
    key += '\n';
  }
  return key;
}

absl::StatusOr<std::shared_ptr<const ClipSet>> ClipEnvironment::MakeSet(
    RequestContext& context, const ResolverContext& resolver_context,
    const ClipSetDefinition& definition) {
  ClipSet::Definition out;
  out.name = definition.name;
  out.resolver_context = resolver_context;
  out.anchor = definition.layer_stack->layers()[definition.layer_index].layer;
  out.manifest = definition.manifest;
  out.offset = definition.offset;
  out.interpolate_missing = definition.interpolate_missing.value_or(false);
  std::span<const Vec2d> active, times;
  DerivedClips derived;
  // 12.3.4.1: explicit metadata takes precedence over a template. Like Usd_ClipSet::New, a set
  // that lacks required metadata is no error; `times` and the manifest are optional.
  if (definition.asset_paths) {
    if (!definition.active || !definition.clip_prim) return nullptr;
    Pacer pacer(context);
    for (const AssetPath& path : *definition.asset_paths) {
      SD_RETURN_IF_ERROR(pacer.Step());
      if (path.authored.empty()) return InvalidArgumentError("empty asset path in assetPaths");
      out.assets.push_back(WithoutFormatArguments(path.authored));
    }
    active = definition.active->span();
    if (definition.times) times = definition.times->span();
  } else if (definition.pattern && definition.clip_prim) {
    // 12.3.4.1.3: a template stands for those of its files that resolve, relative to the anchor.
    const NumberedFiles files(context, resolver_context, cache_.registry(), *out.anchor);
    SD_ASSIGN_OR_RETURN(derived,
                        DeriveClips(
                            context, *definition.pattern,
                            [&](const std::string& name) { return files.Exists(name); },
                            [&](std::span<const std::string> names) { files.Announce(names); }));
    out.assets = std::move(derived.assets);
    active = derived.active;
    times = derived.times;
  } else {
    return nullptr;
  }
  SD_ASSIGN_OR_RETURN(out.clip_prim, ParseClipPrim(*definition.clip_prim));
  SD_ASSIGN_OR_RETURN(out.timing, ClipTiming::Make(context, active, times, out.assets.size()));
  const size_t hash = HashOf(out);
  return Intern(hash, std::move(out));
}

std::shared_ptr<const ClipSet> ClipEnvironment::Intern(size_t hash,
                                                       ClipSet::Definition definition) {
  // Declared before the lock, because releasing the last reference to a set may close layers.
  std::shared_ptr<const ClipSet> held;
  MutexLock lock(mu_);
  const auto [first, last] = sets_.equal_range(hash);
  for (auto it = first; it != last; ++it) {
    held = it->second.lock();
    if (held && SameDefinition(held->definition(), definition)) return held;
  }
  // Sweeping when the table has doubled costs a constant time per set.
  if (sets_.size() >= sweep_at_) {
    std::erase_if(sets_, [](const auto& entry) { return entry.second.expired(); });
    sweep_at_ = 2 * sets_.size() + 64;
  }
  auto made = std::make_shared<const ClipSet>(cache_, read_ahead_ ? &*read_ahead_ : nullptr,
                                              std::move(definition));
  sets_.emplace(hash, made);
  return made;
}

}  // namespace stagedoor
