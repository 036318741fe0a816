#include "scene/stage/populator.h"

#include <algorithm>
#include <utility>

#include "base/heap_costs.h"
#include "base/status.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "scene/clips/clip_environment.h"
#include "scene/layer/field_keys.h"
#include "scene/schema/schema_registry.h"
#include "scene/stage/prim.h"
#include "scene/stage/prim_facts.h"

namespace stagedoor {
namespace {

// Siblings are composed in parallel down to this depth; further down, there are enough tasks
// already.
constexpr int kParallelDepth = 6;

constexpr size_t kKeyBytesPerStep = 256;

// Steps of all threads together between two checks of the request.
constexpr uint64_t kStepsPerCheck = 1024;

// The child `name` of a prim in the previous snapshot. `place` is its index among its siblings now,
// where it usually was before.
const PrimData* ChildBefore(const PrimData* parent, Token name, size_t place) {
  if (!parent) return nullptr;
  const auto children = parent->child_span();
  if (place < children.size() && children[place].name() == name) return &children[place];
  for (const PrimData& child : children) {
    if (child.name() == name) return &child;
  }
  return nullptr;
}

}  // namespace

absl::Status Populator::Run(const PrimData* before) {
  PrimData& root = population_.root;
  root.path = Path::AbsoluteRoot();
  root.opinions.index = stage_.composer->ComposeRoot(context_);
  // The pseudo-root counts as a group, so that the model hierarchy can start below it.
  root.specifier = Specifier::kDef;
  root.flags = kPrimPseudoRoot | kPrimActive | kPrimLoaded | kPrimModel | kPrimGroup |
               kPrimDefined | kPrimDefiningSpecifier;
  population_.fallback_prim_types =
      Prim(stage_, {&root}).Metadata(context_, Fields().fallbackPrimTypes);
  PopulateChildren(root, before, 0);
  PopulatePrototypes();
  // Each prim has dropped its place among the shared indexes after its children were composed.
  stage_.composer->EndSharing();
  SD_RETURN_IF_ERROR(Check());
  PrimTable& table = population_.table;
  table.Reserve(prims_.load(std::memory_order_relaxed));
  table.InsertBelow(root, table.root_hash());
  for (const auto& prototype : population_.prototypes) {
    table.InsertBelow(prototype->root, table.PrototypeHash(prototype->source_path));
  }
  population_.memory.Add(table.byte_size());
  if (before == nullptr) {
    // Else reused indexes refer to layer stacks unknown to the composer.
    auto stacks = std::make_shared<Population::LayerStacks>(stage_.composer->LayerStacks());
    stacks->erase(stacks->begin());  // the root layer stack
    MutexLock lock(population_.mu_);
    population_.referenced_ = std::move(stacks);
  }
  stage_.sources = std::make_unique<AttributeSourceTable>(table.size(), stage_.memory);
  return absl::OkStatus();
}

bool Populator::Reserve(size_t prims) {
  return prims_.fetch_add(prims, std::memory_order_relaxed) + prims <= stage_.environment.max_prims;
}

absl::Status Populator::Check() const {
  const size_t most = stage_.environment.max_prims;
  if (prims_.load(std::memory_order_relaxed) > most) {
    return ResourceExhaustedError(stage_.options.root, ": the stage has more than ", most,
                                  " prims; limit it with a population mask or load rules");
  }
  // Fail the request for good: even if memory is released later, prims were left out.
  if (const auto& check_memory = stage_.environment.check_memory) {
    if (absl::Status memory = check_memory(context_); !memory.ok())
      context_.Fail(std::move(memory));
  }
  return context_.Check();
}

bool Populator::ShouldContinue(size_t sibling) {
  // Once over, stop at once: this may be called for millions of prims, and a check of memory is not
  // cheap.
  if (over_.load(std::memory_order_relaxed) || context_.failed()) return false;
  const uint64_t steps = context_.steps();
  const uint64_t since = steps - checked_at_.load(std::memory_order_relaxed);
  if (sibling % 64 != 0 && since < kStepsPerCheck) return true;
  checked_at_.store(steps, std::memory_order_relaxed);
  const bool ok = Check().ok();
  if (!ok) over_.store(true, std::memory_order_relaxed);
  return ok;
}

void Populator::PopulateChildren(PrimData& parent, const PrimData* before, int depth) {
  const std::span<const Token> names = parent.opinions.index.index->child_names();
  const PopulationMask& mask = stage_.options.mask;
  std::vector<Token> wanted;
  if (mask.IncludesAll() || mask.IncludesSubtree(parent.path)) {
    wanted.assign(names.begin(), names.end());
  } else {
    for (const Token name : names) {
      if (mask.Includes(parent.path.AppendChild(name))) wanted.push_back(name);
    }
  }
  if (wanted.empty() || !Reserve(wanted.size())) return;
  population_.memory.Add(wanted.size() * sizeof(PrimData) + kHeapBlockBytes);
  parent.children = std::make_unique<PrimData[]>(wanted.size());
  parent.child_count = static_cast<uint32_t>(wanted.size());
  const auto populate = [&](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) {
      if (!ShouldContinue(i)) return;
      Populate(parent.children[i], parent, wanted[i], ChildBefore(before, wanted[i], i), depth + 1);
    }
  };
  if (depth < kParallelDepth && wanted.size() > 1 && stage_.environment.executor) {
    ParallelFor(*stage_.environment.executor, wanted.size(), 1, populate);
  } else {
    populate(0, wanted.size());
  }
}

