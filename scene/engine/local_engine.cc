#include "scene/engine/local_engine.h"

#include <utility>

#include "base/status.h"
#include "base/status_macros.h"
#include "resolver/change_source_chain.h"
#include "resolver/context_resolver.h"
#include "resolver/dispatching_resolver.h"
#include "resolver/file/file_change_source.h"
#include "resolver/file/file_resolver.h"
#include "resolver/mapping_resolver.h"
#include "resolver/package/package_resolver.h"
#include "resolver/scoped_resolver.h"
#include "scene/schema/schema_registry_builder.h"
#include "scene/usda/usda_format.h"
#include "scene/usdc/usdc_format.h"
#include "scene/usdz/usdz_format.h"

namespace stagedoor {
namespace {

std::vector<LayerFormat> AllFormats(uint64_t expansion_bytes, const PluginFields& fields,
                                    SourceWatch* sources) {
  const LayerFormat text = UsdaFormat(&fields);
  const LayerFormat crate =
      UsdcFormat(sources, std::make_shared<MemoryPool>("expansions", expansion_bytes));
  return {text, crate, UsdzFormat({crate, text})};
}

// Creates the resolver that finds the assets at paths of this machine.
absl::StatusOr<std::shared_ptr<const Resolver>> MakeAssetResolver(const LocalEngineOptions& options,
                                                                  const RemoteBackends& remote) {
  if (options.resolver) return std::make_shared<ScopedResolver>(options.resolver);
  std::shared_ptr<const Resolver> files = remote.without_scheme();
  if (files == nullptr) {
    FileResolverOptions file_options;
    file_options.roots = options.allowed_roots;
    file_options.versions = options.files;
    SD_ASSIGN_OR_RETURN(files, FileResolver::Create(std::move(file_options)));
  }
  DispatchingResolver::Backends backends = options.backends;
  backends.insert(remote.by_scheme().begin(), remote.by_scheme().end());
  auto dispatch = std::make_shared<DispatchingResolver>(std::move(files), std::move(backends),
                                                        options.remote.allow_files);
  auto scoped = std::make_shared<ScopedResolver>(std::move(dispatch));
  return std::make_shared<PackageResolver>(std::move(scoped));
}

absl::StatusOr<std::shared_ptr<const Resolver>> MakeResolver(const LocalEngineOptions& options,
                                                             const RemoteBackends& remote) {
  absl::StatusOr<PathMap> map = PathMap::Parse(options.path_map);
  if (!map.ok()) return Annotate(map.status(), "--map-path");
  SD_ASSIGN_OR_RETURN(std::shared_ptr<const Resolver> assets, MakeAssetResolver(options, remote));
  auto mapping = std::make_shared<MappingResolver>(std::move(assets), *std::move(map));
  return std::make_shared<ContextResolver>(std::move(mapping), options.search_paths);
}

std::vector<BackendInfo> BackendsOf(const LocalEngineOptions& options,
                                    const RemoteBackends& remote) {
  if (options.resolver != nullptr) return {{"custom", {}}};
  std::vector<BackendInfo> backends = {{"package", {}}};
  if (remote.without_scheme() == nullptr) backends.insert(backends.begin(), {"file", {}});
  backends.insert(backends.end(), remote.infos().begin(), remote.infos().end());
  for (const auto& [scheme, resolver] : options.backends) backends.push_back({scheme, {scheme}});
  return backends;
}

}  // namespace

absl::StatusOr<std::unique_ptr<LocalEngine>> LocalEngine::Create(const LocalEngineOptions& options,
                                                                 Executor& executor) {
  RemoteOptions remote_options = options.remote;
  remote_options.verify_content = options.files.verify_content;
  SD_ASSIGN_OR_RETURN(std::unique_ptr<const RemoteBackends> remote,
                      RemoteBackends::Create(remote_options));
  SD_ASSIGN_OR_RETURN(std::shared_ptr<const Resolver> resolver, MakeResolver(options, *remote));
  std::shared_ptr<const SchemaRegistry> schemas = options.schemas;
  std::vector<std::string> problems;
  if (!schemas) {
    SchemaRegistryBuilder builder;
    for (const std::string& path : options.schema_paths) {
      SD_RETURN_IF_ERROR(builder.AddPlugins(path));
    }
    problems = builder.problems();
    schemas = std::move(builder).Build();
  }
  return std::unique_ptr<LocalEngine>(new LocalEngine(options, std::move(remote),
                                                      std::move(resolver), std::move(schemas),
                                                      std::move(problems), executor));
}

std::unique_ptr<ChangeSource> LocalEngine::MakeChangeSource(const PollingOptions& polling) const {
  std::vector<std::unique_ptr<ChangeSource>> sources = remote_->MakeChangeSources();
  if (has_files_) sources.push_back(std::make_unique<FileChangeSource>());
  sources.push_back(std::make_unique<PollingChangeSource>(resolver_, polling));
  return std::make_unique<ChangeSourceChain>(std::move(sources));
}

LocalEngine::LocalEngine(const LocalEngineOptions& options,
                         std::unique_ptr<const RemoteBackends> remote,
                         std::shared_ptr<const Resolver> resolver,
                         std::shared_ptr<const SchemaRegistry> schemas,
                         std::vector<std::string> schema_problems, Executor& executor)
    : remote_(std::move(remote)),
      resolver_(std::move(resolver)),
      has_files_(options.resolver == nullptr && remote_->without_scheme() == nullptr),
      backends_(BackendsOf(options, *remote_)),
      schemas_(std::move(schemas)),
      schema_problems_(std::move(schema_problems)),
      layers_(resolver_, AllFormats(options.expansion_bytes, schemas_->plugin_fields(), &sources_),
              options.layers),
      clips_(layers_, {.cache = options.clips, .executor = &executor}) {
  remote_->SetRelief([this] { ReleaseUnused(); });
  environment_.layers = &layers_;
  environment_.schemas = schemas_.get();
  environment_.executor = &executor;
  environment_.clips = &clips_;
  environment_.max_prims = options.max_stage_prims;
}

}  // namespace stagedoor
