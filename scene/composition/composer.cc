#include "scene/composition/composer.h"

#include <unordered_map>
#include <unordered_set>

#include "scene/composition/prim_index_builder.h"
#include "scene/composition/prim_indexer.h"
#include "scene/composition/shared_index.h"
#include "scene/composition/stack_cache.h"
#include "scene/layer/layer_registry.h"

namespace stagedoor {
namespace {

class RegistrySource final : public LayerSource {
 public:
  explicit RegistrySource(LayerRegistry& registry) : registry_(registry) {}
  std::string Identify(RequestContext& context, std::string_view asset_path,
                       const Layer* anchor) override {
    return registry_.Identify(context, asset_path, anchor);
  }
  absl::StatusOr<std::shared_ptr<const Layer>> Open(RequestContext& context,
                                                    const std::string& identifier) override {
    return registry_.Open(context, identifier);
  }

 private:
  LayerRegistry& registry_;
};

class StageComposer final : public Composer, private IndexEnvironment {
 public:
  StageComposer(RequestContext& context, std::unique_ptr<LayerSource> source,
                std::shared_ptr<const Layer> root, std::shared_ptr<const Layer> session,
                CompositionOptions options)
      : options_(std::move(options)),
        fallbacks_(options_.variant_fallbacks.begin(), options_.variant_fallbacks.end()),
        stacks_(std::move(source), options_.muted_layers),
        root_stack_(stacks_.BuildRoot(context, std::move(root), std::move(session))) {}

  const std::shared_ptr<const LayerStack>& root_layer_stack() const override { return root_stack_; }

  PrimIndexRef ComposeRoot(RequestContext& context) override;
  PrimIndexRef ComposeChild(RequestContext& context, const PrimIndexRef& parent, Path parent_path,
                            Token child) override;
  std::vector<std::shared_ptr<const Layer>> UsedLayers() const override;
  CompositionErrors LayerStackErrors() const override;

 private:
  std::string Identify(RequestContext& context, const Layer& layer,
                       const std::string& asset_path) override {
    return stacks_.Identify(context, layer, asset_path);
  }
  bool IsMuted(const std::string& identifier) const override {
    return stacks_.muted().Contains(identifier);
  }
  absl::StatusOr<const LayerStack*> OpenStack(
      RequestContext& context, const std::string& identifier,
      const std::shared_ptr<const Dictionary>& variables) override {
    return stacks_.Open(context, identifier, variables);
  }
  const std::vector<std::string>* VariantFallbacks(const std::string& set) const override {
    const auto it = fallbacks_.find(set);
    return it == fallbacks_.end() ? nullptr : &it->second;
  }
  const std::function<bool(Path)>& include_payload() const override {
    return options_.include_payload;
  }
  const LayerStack& root_stack() const override { return *root_stack_; }

  bool TakeShared(RequestContext& context, const PrimIndexRef& parent, Token child,
                  PrimIndexRef* ref);
  PrimIndexRef Compose(RequestContext& context, const PrimIndexRef& parent, Token child,
                       const SharedSite* in_tree, Demands* demands);