void Populator::Populate(PrimData& prim, const PrimData& parent, Token name, const PrimData* before,
                         int depth) {
  const auto effect = before ? changes_->EffectOn(*before) : ChangeSet::Effect::kSubtree;
  prim.parent = &parent;
  prim.path = parent.path.AppendChild(name);
  if (effect == ChangeSet::Effect::kNone) {
    prim.opinions = changes_->before().OpinionsOf(*before);
    prim.opinions.index.shared = nullptr;  // belongs to the previous composer
    prim.type_name = before->type_name;
    prim.definition = before->definition;
  } else {
    prim.opinions.index =
        stage_.composer->ComposeChild(context_, CurrentIndex(parent), parent.path, name);
    ComputeType(prim);
    ComputeClips(prim, parent);
  }
  FindSharedSites(prim);
  ComputeFlags(prim, parent);
  // Flags are computed in any case: they depend on ancestors too. For kPrim, descendants may still
  // be reused.
  if (effect == ChangeSet::Effect::kSubtree) before = nullptr;
  // Inactive prims have no descendants (Core Specification 11.3).
  if (!prim.Has(kPrimActive)) {
    prim.opinions.index.shared = nullptr;  // see Run
  } else if (prim.Has(kPrimInstance)) {
    AddInstance(prim, before, depth);
  } else {
    PopulateChildren(prim, before, depth);
    prim.opinions.index.shared = nullptr;  // see Run
  }
}

bool Populator::IsCurrent(const PrimIndexRef& index) const {
  // A shared index is current if the composer knows it; others begin with the root layer stack.
  return index.shared != nullptr ||
         index.index->nodes()[0].layer_stack == &stage_.root_layer_stack();
}

PrimIndexRef Populator::CurrentIndex(const PrimData& prim) {
  if (IsCurrent(prim.opinions.index)) return prim.opinions.index;
  const Path path = prim.path;
  {
    MutexLock lock(current_mutex_);
    if (const auto it = current_.find(path); it != current_.end()) return it->second;
  }
  PrimIndexRef index = stage_.composer->ComposeChild(context_, CurrentIndex(*prim.parent),
                                                     path.Parent(), path.name());
  MutexLock lock(current_mutex_);
  return current_.try_emplace(path, std::move(index)).first->second;
}

