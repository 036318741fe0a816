#include "scene/stage/stage_changes.h"

#include <algorithm>
#include <memory>
#include <set>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/pacer.h"
#include "base/request_scope.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "scene/paths/path_scope.h"
#include "scene/stage/internal_arcs.h"
#include "scene/stage/stack_changes.h"

namespace stagedoor {
namespace {

// Instances and what refers to a class are looked at one by one, up to this number.
constexpr size_t kMaxPathsSeen = 10 * StageChanges::kMaxPaths;

// Collects changes. Once there are too many, everything has changed.
class ChangeCollector {
 public:
  explicit ChangeCollector(const ChangeFilter& filter) : filter_(filter) {}

  // All of these return false once there is nothing more to find out.
  bool Resync(std::string path) {
    if (!filter_.WantsBelow(path)) return true;
    resynced_.insert(std::move(path));
    return HasRoom();
  }
  bool Everything() {
    resynced_ = {"/"};
    everything_ = true;
    return false;
  }
  bool ChangeInfo(const std::string& path, const std::set<Token>& fields) {
    if (fields.empty() || !filter_.Wants(path)) return true;
    infos_[path].insert(fields.begin(), fields.end());
    return HasRoom();
  }
  // A change of what the opinions at a site say about the prim at `path`.
  bool ChangeSite(const std::string& path, const SiteChange& change) {
    if (change.prim.resync) return Resync(path);
    if (!ChangeInfo(path, change.prim.fields)) return false;
    return std::all_of(change.properties.begin(), change.properties.end(), [&](const auto& entry) {
      const auto& [name, property] = entry;
      std::string property_path = Concat(path, '.', name.text());
      if (property.resync) return Resync(std::move(property_path));
      return ChangeInfo(property_path, property.fields);
    });
  }

  bool has_resyncs() const { return !resynced_.empty(); }

  StageChanges Take() {
    StageChanges changes;
    for (const std::string& path : resynced_) {
      if (!IsCovered(changes, path)) changes.resynced.insert(changes.resynced.end(), path);
    }
    for (auto& [path, fields] : infos_) {
      if (!IsCovered(changes, path)) changes.changed_infos[path] = std::move(fields);
    }
    return changes;
  }

 private:
  static bool IsCovered(const StageChanges& changes, std::string_view path) {
    for (; !path.empty(); path = ParentPath(path)) {
      if (changes.resynced.contains(std::string(path))) return true;
    }
    return false;
  }

  bool HasRoom() {
    if (everything_) return false;
    if (resynced_.size() + infos_.size() <= StageChanges::kMaxPaths) return true;
    return Everything();
  }

  const ChangeFilter& filter_;
  std::set<std::string> resynced_;
  std::map<std::string, std::set<Token>> infos_;
  bool everything_ = false;
};

// Finds the changes of the layer stacks, and the prims that these concern.
class Comparison {
 public:
  Comparison(RequestContext& context, const Stage& before, const Stage& after,
             const ChangeFilter& filter)
      : context_(context), before_(before), after_(after), collector_(filter) {}

  absl::Status Run() {
    if (&before_ == &after_) return absl::OkStatus();
    if (DiffersEverywhere() || !CompareRoot()) return Everything();
    CompareLoadRules();
    if (!OnlyRootDiffers()) return Walk();
    if (!root_.any()) return absl::OkStatus();
    return FindChangesOfRoot();
  }
  StageChanges Take() { return collector_.Take(); }

 private:
  absl::Status Everything() {
    collector_.Everything();
    return absl::OkStatus();
  }

  bool DiffersEverywhere() const {
    const StageOptions& a = before_.options();
    const StageOptions& b = after_.options();
    return a.variant_fallbacks != b.variant_fallbacks || a.interpolation != b.interpolation ||
           !(a.resolver_context == b.resolver_context) || !(a.mask == b.mask) ||
           before_.root_layer_stack().root_layer().identifier() !=
               after_.root_layer_stack().root_layer().identifier();
  }

