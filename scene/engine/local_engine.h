#ifndef STAGEDOOR_SCENE_ENGINE_LOCAL_ENGINE_H_
#define STAGEDOOR_SCENE_ENGINE_LOCAL_ENGINE_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "base/executor.h"
#include "resolver/backend_info.h"
#include "resolver/change_source.h"
#include "resolver/polling_change_source.h"
#include "scene/clips/clip_environment.h"
#include "scene/engine/local_engine_options.h"
#include "scene/engine/remote_backends.h"
#include "scene/layer/layer_registry.h"
#include "scene/schema/schema_registry.h"
#include "scene/stage/stage_environment.h"
#include "scene/values/source_bytes.h"

namespace stagedoor {

// Everything that opens stages in one process: the resolver with its backends, the layer formats,
// and the caches of layers, schemas and value clips.
//
// The daemon, `stagedoor --embedded`, the benchmarks and the tools of the tests assemble their
// engine here; nothing else names concrete backends and formats. Thread-safe; outlives its stages.
class LocalEngine {
 public:
  // `executor` must outlive all requests. NOT_FOUND for an allowed root that is not a directory or
  // a schema path without plugInfo.json; INVALID_ARGUMENT for a malformed plugInfo.json. Otherwise
  // the errors of RemoteBackends::Create.
  static absl::StatusOr<std::unique_ptr<LocalEngine>> Create(const LocalEngineOptions& options,
                                                             Executor& executor);

  ~LocalEngine() { remote_->SetRelief(nullptr); }
  LocalEngine(const LocalEngine&) = delete;
  LocalEngine& operator=(const LocalEngine&) = delete;

  // Drops the layers and clips that no stage uses.
  void ReleaseUnused() {
    layers_.DropUnused();
    clips_.cache().Clear();
  }

  // The environment that Stage::Open needs.
  const StageEnvironment& environment() const { return environment_; }
  LayerRegistry& layers() { return layers_; }
  ClipEnvironment& clips() { return clips_; }
  const std::shared_ptr<const SchemaRegistry>& schemas() const { return schemas_; }
  // The backends that assets come from; "custom" for LocalEngineOptions::resolver.
  const std::vector<BackendInfo>& backends() const { return backends_; }
  const RemoteBackends& remote() const { return *remote_; }
  // Watches the mapped files that layers and clips read from.
  SourceWatch& sources() { return sources_; }

  // A new source of changes of the assets that the engine resolves: reports of the system for local
  // files, polling for everything else. The engine must outlive it. Why files are polled as well,
  // if they are, is a problem of the source (ChangeSource::TakeProblems).
  std::unique_ptr<ChangeSource> MakeChangeSource(const PollingOptions& polling) const;

  // Errors within schema plug-ins, one per message, to be reported to the operator.
  const std::vector<std::string>& schema_problems() const { return schema_problems_; }

 private:
  LocalEngine(const LocalEngineOptions& options, std::unique_ptr<const RemoteBackends> remote,
              std::shared_ptr<const Resolver> resolver,
              std::shared_ptr<const SchemaRegistry> schemas,
              std::vector<std::string> schema_problems, Executor& executor);

  const std::unique_ptr<const RemoteBackends> remote_;
  const std::shared_ptr<const Resolver> resolver_;
  const bool has_files_;  // whether local files are among what it resolves
  const std::vector<BackendInfo> backends_;
  const std::shared_ptr<const SchemaRegistry> schemas_;
  const std::vector<std::string> schema_problems_;
  SourceWatch sources_;
  LayerRegistry layers_;
  ClipEnvironment clips_;
  StageEnvironment environment_;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_ENGINE_LOCAL_ENGINE_H_
