#include "scene/export/dependencies.h"

#include <deque>
#include <optional>
#include <unordered_set>
#include <utility>

#include "base/status_macros.h"
#include "base/strings.h"
#include "resolver/asset_path.h"
#include "resolver/directory_error.h"
#include "scene/clips/clip_template.h"
#include "scene/clips/numbered_files.h"
#include "scene/composition/variable_expression.h"
#include "scene/layer/field_keys.h"

namespace stagedoor {
namespace {

constexpr uint64_t kStepsPerUse = 16;

// OpenUSD resolves <UDIM> to these tile numbers.
constexpr std::string_view kUdim = "<UDIM>";
constexpr int kFirstTile = 1001;
constexpr int kLastTile = 1100;

std::vector<std::string> ExpandTiles(RequestContext& context, const LayerRegistry& layers,
                                     const ResolverContext& resolver_context, const Layer& anchor,
                                     const std::string& authored) {
  const size_t at = authored.find(kUdim);
  if (at == std::string::npos) return {authored};
  std::vector<std::string> tiles;
  for (int tile = kFirstTile; tile <= kLastTile; ++tile) {
    tiles.push_back(authored);
    tiles.back().replace(at, kUdim.size(), std::to_string(tile));
  }
  const NumberedFiles files(context, resolver_context, layers, anchor);
  files.Announce(tiles);
  std::erase_if(tiles, [&files](const std::string& tile) { return !files.Exists(tile); });
  return tiles.empty() ? std::vector<std::string>{authored} : tiles;
}

// True if the extension is one of USD's file formats.
bool IsLayerName(std::string_view path) {
  const std::string extension = AssetExtension(path);
  return extension == "usd" || extension == "usda" || extension == "usdc" || extension == "usdz";
}

// Collects dependencies breadth first, opening each layer once.
class DependencyCollector {
 public:
  DependencyCollector(RequestContext& context, LayerRegistry& layers,
                      const ResolverContext& resolver_context, DependencyScope scope)
      : context_(context), layers_(layers), resolver_context_(resolver_context), scope_(scope) {}

  absl::Status Run(std::shared_ptr<const Layer> root) {
    seen_layers_.insert(root.get());
    variables_ = std::make_shared<const Dictionary>();
    Variables variables = VariablesOf(*root);
    queue_.push_back({std::move(root), std::move(variables)});
    while (!queue_.empty()) {
      SD_RETURN_IF_ERROR(context_.Check());
      const std::shared_ptr<const Layer> layer = std::move(queue_.front().layer);
      variables_ = std::move(queue_.front().variables);
      queue_.pop_front();
      // A path may be authored many times in a layer but is one dependency.
      std::unordered_set<std::string> seen;
      VisitDependencies(*layer, scope_, [&](DependencyType use, const std::string& authored) {
        if (!seen.insert(authored).second || !context_.Spend(kStepsPerUse).ok()) return;
        if (use != DependencyType::kClipTemplate) AddPath(*layer, use, authored);
      });
      AddTemplateClips(*layer);
    }
    return absl::OkStatus();
  }
  std::vector<Dependency> Take() { return std::move(uses_); }

 private:
  using Variables = std::shared_ptr<const Dictionary>;
  struct Pending {
    std::shared_ptr<const Layer> layer;
    Variables variables;
  };

  // The expression variables in a layer stack whose root is `layer`: its own, and over them those
  // of the layer that names it, as in composition.
  Variables VariablesOf(const Layer& layer) const {
    const Value own = layer.Get(kRootSpec, Fields().expressionVariables);
    const auto* dictionary = own.Get<Dictionary>();
    if (dictionary == nullptr || dictionary->empty()) return variables_;
    return std::make_shared<const Dictionary>(Dictionary::Over(*variables_, *dictionary));
  }

  void AddPath(const Layer& layer, DependencyType use, const std::string& written) {
    Dependency found{.use = use, .written = written, .evaluated = written};
    if (IsVariableExpression(written)) {
      StringExpressionResult result =
          EvaluateStringVariableExpression(context_, written, *variables_);
      if (!result.errors.empty() || result.value.empty()) return;
      found.evaluated = std::move(result.value);
    }
    for (std::string& path :
         ExpandAssetPath(context_, layers_, resolver_context_, layer, use, found.evaluated)) {
      found.authored = std::move(path);
      Add(layer, found);
    }
  }

