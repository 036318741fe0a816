#include "scene/composition/composer.h"

#include <unordered_map>

#include "scene/composition/layer_stack_registry.h"
#include "scene/composition/prim_index_builder.h"
#include "scene/composition/prim_indexer.h"
#include "scene/composition/shared_graphs.h"
#include "scene/composition/shared_index.h"
#include "scene/composition/shared_parts.h"
#include "scene/layer/layer_registry.h"

namespace stagedoor {
namespace {

// The source in production: layers that all stages of the process share.
class RegistrySource final : public LayerSource {
 public:
  RegistrySource(LayerRegistry& registry, ResolverContext resolver_context,
                 std::shared_ptr<const KeptLayers> kept)
      : registry_(registry),
        resolver_context_(std::move(resolver_context)),
        kept_(std::move(kept)) {}
  std::string Identify(RequestContext& context, std::string_view asset_path,
                       const Layer* anchor) override {
    return registry_.Identify(context, resolver_context_, asset_path, anchor);
  }
  absl::StatusOr<std::shared_ptr<const Layer>> Open(RequestContext& context,
                                                    const std::string& identifier) override {
    if (auto layer = FindKept(kept_, identifier)) return layer;
    return registry_.Open(context, resolver_context_, identifier);
  }

 private:
  LayerRegistry& registry_;
  const ResolverContext resolver_context_;
  const std::shared_ptr<const KeptLayers> kept_;
};

// It is its own PrimIndexInputs, since indexing needs nothing but its options and caches.
class StageComposer final : public Composer, private PrimIndexInputs {
 public:
  StageComposer(RequestContext& context, std::unique_ptr<LayerSource> source,
                std::shared_ptr<const Layer> root, std::shared_ptr<const Layer> session,
                CompositionOptions options)
      : options_(std::move(options)),
        fallbacks_(options_.variant_fallbacks.begin(), options_.variant_fallbacks.end()),
        stacks_(std::move(source), options_.muted_layers, options_.memory),
        root_stack_(stacks_.BuildRoot(context, std::move(root), std::move(session))),
        shared_parts_(options_.memory),
        trees_(options_.memory) {}

  const std::shared_ptr<const LayerStack>& root_layer_stack() const override { return root_stack_; }

  PrimIndexRef ComposeRoot(RequestContext& context) override;
  PrimIndexRef ComposeChild(RequestContext& context, const PrimIndexRef& parent, Path parent_path,
                            Token child) override;
  void EndSharing() override {
    trees_.Clear();
    shared_parts_.Clear();
  }
  std::vector<std::shared_ptr<const LayerStack>> LayerStacks() const override;

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
  SharedPrim* TakeForProxy(RequestContext& context, SharedPrim& parent, Token child,
                           SharedPrim& site, const std::shared_ptr<const OuterContext>& proxy);
  // The input for composing an index.
  struct Origin {
    PrimIndexGraph graph;  // that of the parent
    std::vector<Path> instances;
    Path tree_root = Path();              // empty if composed for the stage
    const OuterContext* proxy = nullptr;  // null if not composed for a proxy
  };
  PrimIndexRef Compose(RequestContext& context, const PrimIndex& parent, Token child, Origin origin,
                       SharingConstraints* constraints);