std::shared_ptr<const ClipSources> Populator::CurrentClips(const PrimData& prim) {
  const std::shared_ptr<const ClipSources>& own = prim.opinions.clips;
  if (own == nullptr || IsCurrent(prim.opinions.index)) return own;
  {
    MutexLock lock(current_mutex_);
    const auto it = current_clips_.find(prim.path);
    if (it != current_clips_.end()) return it->second;
  }
  const std::shared_ptr<const ClipSources> inherited = CurrentClips(*prim.parent);
  auto clips = stage_.ComposeClips(context_, CurrentIndex(prim), inherited);
  MutexLock lock(current_mutex_);
  const auto [it, is_new] = current_clips_.try_emplace(prim.path, std::move(clips));
  if (is_new && it->second != inherited) ChargeClips(*it->second);
  return it->second;
}

void Populator::ComputeFlags(PrimData& prim, const PrimData& parent) {
  const PrimIndex& index = *prim.opinions.index.index;
  const bool active = StrongestField(index, Fields().active, true);
  // A prim without payloads is loaded if its parent is.
  bool loaded = parent.Has(kPrimLoaded);
  if (index.has_payloads()) {
    prim.flags |= kPrimHasPayload;
    loaded = index.payload_loaded();
  }
  if (active) prim.flags |= kPrimActive;
  if (active && loaded) prim.flags |= kPrimLoaded;
  prim.specifier = ComposeSpecifier(index);
  const bool defining = prim.specifier != Specifier::kOver;
  if (defining) prim.flags |= kPrimDefiningSpecifier;
  if (defining && parent.Has(kPrimDefined)) prim.flags |= kPrimDefined;
  if (prim.specifier == Specifier::kClass || parent.Has(kPrimAbstract)) prim.flags |= kPrimAbstract;
  if (active && index.instanceable()) prim.flags |= kPrimInstance;
  if (parent.Has(kPrimInPrototype)) prim.flags |= kPrimInPrototype;
  if (parent.Has(kPrimGroup)) ComputeModelFlags(prim, parent);
}

// Called if all ancestors are groups, which the model hierarchy requires (Core Specification 11.4).
void Populator::ComputeModelFlags(PrimData& prim, const PrimData&) {
  const Token kind = StrongestField(*prim.opinions.index.index, Fields().kind, Token());
  if (KindIsModel(kind)) prim.flags |= kPrimModel;
  if (KindIsGroup(kind)) prim.flags |= kPrimGroup;
  if (KindIsComponent(kind)) prim.flags |= kPrimComponent;
}

void Populator::ComputeType(PrimData& prim) {
  prim.type_name = ComposeTypeName(*prim.opinions.index.index);
  if (!stage_.environment.schemas) return;
  const std::vector<Token> applied = ComposeApiSchemas(context_, *prim.opinions.index.index);
  if (prim.type_name.empty() && applied.empty()) return;
  context_.AddSteps(applied.size());
  prim.definition = stage_.FindDefinition(context_, prim.type_name, applied);
}

void Populator::ComputeClips(PrimData& prim, const PrimData& parent) {
  const std::shared_ptr<const ClipSources> inherited = CurrentClips(parent);
  prim.opinions.clips = stage_.ComposeClips(context_, prim.opinions.index, inherited);
  if (prim.opinions.clips != inherited) ChargeClips(*prim.opinions.clips);
}

void Populator::ChargeClips(const ClipSources& clips) {
  population_.memory.Add(2 * kHeapBlockBytes + sizeof(ClipSources) +
                         clips.size() * sizeof(ClipSources::value_type));
}

// Called for every prim, so it looks only at what is in the cache already.
void Populator::FindSharedSites(const PrimData& prim) {
  for (const PrimIndexNode& node : prim.opinions.index.index->nodes()) {
    if (node.path == prim.path || !node.layer_stack->is_stage_root()) continue;
    const Path site = node.path.StripVariantSelections();
    if (site == prim.path) continue;
    MutexLock lock(mutex_);
    if (population_.shared_sites.insert(site).second) {
      population_.memory.Add(sizeof(Path) + 2 * kHeapBlockBytes);
    }
  }
}