  // False if everything may have changed.
  bool CompareRoot() {
    root_ = StackChanges::Compare(context_, before_.root_layer_stack(), after_.root_layer_stack());
    if (root_.everything) return false;
    collector_.ChangeInfo("/", root_.layer_fields);
    return true;
  }

  // A rule concerns the prim that it is for, and those above whose payloads are loaded for its
  // sake.
  void CompareLoadRules() {
    const LoadRules& a = before_.options().load;
    const LoadRules& b = after_.options().load;
    if (a == b) return;
    const auto compare = [&](const LoadRules& from, const LoadRules& to) {
      for (const auto& [path, rule] : from.rules()) {
        const auto other = to.rules().find(path);
        if (other != to.rules().end() && other->second == rule) continue;
        Path top = path;
        for (Path p = path.Parent(); !p.empty(); p = p.Parent()) {
          if (a.IsLoaded(p) != b.IsLoaded(p)) top = p;
        }
        if (before_.FindPrim(top).valid() || after_.FindPrim(top).valid()) {
          collector_.Resync(top.ToString());
        }
      }
    };
    compare(a, b);
    compare(b, a);
  }

  // Whether all layers outside of the root layer stack are the same.
  bool OnlyRootDiffers() const {
    std::set<const Layer*> of_root;
    for (const Stage* stage : {&before_, &after_}) {
      for (const LayerStack::Entry& entry : stage->root_layer_stack().layers()) {
        of_root.insert(entry.layer.get());
      }
    }
    const auto others = [&](const Stage& stage) {
      std::set<const Layer*> layers;
      for (const auto& layer : stage.UsedLayers()) {
        if (!of_root.contains(layer.get())) layers.insert(layer.get());
      }
      return layers;
    };
    return others(before_) == others(after_);
  }

  absl::Status FindChangesOfRoot();
  template <typename Visit>
  bool ForEachPath(const InternalArcs& arcs, const PrimPlace& place, const Visit& visit);
  bool CheckUsers(const InternalArcs& arcs, Path site);
  bool CheckPrim(const std::string& path, Path site);
  bool ApplyNodes(const Prim& prim, const std::string& path, Path site);

  absl::Status Walk();
  bool WalkStage(const Stage& stage, const InternalArcs& arcs);
  bool WalkBelow(const Stage& stage, const InternalArcs& arcs, const PrimData& root,
                 const std::string& within);
  enum class Found { kNothing, kResync, kOver };
  Found VisitPrim(const Stage& stage, const InternalArcs& arcs, const PrimData& prim,
                  const std::string& within);
  const StackChanges& ChangesOf(const Stage& stage, const LayerStack& stack);

  RequestContext& context_;
  const Stage& before_;
  const Stage& after_;
  ChangeCollector collector_;
  StackChanges root_;

  std::set<Path> resynced_sites_;  // of root_, without variant selections
  size_t paths_seen_ = 0;