  const CompositionOptions options_;
  const std::unordered_map<std::string, std::vector<std::string>> fallbacks_;
  LayerStackRegistry stacks_;
  const std::shared_ptr<const LayerStack> root_stack_;
  SharedParts shared_parts_;
  SharedTrees trees_;
};

PrimIndexRef StageComposer::ComposeRoot(RequestContext& context) {
  PrimIndexRequest request;
  request.site = request.root_site = {root_stack_.get(), Path::AbsoluteRoot()};
  PrimIndexRef ref;
  ref.index = PrimIndexBuilder::Finish(context, BuildPrimIndexGraph(*this, context, request), {},
                                       *root_stack_, nullptr, shared_parts_);
  return ref;
}

PrimIndexRef StageComposer::ComposeChild(RequestContext& context, const PrimIndexRef& parent, Path,
                                         Token child) {
  if (parent.shared) {
    PrimIndexRef ref;
    if (TakeShared(context, parent, child, &ref)) return ref;
  }
  return Compose(context, *parent.index, child, {FullGraph(parent), InstancesAbove(parent)},
                 nullptr);
}

// Takes the child from the parent's tree, which is composed there first if necessary. False if the
// place does not meet the constraints of the index and has to compose for itself.
bool StageComposer::TakeShared(RequestContext& context, const PrimIndexRef& parent, Token child,
                               PrimIndexRef* ref) {
  SharedPrim& above = *parent.shared;
  SharedPrim* site = above.Find(child);
  if (!site) {
    SharingConstraints constraints;
    PrimIndexRef composed = Compose(context, *above.ref().index, child,
                                    {FullGraph(above.ref()), InstancesAbove(above.ref()),
                                     above.tree_root(), above.proxy().get()},
                                    &constraints);
    // An index that is incomplete because the request ended must not be kept for others.
    if (!context.Check().ok()) return false;
    site = above.Add(child, std::move(composed), std::move(constraints));
  }
  auto outer = std::static_pointer_cast<const OuterContext>(parent.outer);
  if (const SharingConstraints* constraints = site->constraints()) {
    const ArcPath& arc_path = outer->arc_path();
    // Opinions about classes are the only constraint that composing for a proxy can lift.
    if (!constraints->FixedConstraintsMetBy(arc_path)) return false;
    if (!constraints->OpinionsMetBy(arc_path)) {
      outer = OuterContext::ForProxy(outer);
      site = outer ? TakeForProxy(context, above, child, *site, outer) : nullptr;
      if (!site) return false;
    }
  }
  // If the child uses another tree, the site uses that one too: by its own arc path, continued by
  // the child's.
  const PrimIndexRef& inner = site->ref();
  ref->index = inner.index;
  ref->shared = inner.shared ? inner.shared : site;
  ref->outer = OuterContext::Combine(std::move(outer),
                                     std::static_pointer_cast<const OuterContext>(inner.outer));
  return true;
}

// The child as composed for a proxy with the layer stacks of the site; null if the site has to
// compose for itself.
SharedPrim* StageComposer::TakeForProxy(RequestContext& context, SharedPrim& parent, Token child,
                                        SharedPrim& site,
                                        const std::shared_ptr<const OuterContext>& proxy) {
  const ArcPath& arc_path = proxy->arc_path();
  if (!SharingConstraints::AreStageOnly(site.constraints()->OpinionsOf(arc_path))) return nullptr;
  SharedPrim* found = site.FindProxyFor(arc_path);
  if (!found) {
    const PrimIndexRef& above = parent.ref();
    // The parent is in another tree, whose nodes are not those of the proxy's graph.
    if (above.outer) return nullptr;
    const auto at_proxy = [&](Path path) {
      return path.ReplacePrefix(Path::AbsoluteRoot(), proxy->proxy_path());
    };
    std::vector<Path> instances = InstancesAbove(above);
    for (Path& path : instances) path = at_proxy(path);
    const Path tree_root = at_proxy(parent.tree_root());
    SharingConstraints constraints;
    PrimIndexRef composed =
        Compose(context, *above.index, child,
                {ProxyGraph(*above.index, *proxy), std::move(instances), tree_root, proxy.get()},
                &constraints);
    if (!context.Check().ok()) return nullptr;
    found = site.AddProxy(std::move(composed), tree_root, std::move(constraints), proxy);
  }
  if (!found) return nullptr;
  // The opinions that the proxy brings in may have arcs of their own, hence other constraints.
  return !found->constraints() || found->constraints()->FixedConstraintsMetBy(arc_path) ? found
                                                                                        : nullptr;
}

// Composes a child of `parent`. If that is in a tree, `constraints` receives the constraints of the
// index; otherwise it is null.
PrimIndexRef StageComposer::Compose(RequestContext& context, const PrimIndex& parent, Token child,
                                    Origin origin, SharingConstraints* constraints) {
  const GraphNode& root = origin.graph.root();
  PrimIndexRequest request;
  request.site = request.root_site = {root.stack, root.path.AppendChild(child)};
  request.parent = &origin.graph;
  request.parent_is_instance = parent.instanceable();
  // A tree does not know which ancestors of its sites are instances.
  request.instances = origin.tree_root.empty() ? &origin.instances : nullptr;
  request.tree_root = origin.tree_root;
  PrimIndexOutputs output = BuildPrimIndexGraph(*this, context, request);
  // If the reservation fails, the request ends, which is checked below.
  if (const size_t bytes = ByteSizeOf(output.errors); bytes > 0) {
    (void)context.Reserve(bytes, "composition errors");
  }
  if (constraints) *constraints = SharingConstraintsOf(output, origin.tree_root, origin.proxy);
  PrimIndexRef ref;
  ref.index = PrimIndexBuilder::Finish(context, std::move(output), std::move(origin.instances),
                                       *root_stack_, &parent, shared_parts_);
  // A prim without children is not worth a tree. An incomplete index would stay the shared root for
  // all later requests.
  const bool may_share = options_.share_subtrees && !ref.index->child_names().empty();
  if (!may_share || !context.Check().ok()) return ref;
  PrimIndexRef shared;
  return trees_.Share(ref.index, &shared) ? shared : ref;
}

std::vector<std::shared_ptr<const LayerStack>> StageComposer::LayerStacks() const {
  std::vector<std::shared_ptr<const LayerStack>> stacks = stacks_.Stacks();
  // A reference to the root layer gets another stack, without the session layer, so the cache does
  // not have this one.
  stacks.insert(stacks.begin(), root_stack_);
  return stacks;
}

}  // namespace

absl::StatusOr<std::unique_ptr<Composer>> Composer::Create(RequestContext& context,
                                                           LayerRegistry& registry,
                                                           const ResolverContext& resolver_context,
                                                           std::shared_ptr<const Layer> root,
                                                           std::shared_ptr<const Layer> session,
                                                           CompositionOptions options) {
  auto source = std::make_unique<RegistrySource>(registry, resolver_context, options.kept_layers);
  std::unique_ptr<Composer> composer =
      Create(context, std::move(source), std::move(root), std::move(session), std::move(options));
  // The root layer stack may lack sublayers that were not opened in time.
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
