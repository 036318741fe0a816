#include "server/handlers/dependency_handlers.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/byte_source.h"
#include "base/request_scope.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "scene/export/dependencies.h"
#include "scene/export/localize.h"
#include "scene/layer/layer.h"
#include "scene/usda/usda_writer.h"
#include "scene/usdc/usdc_writer.h"
#include "scene/usdz/usdz_writer.h"
#include "server/error_info.h"
#include "server/sessions/audit.h"
#include "server/sessions/leased_stage.h"
#include "server/sessions/source_state.h"
#include "server/sessions/stage_key_parser.h"
#include "server/stages/resolver_context_preparation.h"
#include "server/stages/source_check.h"
#include "server/stages/stage_key.h"
#include "server/streams/chunk_bytes.h"
#include "server/streams/data_stream.h"

namespace stagedoor::server {
namespace {

v1::Dependency::Kind KindOf(const Dependency& use) {
  if (!use.IsLayer()) return v1::Dependency::KIND_ASSET;
  return use.use == DependencyType::kClip ? v1::Dependency::KIND_CLIP : v1::Dependency::KIND_LAYER;
}

class DependencyStream final : public ResponseStream<v1::ListDependenciesResponse> {
 public:
  DependencyStream(Dependencies dependencies, size_t chunk_bytes)
      : dependencies_(std::move(dependencies)), chunk_bytes_(chunk_bytes) {}

  absl::StatusOr<bool> Next(RequestContext&, v1::ListDependenciesResponse* response) override {
    constexpr size_t kPerMessage = 1000;
    const size_t last = std::min(dependencies_.uses.size(), next_ + kPerMessage);
    for (size_t bytes = 0; next_ < last && bytes < chunk_bytes_; ++next_) {
      const Dependency& use = dependencies_.uses[next_];
      v1::Dependency* out = response->add_dependencies();
      bytes += use.authored.size() + use.resolved.size() + use.from.size();
      out->set_kind(KindOf(use));
      out->set_authored_path(CoerceToUtf8(use.authored));
      out->set_resolved_path(CoerceToUtf8(use.resolved));
      out->set_layer(CoerceToUtf8(use.from));
    }
    return response->dependencies_size() != 0;
  }

 private:
  const Dependencies dependencies_;
  const size_t chunk_bytes_;
  size_t next_ = 0;
};

size_t ByteSize(const Dependencies& dependencies) {
  size_t bytes = dependencies.uses.capacity() * sizeof(Dependency);
  for (const Dependency& use : dependencies.uses) {
    bytes += use.authored.size() + use.identifier.size() + use.resolved.size() + use.from.size();
  }
  return bytes;
}

struct FoundDependencies {
  ResolverContext resolver_context;  // that of the stage
  Dependencies dependencies;
};

absl::StatusOr<FoundDependencies> DependenciesOf(const SourceState& state, RequestContext& context,
                                                 const v1::StageSource& source,
                                                 DependencyScope scope) {
  std::string root;
  FoundDependencies found;
  if (source.has_stage()) {
    SD_ASSIGN_OR_RETURN(const LeasedStage leased,
                        AcquireStage(state.queries, context, source.stage()));
    root = leased.stage().options().root;
    found.resolver_context = leased.stage().options().resolver_context;
  } else {
    SD_ASSIGN_OR_RETURN(const StageKey stage_key,
                        ParseStageKey(state.assets, context, source.open()));
    root = stage_key.options.root;
    SD_ASSIGN_OR_RETURN(
        found.resolver_context,
        PrepareResolverContext(context, state.assets.layers, stage_key.options.resolver_context));
  }
  RequestScope::Adopt(PathScope::CreateSmall());
  auto dependencies =
      ComputeDependencies(context, state.assets.layers, found.resolver_context, root, scope);
  if (!source.has_stage())
    AuditOpening(state.assets.audit, "open stage", root, dependencies.status());
  if (!dependencies.ok()) return WithLayerReason(dependencies.status(), root);
  found.dependencies = *std::move(dependencies);
  SD_RETURN_IF_ERROR(context.Reserve(ByteSize(found.dependencies), "the list of dependencies"));
  return found;
}

}  // namespace

absl::StatusOr<ResponseStreamPtr<v1::ListDependenciesResponse>> ListDependencies(
    const SourceState& state, RequestContext& context, const v1::ListDependenciesRequest& request) {
  SD_ASSIGN_OR_RETURN(FoundDependencies found,
                      DependenciesOf(state, context, request.source(), DependencyScope::kUsed));
  return std::make_unique<DependencyStream>(std::move(found.dependencies),
                                            ChunkBytes(request, state.assets.limits));
}

absl::StatusOr<ResponseStreamPtr<v1::LocalizeStageResponse>> LocalizeStage(
    const SourceState& state, RequestContext& context, const v1::LocalizeStageRequest& request) {
  const SourceCheck sources(state.assets.stages.sources());
  SD_ASSIGN_OR_RETURN(const FoundDependencies found,
                      DependenciesOf(state, context, request.source(), DependencyScope::kNamed));
  LocalizeOptions options;
  options.encode = [](const Layer& layer, const std::string&) -> absl::StatusOr<std::string> {
    return layer.info().format == "usda" ? WriteCompleteUsda(layer) : WriteUsdc(layer);
  };
  SD_ASSIGN_OR_RETURN(
      std::vector<LocalizedFile> localized,
      Localize(context, state.assets.layers, found.resolver_context, found.dependencies, options));
  SD_RETURN_IF_ERROR(sources.CheckUsed());
  std::vector<GeneratedFile> files;
  for (LocalizedFile& file : localized) {
    SD_RETURN_IF_ERROR(context.Reserve(file.content.size(), "localized files"));
    const auto content = std::make_shared<const std::string>(std::move(file.content));
    files.push_back(
        {std::move(file.name), [content](RequestContext&) -> absl::StatusOr<ByteSourcePtr> {
           return std::make_unique<MemoryByteSource>(*content, content);
         }});
  }
  if (request.package()) {
    const auto open = [files = std::move(files)](RequestContext&) -> absl::StatusOr<ByteSourcePtr> {
      return PackageBytes(files);
    };
    files = {{.name = "package.usdz", .open = open}};
  }
  return std::make_unique<MultiFileStream<v1::LocalizeStageResponse>>(
      std::move(files), ChunkBytes(request, state.assets.limits));
}

}  // namespace stagedoor::server
