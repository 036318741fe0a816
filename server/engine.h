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

namespace stagedoor {

// The scene engine of one daemon: resolver, formats, layers, schemas, clips, put together. The only
// place that names concrete backends. Thread-safe; outlives all stages.
class Engine {
 public:
  // `executor` outlives the engine. NOT_FOUND for an allowed root that is no directory or a schema
  // path without plugInfo.json; INVALID_ARGUMENT for a plugInfo.json that is none. What is wrong
  // within plug-ins is logged.
  static absl::StatusOr<std::unique_ptr<Engine>> Create(const ServerOptions& options,
                                                        Executor& executor);
  // Over another resolver than the daemon's: for tests.
  static absl::StatusOr<std::unique_ptr<Engine>> Create(const ServerOptions& options,
                                                        std::shared_ptr<const Resolver> resolver,
                                                        Executor& executor);
  ~Engine();

  LayerRegistry& layers();
  ClipEnvironment& clips();
  const StageEnvironment& environment() const;
  // The mapped files that layers and clips read from.
  SourceWatch& sources();

 private:
  struct Parts;
  explicit Engine(std::unique_ptr<Parts> parts);

  const std::unique_ptr<Parts> parts_;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SERVER_ENGINE_H_
