#include "scene/stage/stage.h"

#include <optional>
#include <utility>

#include "base/request_scope.h"
#include "base/status_macros.h"
#include "resolver/pin_file.h"
#include "scene/layer/field_definition.h"
#include "scene/layer/field_keys.h"
#include "scene/layer/kept_layers.h"
#include "scene/schema/schema_registry.h"
#include "scene/stage/change_set.h"
#include "scene/stage/populator.h"
#include "scene/stage/session_edit.h"
#include "scene/values/asset_path.h"

namespace stagedoor {
namespace {

constexpr size_t kMaxQueryBytes = size_t{128} << 20;

double RootNumber(const Stage& stage, Token field, Token legacy, double fallback) {
  RequestContext unbounded;  // only the session and the root layer contribute
  for (const Token name : {field, legacy}) {
    if (name.empty()) continue;
    const Value value = stage.PseudoRoot().Metadata(unbounded, name);
    if (const double* number = value.Get<double>()) return *number;
  }
  return fallback;
}

CompositionOptions ComposerOptions(const StageOptions& options, MemoryPool* memory) {
  CompositionOptions result;
  result.memory = memory;
  result.variant_fallbacks = options.variant_fallbacks;
  result.muted_layers = options.muted_layers;
  result.kept_layers = options.kept_layers;
  result.share_subtrees = options.share_subtrees;
  // Without include_payload, all payloads are included.
  if (!options.load.loads_all()) {
    result.include_payload = [load = options.load](Path path) { return load.IsLoaded(path); };
  }
  return result;
}

// The data of a stage that is not populated yet.
absl::StatusOr<std::unique_ptr<StageData>> Create(
    RequestContext& context, const StageEnvironment& environment, StageOptions options,
    std::shared_ptr<const Layer> root, std::shared_ptr<const Layer> session,
    const std::shared_ptr<PathScope>& paths, const StageData* before) {
  SD_ASSIGN_OR_RETURN(
      std::unique_ptr<Composer> composer,
      Composer::Create(context, *environment.layers, options.resolver_context, std::move(root),
                       std::move(session), ComposerOptions(options, environment.memory)));
  return std::make_unique<StageData>(environment, std::move(options), std::move(composer), paths,
                                     before);
}

// Populates the data. If that fails, the data is destroyed later: freeing half a stage takes long,
// and the caller should not wait for it.
absl::Status Populate(RequestContext& context, std::unique_ptr<StageData>& data,
                      const ChangeSet* changes, const PrimData* reusable) {
  absl::Status populated = Populator(context, *data, changes).Run(reusable);
  if (!populated.ok()) context.DeferDestruction(std::shared_ptr<const void>(std::move(data)));
  return populated;
}

}  // namespace

Stage::Stage(std::unique_ptr<StageData> data)
    : data_(std::move(data)), queries_(kMaxQueryBytes, data_->memory.pool()) {
  data_->stage = this;
}

Stage::~Stage() = default;

absl::StatusOr<std::shared_ptr<const Stage>> Stage::Open(RequestContext& context,
                                                         const StageEnvironment& environment,
                                                         StageOptions options) {
  LayerRegistry& layers = *environment.layers;
  SD_ASSIGN_OR_RETURN(options.resolver_context,
                      LoadPinFiles(context, layers.resolver(), options.resolver_context));
  SD_ASSIGN_OR_RETURN(std::shared_ptr<const Layer> root,
                      layers.Open(context, options.resolver_context, options.root, nullptr));
  std::shared_ptr<const Layer> session;
  if (!options.session.empty()) {
    SD_ASSIGN_OR_RETURN(session,
                        layers.Open(context, options.resolver_context, options.session, nullptr));
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
  const RequestScope::Guard guard(
      RequestScope::Current().WithContext(&context).WithOwner(paths.get()));
  SD_ASSIGN_OR_RETURN(std::unique_ptr<StageData> data,
                      Create(context, environment, std::move(options), std::move(root),
                             std::move(session), paths, nullptr));
  SD_RETURN_IF_ERROR(Populate(context, data, nullptr, nullptr));
  return std::shared_ptr<const Stage>(new Stage(std::move(data)));
}

absl::StatusOr<std::shared_ptr<const Stage>> Stage::Recompose(
    RequestContext& context, const std::shared_ptr<const Stage>& before, StageOptions options,
    std::shared_ptr<const Layer> root, std::shared_ptr<const Layer> session,
    std::shared_ptr<PathScope> paths) {
  const StageEnvironment& environment = before->environment();
  if (paths == nullptr) paths = PathScope::CreateSuccessor(before->paths());
  const RequestScope::Guard guard(
      RequestScope::Current().WithContext(&context).WithOwner(paths.get()));
  const StageData& old = *before->data_;
  // Reused prims refer to the definitions of the old stage.
  SD_ASSIGN_OR_RETURN(std::unique_ptr<StageData> data,
                      Create(context, environment, std::move(options), std::move(root),
                             std::move(session), paths, &old));
  // Compares the layer stacks of both composers, hence after there is a new one.
  const ChangeSet changes(context, old, *data);
  SD_RETURN_IF_ERROR(
      Populate(context, data, &changes, changes.affects_all() ? nullptr : &old.population->root));
  return std::shared_ptr<const Stage>(new Stage(std::move(data)));
}

absl::StatusOr<std::shared_ptr<const Stage>> Stage::EditSession(
    RequestContext& context, const std::shared_ptr<const Stage>& before,
    std::shared_ptr<const Layer> session, std::shared_ptr<PathScope> paths) {
  if (paths == nullptr) paths = PathScope::CreateSuccessor(before->paths());
  const StageData& old = before->data();
  StageOptions options = old.options;
  options.kept_layers = KeepLayers(nullptr, old.UsedLayers());
  const auto& root_stack = old.root_layer_stack();
  std::shared_ptr<const Layer> root = root_stack.layers()[root_stack.root_index()].layer;
  {
    const RequestScope::Guard guard(
        RequestScope::Current().WithContext(&context).WithOwner(paths.get()));
    const StageEnvironment& environment = before->environment();
    SD_ASSIGN_OR_RETURN(
        std::unique_ptr<Composer> composer,
        Composer::Create(context, *environment.layers, options.resolver_context, root, session,
                         ComposerOptions(options, environment.memory)));
    std::optional<ReplacedOpinions> replaced = SessionEdit(context, old, *composer).Run();
    SD_RETURN_IF_ERROR(context.Check());
    if (replaced) {
      return std::shared_ptr<const Stage>(new Stage(std::make_unique<StageData>(
          old, old.options, std::move(composer), paths, *std::move(replaced))));
    }
  }
  return Recompose(context, before, std::move(options), std::move(root), std::move(session),
                   std::move(paths));
}

Prim Stage::PseudoRoot() const { return Prim(*data_, {&data_->population->root}); }

Prim Stage::FindPrim(Path path) const { return Prim(*data_, data_->Find(path)); }

Prim Stage::FindPrim(std::string_view path) const { return Prim(*data_, data_->Find(path)); }

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
  if (const SchemaRegistry* schemas = environment().schemas; !definition && schemas) {
    definition = schemas->plugin_fields().Find(SpecType::kPseudoRoot, field);
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
  for (const auto& prototype : data_->population->prototypes) result.push_back(prototype.get());
  return result;
}

std::vector<Prim> Stage::PrototypeChildren(const Prototype& prototype, Path root) const {
  std::vector<Prim> result;
  for (const PrimData& child : prototype.root.child_span()) {
    result.push_back(Prim(*data_, {&child, &prototype, root}));
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

}  // namespace stagedoor
