#include "scene/stage/stage.h"

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "base/status_macros.h"
#include "scene/composition/variable_expression.h"
#include "scene/layer/field_definition.h"
#include "scene/layer/field_keys.h"
#include "scene/schema/prim_definition_cache.h"
#include "scene/schema/schema_registry.h"
#include "scene/stage/change_set.h"
#include "scene/stage/populator.h"

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

double RootNumber(const Stage& stage, Token field, Token legacy, double fallback) {
  RequestContext unbounded;  // only the session and the root layer contribute
  for (const Token name : {field, legacy}) {
    if (name.empty()) continue;
    const Value value = stage.PseudoRoot().Metadata(unbounded, name);
    if (const double* number = value.Get<double>()) return *number;
  }
  return fallback;
}

CompositionOptions ComposerOptions(const StageOptions& options, MemoryAccount* memory) {
  CompositionOptions result;
  result.memory = memory;
  result.variant_fallbacks = options.variant_fallbacks;
  result.muted_layers = options.muted_layers;
  result.share_subtrees = options.share_subtrees;
  // Without include_payload, all payloads are included.
  if (!options.load.loads_all()) {
    result.include_payload = [load = options.load](Path path) { return load.IsLoaded(path); };
  }
  return result;
}

// Returns the stage, or the error of populating it.
absl::StatusOr<std::shared_ptr<const Stage>> Populated(RequestContext& context,
                                                       const absl::Status& populated,
                                                       std::shared_ptr<const Stage> stage) {
  if (populated.ok()) return stage;
  // Freeing half a stage takes long; the caller should not wait for it.
  context.DeferDestruction(std::move(stage));
  return populated;
}

}  // namespace

Stage::Stage(const StageEnvironment& environment, StageOptions options,
             std::unique_ptr<Composer> composer, std::shared_ptr<PathScope> paths)
    : paths_(std::move(paths)),
      environment_(environment),
      options_(std::move(options)),
      memory_(environment.memory),
      composer_(std::move(composer)),
      definitions_(environment.schemas ? std::make_shared<PrimDefinitionCache>(environment.schemas,
                                                                               environment.memory)
                                       : nullptr) {}

Stage::~Stage() = default;

absl::StatusOr<std::shared_ptr<const Stage>> Stage::Open(RequestContext& context,
                                                         const StageEnvironment& environment,
                                                         StageOptions options) {
  SD_ASSIGN_OR_RETURN(std::shared_ptr<const Layer> root,
                      environment.layers->Open(context, options.root, nullptr));
  std::shared_ptr<const Layer> session;
  if (!options.session.empty()) {
    SD_ASSIGN_OR_RETURN(session, environment.layers->Open(context, options.session, nullptr));
  }
  return Open(context, environment, std::move(options), std::move(root), std::move(session));
}

absl::StatusOr<std::shared_ptr<const Stage>> Stage::Open(RequestContext& context,
                                                         const StageEnvironment& environment,
                                                         StageOptions options,
                                                         std::shared_ptr<const Layer> root,
                                                         std::shared_ptr<const Layer> session,
                                                         std::shared_ptr<PathScope> paths) {
  if (paths == nullptr) paths = PathScope::Create(environment.memory);
  const WorkScope::Guard guard(paths.get());
  SD_ASSIGN_OR_RETURN(
      std::unique_ptr<Composer> composer,
      Composer::Create(context, *environment.layers, std::move(root), std::move(session),
                       ComposerOptions(options, environment.memory)));
  std::shared_ptr<Stage> stage(
      new Stage(environment, std::move(options), std::move(composer), paths));
  const absl::Status populated = Populator(context, *stage).Run();
  return Populated(context, populated, std::move(stage));
}