  // A clip template stands for the numbered files that exist.
  void AddTemplateClips(const Layer& layer) {
    const NumberedFiles files(context_, resolver_context_, layers_, layer);
    for (SpecId spec = 0; spec < layer.tree().size(); ++spec) {
      if (!layer.tree().is_prim_like(spec)) continue;
      const Value clips = layer.Get(spec, Fields().clips);
      const Dictionary* sets = clips.Get<Dictionary>();
      if (!sets) continue;
      for (const auto& [name, set] : *sets) {
        const std::optional<ClipTemplate> pattern = TemplateOf(set);
        if (!pattern) continue;
        const auto derived = DeriveClips(
            context_, *pattern, [&](const std::string& path) { return files.Exists(path); },
            [&](std::span<const std::string> paths) { files.Announce(paths); });
        if (!derived.ok()) continue;
        Dependency found{.use = DependencyType::kClip,
                         .written = pattern->asset_path,
                         .evaluated = pattern->asset_path};
        for (const std::string& path : derived->assets) {
          found.authored = path;
          Add(layer, found);
        }
      }
    }
  }

  static std::optional<ClipTemplate> TemplateOf(const Value& set) {
    const Dictionary* entries = set.Get<Dictionary>();
    if (!entries) return std::nullopt;
    const auto number = [&](std::string_view key) {
      const Value* value = entries->Find(key);
      const double* held = value ? value->Get<double>() : nullptr;
      return held ? std::optional<double>(*held) : std::nullopt;
    };
    const Value* path = entries->Find("templateAssetPath");
    const auto* text = path ? path->Get<std::string>() : nullptr;
    const auto start = number("templateStartTime"), end = number("templateEndTime");
    const auto stride = number("templateStride");
    if (!text || !start || !end || !stride) return std::nullopt;
    return ClipTemplate{.asset_path = *text, .start = *start, .end = *end, .stride = *stride};
  }

  void Add(const Layer& from, Dependency dependency) {
    dependency.from = from.identifier();
    dependency.identifier =
        layers_.Identify(context_, resolver_context_, dependency.authored, &from);
    auto resolved = layers_.resolver().Resolve(context_, resolver_context_, dependency.identifier);
    if (const auto directory = DirectoryOf(resolved.status());
        directory && !IsLayerName(*directory)) {
      dependency.resolved = *directory;
      dependency.directory = true;
    } else if (resolved.ok()) {
      dependency.resolved = *std::move(resolved);
      if (dependency.use != DependencyType::kValue || dependency.IsLayer()) Follow(&dependency);
    }
    uses_.push_back(std::move(dependency));
  }

  void Follow(Dependency* dependency) {
    auto layer = layers_.Open(context_, resolver_context_, dependency->identifier);
    // Best effort, as in OpenUSD: a layer that cannot be opened does not fail the whole call.
    if (!layer.ok()) return;
    dependency->layer = *layer;
    if (!seen_layers_.insert(layer->get()).second) return;
    const bool sublayer = dependency->use == DependencyType::kSublayer;
    Variables variables = sublayer ? variables_ : VariablesOf(**layer);
    queue_.push_back({*std::move(layer), std::move(variables)});
  }

  RequestContext& context_;
  LayerRegistry& layers_;
  const ResolverContext& resolver_context_;
  const DependencyScope scope_;
  Variables variables_;  // of the layer that is visited
  std::deque<Pending> queue_;
  std::unordered_set<const Layer*> seen_layers_;
  std::vector<Dependency> uses_;
};

}  // namespace

bool Dependency::IsLayer() const {
  if (layer) return true;
  return IsLayerName(resolved.empty() ? authored : resolved) ||
         (resolved.empty() && use != DependencyType::kValue);
}

std::vector<std::string> ExpandAssetPath(RequestContext& context, const LayerRegistry& layers,
                                         const ResolverContext& resolver_context,
                                         const Layer& anchor, DependencyType use,
                                         const std::string& authored) {
  if (use == DependencyType::kClipTemplate) return {};
  return ExpandTiles(context, layers, resolver_context, anchor, authored);
}

absl::StatusOr<Dependencies> ComputeDependencies(RequestContext& context, LayerRegistry& layers,
                                                 const ResolverContext& resolver_context,
                                                 const std::string& root, DependencyScope scope) {
  Dependencies result;
  SD_ASSIGN_OR_RETURN(result.root, layers.Open(context, resolver_context, root, nullptr));
  DependencyCollector collector(context, layers, resolver_context, scope);
  SD_RETURN_IF_ERROR(collector.Run(result.root));
  result.uses = collector.Take();
  return result;
}

}  // namespace stagedoor
