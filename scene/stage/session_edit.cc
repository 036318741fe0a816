#include "scene/stage/session_edit.h"

#include <algorithm>
#include <utility>

#include "scene/layer/layer_diff.h"

namespace stagedoor {
namespace {

// Beyond this number of prims with replaced opinions, the stage is recomposed, since each edit
// copies them.
constexpr size_t kMaxReplaced = 4096;
// Opinions that are replaced keep the session layer of their time alive. All are composed again
// when they refer to this many layers.
constexpr size_t kMaxSessionLayers = 64;

bool IsSession(const LayerStack& stack) {
  return !stack.layers().empty() && stack.layers()[0].session;
}

// Whether two layer stacks are alike but for their first layers, if these are session layers.
bool SameBelowSession(const LayerStack& a, const LayerStack& b) {
  const size_t skip_a = IsSession(a) ? 1 : 0, skip_b = IsSession(b) ? 1 : 0;
  return std::equal(a.layers().begin() + skip_a, a.layers().end(), b.layers().begin() + skip_b,
                    b.layers().end(), [](const LayerStack::Entry& x, const LayerStack::Entry& y) {
                      return x.layer == y.layer && x.offset == y.offset &&
                             x.value_offset == y.value_offset && x.session == y.session;
                    });
}

bool SameStructure(const PrimIndex& a, const PrimIndex& b) {
  return std::ranges::equal(a.child_names(), b.child_names()) &&
         a.has_payloads() == b.has_payloads() && a.payload_loaded() == b.payload_loaded() &&
         a.instanceable() == b.instanceable() && a.errors().empty() && b.errors().empty();
}

// The session layer that the opinions of a prim come from, in its time.
const Layer* SessionOf(const PrimOpinions& opinions) {
  const auto nodes = opinions.index.index->nodes();
  if (nodes.empty() || !nodes[0].layer_stack->is_stage_root()) return nullptr;
  return IsSession(*nodes[0].layer_stack) ? nodes[0].layer_stack->layers()[0].layer.get() : nullptr;
}

}  // namespace

std::optional<SessionEdit::SessionLayers> SessionEdit::FindSessionLayers() const {
  const LayerStack& a = before_.root_layer_stack();
  const LayerStack& b = *after_.root_layer_stack();
  const bool same = SameBelowSession(a, b) && !a.has_relocates() && !b.has_relocates() &&
                    a.time_codes_per_second() == b.time_codes_per_second() &&
                    a.expression_variables() == b.expression_variables() && a.errors().empty() &&
                    b.errors().empty();
  if (!same) return std::nullopt;
  const auto session = [](const LayerStack& stack) -> const Layer* {
    return IsSession(stack) ? stack.layers()[0].layer.get() : nullptr;
  };
  const SessionLayers layers = {session(a), session(b)};
  // Values are mapped to stage time with the offset of their layer.
  if (layers.before && layers.after &&
      !(a.layers()[0].value_offset == b.layers()[0].value_offset)) {
    return std::nullopt;
  }
  return layers;
}

std::optional<std::set<Path>> SessionEdit::FindPrims() const {
  const std::optional<SessionLayers> layers = FindSessionLayers();
  if (!layers) return std::nullopt;
  for (const Layer* layer : {layers->before, layers->after}) {
    if (layer) context_.AddSteps(layer->tree().size());
  }
  const std::vector<PrimChange> changed = ChangedPrims(layers->before, layers->after);
  if (before_.replaced.size() + changed.size() > kMaxReplaced) return std::nullopt;
  std::set<Path> prims;
  for (const auto& [path, shape] : changed) {
    if (shape) return std::nullopt;
    // Which prims use the site is known only to the whole stage.
    if (before_.population->shared_sites.contains(path)) return std::nullopt;
    const PrimLocation found = before_.Find(path);
    if (found.data == nullptr) return std::nullopt;
    // Opinions about the prims of an instance do not count.
    if (found.within == nullptr) prims.insert(path);
  }
  std::set<const Layer*> sessions;
  for (const auto& [prim, opinions] : before_.replaced) sessions.insert(SessionOf(opinions));
  if (sessions.size() >= kMaxSessionLayers) {
    for (const auto& [prim, opinions] : before_.replaced) prims.insert(prim->path);
  }
  return prims;
}

std::optional<ReplacedOpinions> SessionEdit::Run() {
  const std::optional<std::set<Path>> prims = FindPrims();
  if (!prims) return std::nullopt;
  const PrimData& root = before_.population->root;
  std::vector<Composed> stack = {{&root, {nullptr, after_.ComposeRoot(context_)}}};
  if (!SameStructure(*before_.OpinionsOf(root).index.index, *stack[0].opinions.index.index)) {
    return std::nullopt;
  }
  ReplacedOpinions replaced = before_.replaced;
  replaced[&root] = stack[0].opinions;
  // In namespace order, so that the prims above each one are composed once.
  for (const Path path : *prims) {
    context_.AddSteps(path.depth() + 1);
    if (path.IsAbsoluteRoot()) continue;
    if (!Compose(path, stack) || !context_.Check().ok()) return std::nullopt;
    PrimOpinions& opinions = replaced[stack.back().prim];
    opinions = stack.back().opinions;
    opinions.index.shared = nullptr;  // belongs to the composer
  }
  return replaced;
}

bool SessionEdit::Compose(Path path, std::vector<Composed>& stack) {
  while (!path.HasPrefix(stack.back().prim->path)) stack.pop_back();
  std::vector<Path> todo;
  for (Path at = path; at != stack.back().prim->path; at = at.Parent()) todo.push_back(at);
  while (!todo.empty()) {
    if (!ComposeChild(todo.back(), stack)) return false;
    todo.pop_back();
  }
  return true;
}

bool SessionEdit::ComposeChild(Path path, std::vector<Composed>& stack) {
  const PrimData* const prim = before_.Find(path).data;
  if (prim == nullptr) return false;
  const Composed& parent = stack.back();
  Composed child = {prim, {}};
  child.opinions.index =
      after_.ComposeChild(context_, parent.opinions.index, parent.prim->path, path.name());
  if (!SameStructure(*before_.OpinionsOf(*prim).index.index, *child.opinions.index.index)) {
    return false;
  }
  child.opinions.clips =
      before_.ComposeClips(context_, child.opinions.index, parent.opinions.clips);
  stack.push_back(std::move(child));
  return true;
}

}  // namespace stagedoor