absl::StatusOr<std::shared_ptr<const Stage>> Stage::Recompose(
    RequestContext& context, const std::shared_ptr<const Stage>& before, StageOptions options,
    std::shared_ptr<const Layer> root, std::shared_ptr<const Layer> session,
    std::shared_ptr<PathScope> paths) {
  const StageEnvironment& environment = before->environment();
  if (paths == nullptr) paths = PathScope::CreateSuccessor(before->paths());
  const WorkScope::Guard guard(paths.get());
  SD_ASSIGN_OR_RETURN(
      std::unique_ptr<Composer> composer,
      Composer::Create(context, *environment.layers, std::move(root), std::move(session),
                       ComposerOptions(options, environment.memory)));
  std::shared_ptr<Stage> stage(
      new Stage(environment, std::move(options), std::move(composer), paths));
  stage->definitions_ = before->definitions_;  // reused prims refer to its definitions
  // Compares the layer stacks of both composers, hence after the stage has one.
  const ChangeSet changes(context, *before, *stage);
  stage->recomposed_ = !changes.affects_all();
  const PrimData* reusable = changes.affects_all() ? nullptr : &before->root_;
  const absl::Status populated = Populator(context, *stage, &changes).Run(reusable);
  return Populated(context, populated, std::move(stage));
}

Prim Stage::PseudoRoot() const { return Prim(this, &root_, nullptr, Path()); }

Prim Stage::FindPrim(Path path) const {
  if (path.IsAbsoluteRoot()) return PseudoRoot();
  if (!path.IsPrim() || !path.IsAbsolute() || path.ContainsVariantSelection()) return Prim();
  std::vector<std::string_view> names(path.depth());
  for (size_t i = names.size(); i-- > 0; path = path.Parent()) names[i] = path.name().text();
  return FindBelow(table_.root_hash(), names, nullptr, Path());
}

Prim Stage::FindPrim(std::string_view path) const {
  if (path.empty() || path[0] != '/') return Prim();
  if (path.size() == 1) return PseudoRoot();
  // A fast path for prims outside of prototypes, which most paths address.
  PrimTable::Hash hash = table_.root_hash();
  ForEachName(path, [&](std::string_view name) { hash = table_.Extend(hash, name); });
  if (const PrimData* found = table_.Find(hash)) return Prim(this, found, nullptr, Path());
  std::vector<std::string_view> names;
  ForEachName(path, [&](std::string_view name) { names.push_back(name); });
  return FindBelow(table_.root_hash(), names, nullptr, Path());
}

Prim Stage::FindBelow(PrimTable::Hash hash, std::span<const std::string_view> names,
                      const Prototype* within, Path instance_path) const {
  // The hash of each prefix. The longest prefix that is a prim is the prim itself or an instance
  // above it, in whose prototype the search continues.
  std::vector<PrimTable::Hash> hashes;
  for (const std::string_view name : names) {
    hash = table_.Extend(hash, name);
    hashes.push_back(hash);
  }
  for (size_t i = hashes.size(); i-- > 0;) {
    const PrimData* found = table_.Find(hashes[i]);
    if (!found) continue;
    const Prim prim(this, found, within, instance_path);
    if (i + 1 == names.size()) return prim;
    const Prototype* prototype = found->prototype;
    if (!prototype) return Prim();
    return FindBelow(table_.PrototypeHash(prototype->source_path), names.subspan(i + 1), prototype,
                     prim.path());
  }
  return Prim();
}

Property Stage::FindProperty(Path path) const {
  if (path.empty() || path.kind() != Path::Kind::kProperty) return Property();
  const Prim prim = FindPrim(path.Parent());
  return prim.valid() ? prim.GetProperty(path.name()) : Property();
}

Value Stage::Metadata(Token field) const {
  RequestContext unbounded;  // only the session and the root layer contribute
  Value value = PseudoRoot().Metadata(unbounded, field);
  if (!value.empty()) return value;
  const FieldDefinition* definition = FindFieldDefinition(SpecType::kPseudoRoot, field);
  if (!definition && environment_.schemas) {
    definition = environment_.schemas->plugin_fields().Find(SpecType::kPseudoRoot, field);
  }
  return definition ? definition->fallback : Value();
}

