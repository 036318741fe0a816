#include "scene/composition/layer_stack_registry.h"

#include "base/heap_costs.h"

namespace stagedoor {
namespace {

// The memory of a string in a table.
size_t Held(const std::string& text) { return sizeof(text) + text.capacity() + kHeapBlockBytes; }

}  // namespace

std::shared_ptr<const LayerStack> LayerStackRegistry::BuildRoot(
    RequestContext& context, std::shared_ptr<const Layer> root,
    std::shared_ptr<const Layer> session) {
  return LayerStackBuilder(*source_, muted_, charge_.pool())
      .Build(context, std::move(root), std::move(session), nullptr);
}

std::string LayerStackRegistry::Identify(RequestContext& context, const Layer& layer,
                                         const std::string& asset_path) {
  const PathKey key(&layer, asset_path);
  {
    ReaderMutexLock lock(mu_);
    const auto it = identifiers_.find(key);
    if (it != identifiers_.end()) return it->second;
  }
  // The resolver runs outside of the lock. Threads that meet the same path at once all ask it; the
  // first answer counts for all, so that the composer sees one identifier.
  std::string identifier = source_->Identify(context, asset_path, &layer);
  WriterMutexLock lock(mu_);
  const auto [known, added] = identifiers_.emplace(key, std::move(identifier));
  if (added) charge_.Add(kNodeBytes + Held(known->first.second) + Held(known->second));
  return known->second;
}

absl::StatusOr<const LayerStack*> LayerStackRegistry::Open(
    RequestContext& context, const std::string& identifier,
    const std::shared_ptr<const Dictionary>& variables) {
  const StackKey key(identifier, variables.get());
  const auto answer = [](const absl::StatusOr<std::shared_ptr<const LayerStack>>& s)
      -> absl::StatusOr<const LayerStack*> {
    if (!s.ok()) return s.status();
    return s->get();
  };
  {
    ReaderMutexLock lock(mu_);
    const auto it = stacks_.find(key);
    if (it != stacks_.end()) return answer(it->second);
  }
  // Opening layers takes long, so it happens outside of the lock.
  absl::StatusOr<std::shared_ptr<const Layer>> layer = source_->Open(context, identifier);
  absl::StatusOr<std::shared_ptr<const LayerStack>> stack(nullptr);
  if (layer.ok()) {
    stack = LayerStackBuilder(*source_, muted_, charge_.pool())
                .Build(context, *layer, nullptr, variables);
  } else {
    stack = layer.status();
  }
  // An error or a missing sublayer that is due to the end of this request must not be cached for
  // others.
  if (absl::Status alive = context.Check(); !alive.ok()) return alive;
  WriterMutexLock lock(mu_);
  const auto known = stacks_.find(key);
  if (known != stacks_.end()) return answer(known->second);
  constexpr size_t kEntryBytes = kNodeBytes + 6 * sizeof(void*);  // includes that in variables_
  charge_.Add(kEntryBytes + Held(identifier) + stack.status().message().size());
  variables_.push_back(variables);  // before the key, which points to them
  return answer(stacks_.emplace(key, std::move(stack)).first->second);
}

std::vector<std::shared_ptr<const LayerStack>> LayerStackRegistry::Stacks() const {
  // Layers that could not be opened have entries too, so that they are not tried again.
  ReaderMutexLock lock(mu_);
  std::vector<std::shared_ptr<const LayerStack>> stacks;
  for (const auto& [key, stack] : stacks_) {
    if (stack.ok()) stacks.push_back(*stack);
  }
  return stacks;
}

}  // namespace stagedoor
