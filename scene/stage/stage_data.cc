#include "scene/stage/stage_data.h"

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "base/heap_costs.h"
#include "scene/clips/clip_environment.h"
#include "scene/composition/variable_expression.h"
#include "scene/layer/layer_registry.h"
#include "scene/schema/prim_definition_cache.h"
#include "scene/schema/schema_registry.h"

namespace stagedoor {
namespace {

// Calls take(name) for each element of an absolute path. Does not check that the path is
// well-formed: a malformed name is not in the table of prims.
template <typename Take>
void ForEachName(std::string_view path, const Take& take) {
  for (size_t at = 1; at <= path.size();) {
    const size_t end = std::min(path.find('/', at), path.size());
    take(path.substr(at, end - at));
    at = end + 1;
  }
}

std::shared_ptr<PrimDefinitionCache> MakeDefinitions(const StageEnvironment& environment) {
  if (!environment.schemas) return nullptr;
  return std::make_shared<PrimDefinitionCache>(environment.schemas, environment.memory);
}

}  // namespace

StageData::StageData(const StageEnvironment& environment, StageOptions options,
                     std::unique_ptr<Composer> composer, std::shared_ptr<PathScope> paths,
                     const StageData* before)
    : paths(std::move(paths)),
      environment(environment),
      options(std::move(options)),
      memory(environment.memory),
      composer(std::move(composer)),
      population(std::make_shared<Population>(
          environment.memory, this->paths,
          before ? before->population->definitions : MakeDefinitions(environment))) {}

StageData::StageData(const StageData& before, StageOptions options,
                     std::unique_ptr<Composer> composer, std::shared_ptr<PathScope> paths,
                     ReplacedOpinions replaced)
    : paths(std::move(paths)),
      environment(before.environment),
      options(std::move(options)),
      memory(environment.memory),
      composer(std::move(composer)),
      population(before.population),
      replaced(std::move(replaced)),
      sources(std::make_unique<AttributeSourceTable>(population->table.size(), memory)) {
  memory.Add(this->replaced.size() * (sizeof(ReplacedOpinions::value_type) + 2 * kHeapBlockBytes));
}

StageData::~StageData() = default;

PrimLocation StageData::Find(Path path) const {
  if (path.IsAbsoluteRoot()) return {&population->root};
  if (!path.IsPrim() || !path.IsAbsolute() || path.ContainsVariantSelection()) return {};
  std::vector<std::string_view> names(path.depth());
  for (size_t i = names.size(); i-- > 0; path = path.Parent()) names[i] = path.name().text();
  return FindBelow(population->table.root_hash(), names, nullptr, Path());
}

PrimLocation StageData::Find(std::string_view path) const {
  if (path.empty() || path[0] != '/') return {};
  if (path.size() == 1) return {&population->root};
  // A fast path for prims outside of prototypes, which most paths address.
  PrimTable::Hash hash = population->table.root_hash();
  ForEachName(path, [&](std::string_view name) { hash = population->table.Extend(hash, name); });
  if (const PrimData* found = population->table.Find(hash)) return {found};
  std::vector<std::string_view> names;
  ForEachName(path, [&](std::string_view name) { names.push_back(name); });
  return FindBelow(population->table.root_hash(), names, nullptr, Path());
}

PrimLocation StageData::FindBelow(PrimTable::Hash hash, std::span<const std::string_view> names,
                                  const Prototype* within, Path instance_path) const {
  // The hash of each prefix. The longest prefix that is a prim is the prim itself or an instance
  // above it, in whose prototype the search continues.
  std::vector<PrimTable::Hash> hashes;
  for (const std::string_view name : names) {
    hash = population->table.Extend(hash, name);
    hashes.push_back(hash);
  }
  for (size_t i = hashes.size(); i-- > 0;) {
    const PrimData* found = population->table.Find(hashes[i]);
    if (!found) continue;
    const PrimLocation location = {found, within, instance_path};
    if (i + 1 == names.size()) return location;
    const Prototype* prototype = found->prototype;
    if (!prototype) return {};
    return FindBelow(population->table.PrototypeHash(prototype->source_path), names.subspan(i + 1),
                     prototype, location.path());
  }
  return {};
}

std::vector<std::shared_ptr<const LayerStack>> StageData::LayerStacks() const {
  const Population::LayerStacks& referenced = population->ReferencedStacks();
  std::vector<std::shared_ptr<const LayerStack>> stacks = {composer->root_layer_stack()};
  stacks.insert(stacks.end(), referenced.begin(), referenced.end());
  return stacks;
}

std::vector<std::shared_ptr<const Layer>> StageData::UsedLayers() const {
  std::vector<std::shared_ptr<const Layer>> layers;
  std::unordered_set<const Layer*> known;
  for (const auto& stack : LayerStacks()) {
    for (const LayerStack::Entry& entry : stack->layers()) {
      if (known.insert(entry.layer.get()).second) layers.push_back(entry.layer);
    }
  }
  return layers;
}

void StageData::VisitErrors(const std::function<bool(const CompositionError&)>& visit) const {
  const auto visit_all = [&](const CompositionErrors& errors) {
    return std::all_of(errors.begin(), errors.end(), visit);
  };
  for (const auto& stack : LayerStacks()) {
    if (!visit_all(stack->errors())) return;
  }
  population->VisitPrims(
      [&](const PrimData& prim) { return visit_all(OpinionsOf(prim).index.index->errors()); });
}

std::string StageData::Identify(RequestContext& context, std::string_view asset_path,
                                const Layer& layer) const {
  return environment.layers->Identify(context, options.resolver_context, asset_path, &layer);
}

AssetPath StageData::ResolveAssetPath(RequestContext& context, const std::string& authored,
                                      const Layer& layer, const LayerStack& stack) const {
  AssetPath result{.authored = authored};
  std::string path = authored;
  if (IsVariableExpression(authored)) {
    StringExpressionResult evaluated =
        EvaluateStringVariableExpression(context, authored, stack.expression_variables());
    if (!evaluated.errors.empty()) return result;
    result.evaluated = path = std::move(evaluated.value);
  }
  if (path.empty()) return result;
  const std::string identifier = Identify(context, path, layer);
  const Resolver& resolver = environment.layers->resolver();
  if (auto resolved = resolver.Resolve(context, options.resolver_context, identifier);
      resolved.ok()) {
    result.resolved = *std::move(resolved);
  }
  return result;
}

std::shared_ptr<const ClipSources> StageData::ComposeClips(
    RequestContext& context, const PrimIndexRef& index,
    const std::shared_ptr<const ClipSources>& inherited) const {
  if (!environment.clips) return inherited;
  ClipSources own = environment.clips->MakeClipSources(context, options.resolver_context, index);
  if (own.empty()) return inherited;
  // The clip sets of nearer prims are stronger.
  if (inherited) own.insert(own.end(), inherited->begin(), inherited->end());
  return std::make_shared<const ClipSources>(std::move(own));
}

const PrimDefinition* StageData::FindDefinition(RequestContext& context, Token type,
                                                const std::vector<Token>& applied) const {
  const auto* fallbacks = population->fallback_prim_types.Get<Dictionary>();
  return population->definitions->Find(
      context, environment.schemas->EffectiveTypeName(type, fallbacks), applied);
}

}  // namespace stagedoor