  // For walks.
  std::vector<std::shared_ptr<const LayerStack>> old_stacks_, new_stacks_;
  std::unordered_map<const LayerStack*, StackChanges> stacks_;
};

// Calls visit(path) for the paths of a prim. False once there is nothing more to find out.
template <typename Visit>
bool Comparison::ForEachPath(const InternalArcs& arcs, const PrimPlace& place, const Visit& visit) {
  bool go_on = true;
  const bool complete = arcs.VisitPaths(place, [&](const std::string& path) {
    if (++paths_seen_ > kMaxPathsSeen) return false;
    if (paths_seen_ % 256 == 0) go_on = context_.Spend(256).ok();
    return go_on = go_on && visit(path);
  });
  // Too many, or too deeply nested.
  return complete || (go_on && collector_.Everything());
}

// ---- Changes of the root layer stack alone

absl::Status Comparison::FindChangesOfRoot() {
  SD_ASSIGN_OR_RETURN(const auto arcs, InternalArcs::Find(context_, before_));
  std::set<Path> sites;
  bool may_have_arcs = !root_.default_prims.empty();
  for (const auto& [path, change] : root_.sites) {
    const Path site = path.StripVariantSelections();
    if (change.prim.resync) resynced_sites_.insert(site);
    if (!sites.insert(site).second) continue;
    // Arcs to a prim that did not exist have left no trace.
    may_have_arcs |= !before_.FindPrim(site).valid();
  }
  std::shared_ptr<const InternalArcs> new_arcs;
  if (may_have_arcs) {
    SD_ASSIGN_OR_RETURN(new_arcs, InternalArcs::Find(context_, after_));
  }
  Pacer pacer(context_);
  for (const Path site : sites) {
    if (!pacer.Go() || !CheckPrim(site.ToString(), site) || !CheckUsers(*arcs, site) ||
        (new_arcs != nullptr && !CheckUsers(*new_arcs, site))) {
      return context_.Check();
    }
  }
  for (const Path prim : root_.default_prims) {
    for (const InternalArcs* const known : {arcs.get(), new_arcs.get()}) {
      const std::string text = prim.ToString();
      known->VisitUsers(text, [&](const PrimPlace& user) {
        ForEachPath(*known, user, [&](const std::string& path) { return collector_.Resync(path); });
      });
    }
  }
  if (new_arcs == nullptr && !collector_.has_resyncs()) InternalArcs::Share(arcs, after_);
  return context_.Check();
}

// Checks the prims that have opinions from a site by arcs.
bool Comparison::CheckUsers(const InternalArcs& arcs, Path site) {
  const std::string text = site.ToString();
  bool go_on = true;
  arcs.VisitUsers(text, [&](const PrimPlace& user) {
    go_on = go_on &&
            ForEachPath(arcs, user, [&](const std::string& path) { return CheckPrim(path, site); });
  });
  if (!go_on) return false;
  // A change of a prim's arcs also concerns the prims that refer to its descendants.
  if (!resynced_sites_.contains(site)) return true;
  arcs.VisitUsersBelow(text, [&](const PrimPlace& user) {
    go_on = go_on && ForEachPath(arcs, user,
                                 [&](const std::string& path) { return collector_.Resync(path); });
  });
  return go_on;
}

// Applies the changes at `site` to the prim at `path` if it has opinions from there.
bool Comparison::CheckPrim(const std::string& path, Path site) {
  const Prim old_prim = before_.FindPrim(path), new_prim = after_.FindPrim(path);
  if (!old_prim.valid() && !new_prim.valid()) return true;
  if (old_prim.valid() != new_prim.valid()) return collector_.Resync(path);
  return ApplyNodes(old_prim, path, site) && ApplyNodes(new_prim, path, site);
}

bool Comparison::ApplyNodes(const Prim& prim, const std::string& path, Path site) {
  for (const PrimIndexNode& node : prim.index().index->nodes()) {
    // Opinions about descendants of an instance do not count.
    if (prim.IsInstanceProxy() && node.path == prim.data().path) continue;
    if (!node.layer_stack->is_stage_root()) continue;
    if (!(node.path.StripVariantSelections() == site)) continue;
    const auto change = root_.sites.find(node.path);
    if (change != root_.sites.end() && !collector_.ChangeSite(path, change->second)) return false;
  }
  return true;
}

// ---- Changes of other layer stacks

absl::Status Comparison::Walk() {
  SD_ASSIGN_OR_RETURN(const auto old_arcs, InternalArcs::Find(context_, before_));
  SD_ASSIGN_OR_RETURN(const auto new_arcs, InternalArcs::Find(context_, after_));
  old_stacks_ = before_.data().LayerStacks();
  new_stacks_ = after_.data().LayerStacks();
  if (WalkStage(before_, *old_arcs)) WalkStage(after_, *new_arcs);
  return context_.Check();
}

// False if there is nothing more to find out.
bool Comparison::WalkStage(const Stage& stage, const InternalArcs& arcs) {
  stacks_.clear();
  if (!WalkBelow(stage, arcs, stage.data().population->root, std::string())) return false;
  const auto prototypes = stage.Prototypes();
  return std::all_of(prototypes.begin(), prototypes.end(), [&](const Prototype* prototype) {
    return WalkBelow(stage, arcs, prototype->root, prototype->source_path.ToString());
  });
}

bool Comparison::WalkBelow(const Stage& stage, const InternalArcs& arcs, const PrimData& root,
                           const std::string& within) {
  Pacer pacer(context_);
  std::vector<const PrimData*> todo = {&root};
  while (!todo.empty()) {
    const PrimData& prim = *todo.back();
    todo.pop_back();
    if (!pacer.Go(1 +
                  static_cast<int64_t>(stage.data().OpinionsOf(prim).index.index->nodes().size())))
      return false;
    if (&prim != &root) {
      const Found found = VisitPrim(stage, arcs, prim, within);
      if (found == Found::kOver) return false;
      if (found == Found::kResync) continue;
    }
    for (const PrimData& child : prim.child_span()) todo.push_back(&child);
  }
  return true;
}

Comparison::Found Comparison::VisitPrim(const Stage& stage, const InternalArcs& arcs,
                                        const PrimData& prim, const std::string& within) {
  bool resync = false;
  std::vector<const SiteChange*> changes;
  for (const PrimIndexNode& node : stage.data().OpinionsOf(prim).index.index->nodes()) {
    if (!within.empty() && node.path == prim.path) continue;
    const StackChanges& stack = ChangesOf(stage, *node.layer_stack);
    if (!stack.any()) continue;
    resync |= stack.everything;
    const auto change = stack.sites.find(node.path);
    if (change != stack.sites.end()) changes.push_back(&change->second);
    if (node.due_to_ancestor) continue;
    resync |= stack.default_prims.contains(node.path) && node.arc != ArcType::kRoot;
    for (Path p = node.path.Parent(); !p.empty() && !resync; p = p.Parent()) {
      const auto site = stack.sites.find(p);
      resync |= site != stack.sites.end() && site->second.prim.resync;
    }
  }
  if (changes.empty() && !resync) return Found::kNothing;
  const Stage& other = &stage == &before_ ? after_ : before_;
  const bool go_on =
      ForEachPath(arcs, {prim.path.ToString(), within}, [&](const std::string& path) {
        if (resync || !other.FindPrim(path).valid()) return collector_.Resync(path);
        return std::all_of(changes.begin(), changes.end(), [&](const SiteChange* change) {
          return collector_.ChangeSite(path, *change);
        });
      });
  if (!go_on) return Found::kOver;
  return resync ? Found::kResync : Found::kNothing;
}

const StackChanges& Comparison::ChangesOf(const Stage& stage, const LayerStack& stack) {
  if (stack.is_stage_root()) return root_;
  const auto [known, is_new] = stacks_.try_emplace(&stack);
  if (!is_new) return known->second;
  const bool is_old = &stage == &before_;
  const auto& others = is_old ? new_stacks_ : old_stacks_;
  const LayerStack* counterpart = nullptr;
  for (const auto& other : others) {
    if (other->root_layer().identifier() == stack.root_layer().identifier() &&
        other->expression_variables() == stack.expression_variables()) {
      counterpart = other.get();
      break;
    }
  }
  if (counterpart == nullptr) {
    known->second = StackChanges::Everything();
  } else {
    known->second = is_old ? StackChanges::Compare(context_, stack, *counterpart)
                           : StackChanges::Compare(context_, *counterpart, stack);
  }
  return known->second;
}

}  // namespace

absl::StatusOr<StageChanges> StageChanges::Find(RequestContext& context, const Stage& before,
                                                const Stage& after, const ChangeFilter& filter) {
  // Paths that are created here are few and not needed afterwards.
  const auto paths = PathScope::Create(nullptr, after.paths());
  const RequestScope::Guard guard(RequestScope::Current().WithOwner(paths.get()));
  Comparison comparison(context, before, after, filter);
  SD_RETURN_IF_ERROR(comparison.Run());
  if (context.failed()) return context.Check();
  return comparison.Take();
}

}  // namespace stagedoor
