#include "scene/stage/stage_data.h"

#include <algorithm>
#include <unordered_set>
#include <utility>

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

}  // namespace

StageData::StageData(const StageEnvironment& environment, StageOptions options,
                     std::unique_ptr<Composer> composer, std::shared_ptr<PathScope> paths)
    : paths(std::move(paths)),
      environment(environment),
      options(std::move(options)),
      memory(environment.memory),
      composer(std::move(composer)),
      definitions(environment.schemas ? std::make_shared<PrimDefinitionCache>(environment.schemas,
                                                                              environment.memory)
                                      : nullptr) {}

StageData::~StageData() = default;

PrimLocation StageData::Find(Path path) const {
  if (path.IsAbsoluteRoot()) return {&root};
  if (!path.IsPrim() || !path.IsAbsolute() || path.ContainsVariantSelection()) return {};
  std::vector<std::string_view> names(path.depth());
  for (size_t i = names.size(); i-- > 0; path = path.Parent()) names[i] = path.name().text();
  return FindBelow(table.root_hash(), names, nullptr, Path());
}

PrimLocation StageData::Find(std::string_view path) const {
  if (path.empty() || path[0] != '/') return {};
  if (path.size() == 1) return {&root};
  // A fast path for prims outside of prototypes, which most paths address.
  PrimTable::Hash hash = table.root_hash();
  ForEachName(path, [&](std::string_view name) { hash = table.Extend(hash, name); });
  if (const PrimData* found = table.Find(hash)) return {found};
  std::vector<std::string_view> names;
  ForEachName(path, [&](std::string_view name) { names.push_back(name); });
  return FindBelow(table.root_hash(), names, nullptr, Path());
}

PrimLocation StageData::FindBelow(PrimTable::Hash hash, std::span<const std::string_view> names,
                                  const Prototype* within, Path instance_path) const {
  // The hash of each prefix. The longest prefix that is a prim is the prim itself or an instance
  // above it, in whose prototype the search continues.
  std::vector<PrimTable::Hash> hashes;
  for (const std::string_view name : names) {
    hash = table.Extend(hash, name);
    hashes.push_back(hash);
  }
  for (size_t i = hashes.size(); i-- > 0;) {
    const PrimData* found = table.Find(hashes[i]);
    if (!found) continue;
    const PrimLocation location = {found, within, instance_path};
    if (i + 1 == names.size()) return location;
    const Prototype* prototype = found->prototype;
    if (!prototype) return {};
    return FindBelow(table.PrototypeHash(prototype->source_path), names.subspan(i + 1), prototype,
                     location.path());
  }
  return {};
}

void StageData::VisitPrims(const std::function<bool(const PrimData&)>& visit) const {
  std::vector<const PrimData*> todo = {&root};
  for (const auto& prototype : prototypes) todo.push_back(&prototype->root);
  while (!todo.empty()) {
    const PrimData* prim = todo.back();
    todo.pop_back();
    if (!visit(*prim)) return;
    for (const PrimData& child : prim->child_span()) todo.push_back(&child);
  }
}

std::vector<std::shared_ptr<const LayerStack>> StageData::LayerStacks() const {
  if (!recomposed) return composer->LayerStacks();
  // Reused indexes refer to layer stacks of earlier composers, some of which may not be in use any
  // more.
  std::vector<std::shared_ptr<const LayerStack>> stacks = {composer->root_layer_stack()};
  std::unordered_set<const LayerStack*> known;
  VisitPrims([&](const PrimData& prim) {
    for (const PrimIndexNode& node : prim.index.index->nodes()) {
      // Root layer stacks of earlier snapshots say the same about the prim as the current one.
      if (node.layer_stack->is_stage_root() || !known.insert(node.layer_stack).second) continue;
      stacks.push_back(node.layer_stack->shared_from_this());
    }
    return true;
  });
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
  VisitPrims([&](const PrimData& prim) { return visit_all(prim.index.index->errors()); });
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

const PrimDefinition* StageData::FindDefinition(RequestContext& context, Token type,
                                                const std::vector<Token>& applied) const {
  const auto* fallbacks = fallback_prim_types.Get<Dictionary>();
  return definitions->Find(context, environment.schemas->EffectiveTypeName(type, fallbacks),
                           applied);
}

}  // namespace stagedoor
