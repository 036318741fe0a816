#include "server/engine.h"

#include <spdlog/spdlog.h>

#include <utility>

#include "base/status_macros.h"
#include "resolver/dispatching_resolver.h"
#include "resolver/file/file_resolver.h"
#include "resolver/package/package_resolver.h"
#include "resolver/search_path_resolver.h"
#include "scene/clips/clip_environment.h"
#include "scene/schema/schema_registry.h"
#include "scene/schema/schema_registry_builder.h"
#include "scene/usda/usda_format.h"
#include "scene/usdc/usdc_format.h"
#include "scene/usdz/usdz_format.h"
#include "server/machine_memory.h"

namespace stagedoor::server {
namespace {

LayerRegistry::Options RegistryOptions(const ServerOptions& options) {
  LayerRegistry::Options registry;
  registry.cache.max_bytes = options.layer_cache_bytes;
  return registry;
}

std::vector<LayerFormat> AllFormats(const ServerOptions& options, const PluginFields& fields,
                                    SourceWatch* sources) {
  const uint64_t expansion_bytes = options.expansion_bytes
                                       ? *options.expansion_bytes
                                       : DefaultExpansionBytes(EffectiveMemoryLimit(options));
  const LayerFormat text = UsdaFormat(&fields);
  const LayerFormat crate = UsdcFormat(sources, std::make_shared<ByteBudget>(expansion_bytes));
  return {text, crate, UsdzFormat({crate, text})};
}

absl::StatusOr<std::shared_ptr<const Resolver>> MakeResolver(const ServerOptions& options) {
  FileResolverOptions file_options;
  file_options.roots = options.allowed_roots;
  SD_ASSIGN_OR_RETURN(std::shared_ptr<const Resolver> files,
                      FileResolver::Create(std::move(file_options)));
  auto dispatch =
      std::make_shared<DispatchingResolver>(std::move(files), DispatchingResolver::Backends());
  auto packages = std::make_shared<PackageResolver>(std::move(dispatch));
  return std::make_shared<SearchPathResolver>(std::move(packages), options.search_paths);
}

ClipEnvironment::Options ClipOptions(const ServerOptions& options, Executor& executor) {
  ClipEnvironment::Options clips;
  clips.cache.max_bytes = options.clip_cache_bytes
                              ? *options.clip_cache_bytes
                              : DefaultClipCacheBytes(EffectiveMemoryLimit(options));
  clips.cache.max_layers = options.clip_cache_files;
  clips.executor = &executor;
  return clips;
}

using Schemas = std::shared_ptr<const SchemaRegistry>;

// Loads the built-in schemas and those of the operator's plug-ins.
absl::StatusOr<Schemas> LoadSchemas(const ServerOptions& options) {
  SchemaRegistryBuilder builder;
  for (const std::string& path : options.schema_paths) SD_RETURN_IF_ERROR(builder.AddPlugins(path));
  for (const std::string& problem : builder.problems()) spdlog::warn("{}", problem);
  return std::move(builder).Build();
}

}  // namespace

struct Engine::Parts {
  Parts(const ServerOptions& options, Schemas known, std::shared_ptr<const Resolver> resolver,
        Executor& executor)
      : schemas(std::move(known)),
        layers(std::move(resolver), AllFormats(options, schemas->plugin_fields(), &sources),
               RegistryOptions(options)),
        clips(layers, ClipOptions(options, executor)) {
    environment.layers = &layers;
    environment.schemas = schemas.get();
    environment.executor = &executor;
    environment.clips = &clips;
    environment.max_prims = options.max_stage_prims;
  }

  const Schemas schemas;
  SourceWatch sources;
  LayerRegistry layers;
  ClipEnvironment clips;
  StageEnvironment environment;
};

absl::StatusOr<std::unique_ptr<Engine>> Engine::Create(const ServerOptions& options,
                                                       Executor& executor) {
  SD_ASSIGN_OR_RETURN(std::shared_ptr<const Resolver> resolver, MakeResolver(options));
  return Create(options, std::move(resolver), executor);
}

absl::StatusOr<std::unique_ptr<Engine>> Engine::Create(const ServerOptions& options,
                                                       std::shared_ptr<const Resolver> resolver,
                                                       Executor& executor) {
  SD_ASSIGN_OR_RETURN(Schemas schemas, LoadSchemas(options));
  return std::unique_ptr<Engine>(new Engine(
      std::make_unique<Parts>(options, std::move(schemas), std::move(resolver), executor)));
}

Engine::Engine(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}

Engine::~Engine() = default;

LayerRegistry& Engine::layers() { return parts_->layers; }
const StageEnvironment& Engine::environment() const { return parts_->environment; }
SourceWatch& Engine::sources() { return parts_->sources; }
ClipEnvironment& Engine::clips() { return parts_->clips; }

}  // namespace stagedoor::server
