#ifndef STAGEDOOR_SERVER_ENGINE_H_
#define STAGEDOOR_SERVER_ENGINE_H_

#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "base/executor.h"
#include "scene/layer/layer_registry.h"
#include "scene/stage/stage.h"
#include "scene/values/source_bytes.h"
#include "server/server_options.h"

namespace stagedoor::server {

// The scene engine of one daemon: assembles resolver, layer formats, layers, schemas and clips. The
// only place that names concrete backends. Thread-safe; outlives all stages.
class Engine {
 public:
  // `executor` must outlive the engine. NOT_FOUND for an allowed root that is not a directory or a
  // schema path without plugInfo.json; INVALID_ARGUMENT for a malformed plugInfo.json. Problems
  // within plug-ins are only logged.
  static absl::StatusOr<std::unique_ptr<Engine>> Create(const ServerOptions& options,
                                                        Executor& executor);
  // The same with another resolver than the daemon's, for tests.
  static absl::StatusOr<std::unique_ptr<Engine>> Create(const ServerOptions& options,
                                                        std::shared_ptr<const Resolver> resolver,
                                                        Executor& executor);
  ~Engine();

  LayerRegistry& layers();
  ClipEnvironment& clips();
  const StageEnvironment& environment() const;
  // Watches the mapped files that layers and clips read from.
  SourceWatch& sources();

 private:
  struct Parts;
  explicit Engine(std::unique_ptr<Parts> parts);

  const std::unique_ptr<Parts> parts_;
};

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_ENGINE_H_
