// StackCache: the layer stacks of one stage, each built once, and the identifiers of asset paths.
//
// Thread-safe; stacks live as long as the cache.
#ifndef STAGEDOOR_SCENE_COMPOSITION_STACK_CACHE_H_
#define STAGEDOOR_SCENE_COMPOSITION_STACK_CACHE_H_

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "base/memory_account.h"
#include "base/mutex.h"
#include "base/request_context.h"
#include "scene/composition/layer_source.h"
#include "scene/composition/layer_stack.h"
#include "scene/composition/layer_stack_builder.h"

namespace stagedoor {

class StackCache {
 public:
  // `memory`, which may be null, is charged with the stacks and what is remembered of paths; it
  // outlives all of them.
  StackCache(std::unique_ptr<LayerSource> source, const std::vector<std::string>& muted,
             MemoryAccount* memory)
      : source_(std::move(source)), muted_(muted), charge_(memory) {}

  const MutedLayers& muted() const { return muted_; }
  // Not remembered: it is the stage's own.
  std::shared_ptr<const LayerStack> BuildRoot(RequestContext& context,
                                              std::shared_ptr<const Layer> root,
                                              std::shared_ptr<const Layer> session);
  std::string Identify(RequestContext& context, const Layer& layer, const std::string& asset_path);
  // Errors are the layer source's; those of sublayers are in the stack.
  absl::StatusOr<const LayerStack*> Open(RequestContext& context, const std::string& identifier,
                                         const std::shared_ptr<const Dictionary>& variables);

  // All that could be opened so far.
  std::vector<std::shared_ptr<const LayerStack>> Stacks() const;

 private:
  using StackKey = std::pair<std::string, const Dictionary*>;
  using PathKey = std::pair<const Layer*, std::string>;

  const std::unique_ptr<LayerSource> source_;
  const MutedLayers muted_;
  MemoryCharge charge_;  // the stacks have their own
  mutable SharedMutex mu_;
  std::map<StackKey, absl::StatusOr<std::shared_ptr<const LayerStack>>> stacks_
      ABSL_GUARDED_BY(mu_);
  std::map<PathKey, std::string> identifiers_ ABSL_GUARDED_BY(mu_);
  // Keys of stacks_ point to them.
  std::vector<std::shared_ptr<const Dictionary>> variables_ ABSL_GUARDED_BY(mu_);
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_COMPOSITION_STACK_CACHE_H_