// Instances with equal keys share a prototype: they compose alike and have the same clips, load
// rules and population mask below them.
std::string Populator::PrototypeKey(const PrimData& instance) const {
  const StageEnvironment& environment = stage_.environment;
  return Concat(instance.opinions.index.InstanceKey(), '\n',
                environment.clips
                    ? environment.clips->InstanceKey(context_, instance.opinions.index)
                    : std::string(),
                '\n', stage_.options.load.KeyBelow(instance.path), '\n',
                stage_.options.mask.KeyBelow(instance.path));
}

void Populator::AddInstance(PrimData& instance, const PrimData* before, int depth) {
  std::string key = PrototypeKey(instance);
  context_.AddSteps(key.size() / kKeyBytesPerStep);
  MutexLock lock(mutex_);
  const auto [entry, added] = prototypes_.try_emplace(std::move(key), nullptr);
  if (added) (void)context_.Reserve(entry->first.size(), "keys of instances");
  const Prototype*& prototype = entry->second;
  instances_.push_back({&instance, before, depth, &prototype});
}

// Populates in rounds, as OpenUSD does: first the instances outside of prototypes, then those
// inside the prototypes of the previous round. The first instance of each key, by path, is the
// source of the prototype. The choice must be deterministic, because it is visible in targets that
// point out of the prototype.
void Populator::PopulatePrototypes() {
  while (Check().ok()) {
    std::vector<Instance> round;
    {
      MutexLock lock(mutex_);
      round.swap(instances_);
    }
    if (round.empty()) return;
    std::sort(round.begin(), round.end(),
              [](const Instance& a, const Instance& b) { return a.prim->path < b.prim->path; });
    std::vector<std::pair<Prototype*, const Instance*>> made;
    for (const Instance& instance : round) {
      const Prototype*& slot = *instance.prototype;
      if (!slot) {
        population_.prototypes.push_back(std::make_unique<Prototype>());
        made.emplace_back(population_.prototypes.back().get(), &instance);
        slot = made.back().first;
      }
      instance.prim->prototype = slot;
    }
    const auto populate = [&](size_t begin, size_t end) {
      for (size_t i = begin; i < end && ShouldContinue(i); ++i) {
        PopulatePrototype(*made[i].first, *made[i].second);
      }
    };
    if (stage_.environment.executor) {
      ParallelFor(*stage_.environment.executor, made.size(), 1, populate);
    } else {
      populate(0, made.size());
    }
    for (const Instance& instance : round) instance.prim->opinions.index.shared = nullptr;
  }
}

// Local opinions below the source instance are ignored (Core Specification 11.3.3); the instance's
// index already accounts for that.
void Populator::PopulatePrototype(Prototype& prototype, const Instance& source) {
  const PrimData& instance = *source.prim;
  prototype.source_path = instance.path;
  PrimData& root = prototype.root;
  root.parent = instance.parent;
  root.path = instance.path;
  root.opinions.index = instance.opinions.index;
  root.specifier = instance.specifier;
  root.type_name = instance.type_name;
  root.definition = instance.definition;
  root.flags = kPrimActive | kPrimLoaded | kPrimModel | kPrimGroup | kPrimDefined |
               kPrimDefiningSpecifier | kPrimInPrototype;
  // The paths of a prototype's prims begin with that of its source, so its indexes can be reused
  // only if the source is the same.
  const Prototype* shared = source.before ? source.before->prototype : nullptr;
  const bool same_source = shared && shared->source_path == prototype.source_path;
  PopulateChildren(root, same_source ? &shared->root : nullptr, source.depth);
  root.opinions.index.shared = nullptr;
}

}  // namespace stagedoor