  const CompositionOptions options_;
  const std::unordered_map<std::string, std::vector<std::string>> fallbacks_;
  StackCache stacks_;
  const std::shared_ptr<const LayerStack> root_stack_;
  SharedTrees trees_;
};

PrimIndexRef StageComposer::ComposeRoot(RequestContext& context) {
  IndexRequest request;
  request.site = request.root_site = {root_stack_.get(), Path::AbsoluteRoot()};
  context.Add(Counter::kIndexesBuilt);
  PrimIndexRef ref;
  ref.index = PrimIndexBuilder::Finish(BuildIndexGraph(*this, context, request), {}, *root_stack_);
  return ref;
}

PrimIndexRef StageComposer::ComposeChild(RequestContext& context, const PrimIndexRef& parent, Path,
                                         Token child) {
  if (parent.shared) {
    PrimIndexRef ref;
    if (TakeShared(context, parent, child, &ref)) return ref;
  }
  return Compose(context, parent, child, /*in_tree=*/nullptr, nullptr);
}

// The child from the parent's shared tree, if the place meets its demands.
bool StageComposer::TakeShared(RequestContext& context, const PrimIndexRef& parent, Token child,
                               PrimIndexRef* ref) {
  SharedSite* site = parent.shared->Find(child);
  if (!site) {
    Demands demands;
    PrimIndexRef composed = Compose(context, parent.shared->ref(), child, parent.shared, &demands);
    if (!context.Check().ok()) return false;
    site = parent.shared->Add(
        child, std::make_unique<SharedSite>(std::move(composed), parent.shared->tree_root(),
                                            std::move(demands)));
  }
  const auto outer = std::static_pointer_cast<const OuterContext>(parent.outer);
  if (!site->demands().MetBy(*outer)) return false;
  const PrimIndexRef& inner = site->ref();
  ref->index = inner.index;
  ref->shared = inner.shared ? inner.shared : site;
  ref->outer =
      OuterContext::Combine(outer, std::static_pointer_cast<const OuterContext>(inner.outer));
  ref->root_arc = OuterContext::Of(*ref)->target().arc;
  return true;
}

// Composes a child; `in_tree`: as a prim of that site's tree, with the demands of doing so.
PrimIndexRef StageComposer::Compose(RequestContext& context, const PrimIndexRef& parent,
                                    Token child, const SharedSite* in_tree, Demands* demands) {
  const PrimGraph graph = FullGraph(parent);
  std::vector<Path> instances = InstancesAbove(parent);
  IndexRequest request;
  request.site = request.root_site = {graph.root().stack, graph.root().path.AppendChild(child)};
  request.parent = &graph;
  request.parent_is_instance = parent.index->instanceable();
  request.instances = in_tree ? nullptr : &instances;
  if (in_tree) request.tree_root = in_tree->tree_root();
  context.Add(Counter::kIndexesBuilt);
  IndexOutput output = BuildIndexGraph(*this, context, request);
  if (demands) {
    *demands = DemandsOf(output, in_tree->tree_root(), options_.include_payload != nullptr);
  }
  PrimIndexRef ref;
  ref.index = PrimIndexBuilder::Finish(std::move(output), std::move(instances), *root_stack_);
  if (!options_.share_subtrees || !context.Check().ok()) return ref;
  PrimIndexRef shared;
  return trees_.Share(ref.index, &shared) ? shared : ref;
}

std::vector<std::shared_ptr<const Layer>> StageComposer::UsedLayers() const {
  std::vector<std::shared_ptr<const LayerStack>> stacks = stacks_.Stacks();
  stacks.insert(stacks.begin(), root_stack_);
  std::vector<std::shared_ptr<const Layer>> layers;
  std::unordered_set<const Layer*> known;
  for (const auto& stack : stacks) {
    for (const LayerStack::Entry& entry : stack->layers()) {
      if (known.insert(entry.layer.get()).second) layers.push_back(entry.layer);
    }
  }
  return layers;
}

CompositionErrors StageComposer::LayerStackErrors() const {
  CompositionErrors errors = root_stack_->errors();
  for (const auto& stack : stacks_.Stacks()) {
    errors.insert(errors.end(), stack->errors().begin(), stack->errors().end());
  }
  return errors;
}

}  // namespace

absl::StatusOr<std::unique_ptr<Composer>> Composer::Create(RequestContext& context,
                                                           LayerRegistry& registry,
                                                           std::shared_ptr<const Layer> root,
                                                           std::shared_ptr<const Layer> session,
                                                           CompositionOptions options) {
  std::unique_ptr<Composer> composer =
      Create(context, std::make_unique<RegistrySource>(registry), std::move(root),
             std::move(session), std::move(options));
  if (absl::Status alive = context.Check(); !alive.ok()) return alive;
  return composer;
}

std::unique_ptr<Composer> Composer::Create(RequestContext& context,
                                           std::unique_ptr<LayerSource> source,
                                           std::shared_ptr<const Layer> root,
                                           std::shared_ptr<const Layer> session,
                                           CompositionOptions options) {
  return std::make_unique<StageComposer>(context, std::move(source), std::move(root),
                                         std::move(session), std::move(options));
}

}  // namespace stagedoor