Prim Stage::DefaultPrim() const {
  const Path path = root_layer_stack().default_prim();
  return path.empty() ? Prim() : FindPrim(path);
}

PrimRange Stage::Traverse(Prim root, PrimFlagsPredicate predicate) const {
  return PrimRange(root, predicate);
}

std::vector<const Prototype*> Stage::Prototypes() const {
  std::vector<const Prototype*> result;
  for (const auto& prototype : prototypes_) result.push_back(prototype.get());
  return result;
}

std::vector<Prim> Stage::PrototypeChildren(const Prototype& prototype, Path root) const {
  std::vector<Prim> result;
  for (const PrimData& child : prototype.root.child_span()) {
    result.push_back(Prim(this, &child, &prototype, root));
  }
  return result;
}

double Stage::start_time_code() const {
  return RootNumber(*this, Fields().startTimeCode, Fields().startFrame, 0);
}
double Stage::end_time_code() const {
  return RootNumber(*this, Fields().endTimeCode, Fields().endFrame, 0);
}
double Stage::time_codes_per_second() const { return root_layer_stack().time_codes_per_second(); }
double Stage::frames_per_second() const {
  return RootNumber(*this, Fields().framesPerSecond, Token(), 24);
}

void Stage::VisitPrims(const std::function<bool(const PrimData&)>& visit) const {
  std::vector<const PrimData*> todo = {&root_};
  for (const auto& prototype : prototypes_) todo.push_back(&prototype->root);
  while (!todo.empty()) {
    const PrimData* prim = todo.back();
    todo.pop_back();
    if (!visit(*prim)) return;
    for (const PrimData& child : prim->child_span()) todo.push_back(&child);
  }
}

std::vector<std::shared_ptr<const LayerStack>> Stage::LayerStacks() const {
  if (!recomposed_) return composer_->LayerStacks();
  // Reused indexes refer to layer stacks of earlier composers, some of which may not be in use any
  // more.
  std::vector<std::shared_ptr<const LayerStack>> stacks = {composer_->root_layer_stack()};
  std::unordered_set<const LayerStack*> known = {stacks[0].get()};
  VisitPrims([&](const PrimData& prim) {
    for (const PrimIndexNode& node : prim.index.index->nodes()) {
      if (!known.insert(node.layer_stack).second) continue;
      stacks.push_back(node.layer_stack->shared_from_this());
    }
    return true;
  });
  return stacks;
}

std::vector<std::shared_ptr<const Layer>> Stage::UsedLayers() const {
  std::vector<std::shared_ptr<const Layer>> layers;
  std::unordered_set<const Layer*> known;
  for (const auto& stack : LayerStacks()) {
    for (const LayerStack::Entry& entry : stack->layers()) {
      if (known.insert(entry.layer.get()).second) layers.push_back(entry.layer);
    }
  }
  return layers;
}

void Stage::VisitErrors(const std::function<bool(const CompositionError&)>& visit) const {
  const auto visit_all = [&](const CompositionErrors& errors) {
    return std::all_of(errors.begin(), errors.end(), visit);
  };
  for (const auto& stack : LayerStacks()) {
    if (!visit_all(stack->errors())) return;
  }
  VisitPrims([&](const PrimData& prim) { return visit_all(prim.index.index->errors()); });
}

AssetPath Stage::ResolveAssetPath(RequestContext& context, const std::string& authored,
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
  const std::string identifier = environment_.layers->Identify(context, path, &layer);
  if (auto resolved = environment_.layers->resolver().Resolve(context, identifier); resolved.ok()) {
    result.resolved = *std::move(resolved);
  }
  return result;
}

const PrimDefinition* Stage::FindDefinition(RequestContext& context, Token type,
                                            const std::vector<Token>& applied) const {
  const auto* fallbacks = fallback_prim_types_.Get<Dictionary>();
  return definitions_->Find(context, environment_.schemas->EffectiveTypeName(type, fallbacks),
                            applied);
}

}  // namespace stagedoor
