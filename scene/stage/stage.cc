#include "scene/stage/stage.h"

#include <unordered_set>
#include <utility>

#include "base/status_macros.h"
#include "scene/composition/expression.h"
#include "scene/layer/fields.h"
#include "scene/schema/prim_definition_cache.h"
#include "scene/schema/schema_registry.h"
#include "scene/stage/change_set.h"
#include "scene/stage/populator.h"

namespace stagedoor {
namespace {

double RootNumber(const Stage& stage, Token field, Token legacy, double fallback) {
  for (const Token name : {field, legacy}) {
    if (name.empty()) continue;
    const Value value = stage.Metadata(name);
    if (const double* number = value.Get<double>()) return *number;
  }
  return fallback;
}

CompositionOptions ComposerOptions(const StageOptions& options) {
  CompositionOptions result;
  result.variant_fallbacks = options.variant_fallbacks;
  result.muted_layers = options.muted_layers;
  result.share_subtrees = options.share_subtrees;
  if (!options.load.loads_all()) {
    result.include_payload = [load = options.load](Path path) { return load.IsLoaded(path); };
  }
  return result;
}

}  // namespace

Stage::Stage(const StageEnvironment& environment, StageOptions options,
             std::unique_ptr<Composer> composer)
    : environment_(environment),
      options_(std::move(options)),
      composer_(std::move(composer)),
      definitions_(environment.schemas ? std::make_shared<PrimDefinitionCache>(environment.schemas)
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
                                                         std::shared_ptr<const Layer> session) {
  SD_ASSIGN_OR_RETURN(std::unique_ptr<Composer> composer,
                      Composer::Create(context, *environment.layers, std::move(root),
                                       std::move(session), ComposerOptions(options)));
  std::shared_ptr<Stage> stage(new Stage(environment, std::move(options), std::move(composer)));
  SD_RETURN_IF_ERROR(Populator(context, *stage).Run());
  return std::shared_ptr<const Stage>(std::move(stage));
}

absl::StatusOr<std::shared_ptr<const Stage>> Stage::Succeed(
    RequestContext& context, const std::shared_ptr<const Stage>& before, StageOptions options,
    std::shared_ptr<const Layer> root, std::shared_ptr<const Layer> session) {
  const StageEnvironment& environment = before->environment();
  SD_ASSIGN_OR_RETURN(std::unique_ptr<Composer> composer,
                      Composer::Create(context, *environment.layers, std::move(root),
                                       std::move(session), ComposerOptions(options)));
  std::shared_ptr<Stage> stage(new Stage(environment, std::move(options), std::move(composer)));
  stage->definitions_ = before->definitions_;
  const ChangeSet changes(context, *before, *stage);
  stage->succeeds_another_ = !changes.affects_all();
  const PrimData* reusable = changes.affects_all() ? nullptr : &before->root_;
  SD_RETURN_IF_ERROR(Populator(context, *stage, &changes).Run(reusable));
  return std::shared_ptr<const Stage>(std::move(stage));
}

Prim Stage::PseudoRoot() const { return Prim(this, &root_, nullptr, Path()); }

Prim Stage::FindPrim(Path path) const {
  return path.IsAbsolute() ? FindPrim(std::string_view(path.ToString())) : Prim();
}

Prim Stage::FindPrim(std::string_view path) const {
  if (path.empty() || path[0] != '/') return Prim();
  if (path.size() == 1) return PseudoRoot();
  return FindBelow(PrimTable::kRootHash, path.substr(1), &root_, nullptr, Path());
}

Prim Stage::FindBelow(uint64_t hash, std::string_view tail, const PrimData* above,
                      const Prototype* within, Path instance_path) const {
  if (tail.empty()) return Prim();
  const auto visit = [&](auto&& after_element) {
    uint64_t state = hash;
    for (size_t at = 0; at < tail.size();) {
      const size_t end = std::min(tail.find('/', at), tail.size());
      state = PrimTable::Extend(state, Token::HashOf(tail.substr(at, end - at)));
      after_element(state, end);
      at = end + 1;
    }
    return state;
  };
  if (const PrimData* found = table_.Find(visit([](uint64_t, size_t) {}), tail, above)) {
    return Prim(this, found, within, instance_path);
  }
  // Hash state after each element, so that an instance on the way can be found.
  std::vector<std::pair<uint64_t, size_t>> prefixes;  // hash, length of the text so far
  visit([&](uint64_t state, size_t end) { prefixes.emplace_back(state, end); });
  for (size_t i = prefixes.size() - 1; i-- > 0;) {
    const PrimData* ancestor =
        table_.Find(prefixes[i].first, tail.substr(0, prefixes[i].second), above);
    if (!ancestor) continue;
    if (!ancestor->prototype) return Prim();
    const Prototype* prototype = ancestor->prototype;
    const Prim instance(this, ancestor, within, instance_path);
    return FindBelow(PrimTable::HashOf(prototype->source_path), tail.substr(prefixes[i].second + 1),
                     &prototype->root, prototype, instance.path());
  }
  return Prim();
}

Property Stage::FindProperty(Path path) const {
  if (path.empty() || path.kind() != Path::Kind::kProperty) return Property();
  const Prim prim = FindPrim(path.Parent());
  return prim.valid() ? prim.GetProperty(path.name()) : Property();
}

Prim Stage::DefaultPrim() const {
  const Path path = root_layer_stack().root_layer().DefaultPrim();
  return path.empty() ? Prim() : FindPrim(path);
}

PrimRange Stage::Traverse(Prim root, PrimPredicate predicate) const {
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

void Stage::VisitPrims(const std::function<void(const PrimData&)>& visit) const {
  std::vector<const PrimData*> todo = {&root_};
  for (const auto& prototype : prototypes_) todo.push_back(&prototype->root);
  while (!todo.empty()) {
    const PrimData* prim = todo.back();
    todo.pop_back();
    visit(*prim);
    for (const PrimData& child : prim->child_span()) todo.push_back(&child);
  }
}

std::vector<const LayerStack*> Stage::LayerStacks() const {
  std::vector<const LayerStack*> stacks = {&root_layer_stack()};
  std::unordered_set<const LayerStack*> known(stacks.begin(), stacks.end());
  VisitPrims([&](const PrimData& prim) {
    for (const PrimIndexNode& node : prim.index.index->nodes()) {
      if (known.insert(node.layer_stack).second) stacks.push_back(node.layer_stack);
    }
  });
  return stacks;
}

std::vector<std::shared_ptr<const Layer>> Stage::UsedLayers() const {
  if (!succeeds_another_) return composer_->UsedLayers();
  std::vector<std::shared_ptr<const Layer>> layers;
  std::unordered_set<const Layer*> known;
  for (const LayerStack* stack : LayerStacks()) {
    for (const LayerStack::Entry& entry : stack->layers()) {
      if (known.insert(entry.layer.get()).second) layers.push_back(entry.layer);
    }
  }
  return layers;
}

CompositionErrors Stage::Errors() const {
  CompositionErrors errors = composer_->LayerStackErrors();
  if (succeeds_another_) {
    errors.clear();
    for (const LayerStack* stack : LayerStacks()) {
      errors.insert(errors.end(), stack->errors().begin(), stack->errors().end());
    }
  }
  VisitPrims([&](const PrimData& prim) {
    const CompositionErrors& own = prim.index.index->errors();
    errors.insert(errors.end(), own.begin(), own.end());
  });
  return errors;
}

AssetPath Stage::ResolveAssetPath(RequestContext& context, const std::string& authored,
                                  const Layer& layer, const LayerStack& stack) const {
  AssetPath result{.authored = authored};
  std::string path = authored;
  if (IsVariableExpression(authored)) {
    StringExpressionResult evaluated =
        EvaluateStringExpression(authored, stack.expression_variables());
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

const PrimDefinition* Stage::FindDefinition(Token type, const std::vector<Token>& applied) const {
  const auto* fallbacks = fallback_prim_types_.Get<Dictionary>();
  return definitions_->Find(environment_.schemas->EffectiveTypeName(type, fallbacks), applied);
}

}  // namespace stagedoor
