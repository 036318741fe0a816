#include "scene/clips/stitch_clips.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/status.h"
#include "base/status_macros.h"
#include "resolver/asset_path.h"
#include "scene/clips/clip_manifest_builder.h"
#include "scene/clips/stitch_layers.h"
#include "scene/layer/field_keys.h"
#include "scene/layer/layer_builder.h"
#include "scene/values/array.h"
#include "scene/values/asset_path.h"
#include "scene/values/dictionary.h"
#include "scene/values/layer_offset.h"
#include "scene/values/value_type_name.h"
#include "scene/values/vec.h"

namespace stagedoor {
namespace {

// "a/b.usda" and "topology" give "a/b.topology.usda".
absl::StatusOr<std::string> NameBeside(const std::string& output, std::string_view what) {
  const size_t dot = output.rfind('.');
  if (dot == std::string::npos || output.find('/', dot) != std::string::npos) {
    return InvalidArgumentError(Quoted(output), " has no file extension; add one, such as .usda");
  }
  return Concat(std::string_view(output).substr(0, dot), ".", what,
                std::string_view(output).substr(dot));
}

// Relative to the output's folder if the file is in it, so that the folder can be moved as a whole;
// other paths stay as they are.
std::string RelativeTo(const std::string& output, const std::string& identifier) {
  const std::string file = NormalizeAssetPath(identifier);
  if (file.find('/') == std::string::npos) return "./" + file;
  const std::string normal = NormalizeAssetPath(output);
  const std::string folder = normal.substr(0, normal.rfind('/') + 1);
  if (folder.empty() || !file.starts_with(folder)) return identifier;
  return "./" + file.substr(folder.size());
}

// A bound of a clip's range of time codes; old layers have startFrame and endFrame instead.
double RootTime(const Layer& layer, Token field, Token legacy) {
  if (const auto time = layer.GetAs<double>(kRootSpec, field)) return *time;
  return layer.GetAs<double>(kRootSpec, legacy).value_or(0);
}

// Changes what OpenUSD's text writer changes and its crate writer keeps: legacy type names, such as
// Vec3f[], become the current ones, and orders of children that name only one, which have no
// effect, are left out.
void AdaptToText(LayerBuilder* layer) {
  for (SpecId spec = 0; spec < layer->size(); ++spec) {
    for (const Token field : {Fields().primOrder, Fields().propertyOrder}) {
      const Value* order = layer->Get(spec, field);
      const auto* names = order ? order->Get<std::vector<Token>>() : nullptr;
      if (names && names->size() < 2) layer->Set(spec, field, Value());
    }
    const Value* value = layer->Get(spec, Fields().typeName);
    const Token* name = value ? value->Get<Token>() : nullptr;
    const ValueTypeName* type = name ? FindValueTypeName(*name) : nullptr;
    if (type && type->canonical != *name) {
      layer->Set(spec, Fields().typeName, Value(type->canonical));
    }
  }
}

// Collects topology, manifest and timing clip by clip, so that only one clip is open at a time.
class ClipStitcher {
 public:
  ClipStitcher(RequestContext& context, const StitchClipsOptions& options)
      : context_(context),
        options_(options),
        manifest_(context, options.clip_path, /*write_blocks=*/false) {}

  void Add(const std::string& identifier, const Layer& clip);
  absl::StatusOr<StitchedClips> Finish();

 private:
  Dictionary ExplicitSet() const;
  Dictionary TemplateSet() const;
  void SetTimeCodes(LayerBuilder* result) const;
  LayerBuilder MakeResult(const std::string& topology, const std::string& manifest) const;
  LayerBuilder MakeManifest() const;

  RequestContext& context_;
  const StitchClipsOptions& options_;
  LayerBuilder topology_;
  ClipManifestBuilder manifest_;
  bool has_prim_ = false;
  std::vector<AssetPath> assets_;
  std::vector<Vec2d> active_;
  std::vector<Vec2d> times_;
};

void ClipStitcher::Add(const std::string& identifier, const Layer& clip) {
  // The topology defines the prims without opening a clip, so it gets everything but the
  // animation.
  StitchLayers(context_, clip, {.animation = false}, &topology_);
  // The active time only matters for blocks, which UsdUtilsStitchClipsManifest does not write.
  manifest_.Add(&clip, 0);
  has_prim_ |= clip.tree().Find(options_.clip_path) != kNoSpec;
  const double start = RootTime(clip, Fields().startTimeCode, Fields().startFrame);
  const double end = RootTime(clip, Fields().endTimeCode, Fields().endFrame);
  // Each clip is active from its own start on, at its own times. A clip of a single frame has one
  // entry in `times`: a second one at the same stage time would be a jump.
  active_.push_back(Vec2d{{start, static_cast<double>(assets_.size())}});
  assets_.push_back(AssetPath{.authored = RelativeTo(options_.output, identifier)});
  times_.push_back(Vec2d{{start, start}});
  if (end != start) times_.push_back(Vec2d{{end, end}});
}

Dictionary ClipStitcher::ExplicitSet() const {
  Dictionary set;
  set.Set("assetPaths", Value(Array<AssetPath>::Copy(assets_)));
  set.Set("active", Value(Array<Vec2d>::Copy(active_)));
  set.Set("times", Value(Array<Vec2d>::Copy(times_)));
  return set;
}

Dictionary ClipStitcher::TemplateSet() const {
  const StitchClipsOptions::Template& pattern = *options_.clip_template;
  Dictionary set;
  set.Set("templateAssetPath", Value(pattern.path));
  set.Set("templateStartTime", Value(*options_.start_time_code));
  set.Set("templateEndTime", Value(*options_.end_time_code));
  set.Set("templateStride", Value(pattern.stride));
  if (pattern.active_offset) set.Set("templateActiveOffset", Value(*pattern.active_offset));
  return set;
}

void ClipStitcher::SetTimeCodes(LayerBuilder* result) const {
  // Without it, a player of the result would not know the range that the clips cover.
  const auto [first, last] = std::minmax_element(
      times_.begin(), times_.end(), [](const Vec2d& a, const Vec2d& b) { return a[0] < b[0]; });
  result->Set(kRootSpec, Fields().startTimeCode,
              Value(options_.start_time_code.value_or((*first)[0])));
  result->Set(kRootSpec, Fields().endTimeCode, Value(options_.end_time_code.value_or((*last)[0])));
}

LayerBuilder ClipStitcher::MakeResult(const std::string& topology,
                                      const std::string& manifest) const {
  // 12.3.4.1.1: entries common to both forms of metadata are added to either.
  Dictionary set = options_.clip_template ? TemplateSet() : ExplicitSet();
  set.Set("primPath", Value(options_.clip_path.ToString()));
  set.Set("manifestAssetPath", Value(AssetPath{.authored = RelativeTo(options_.output, manifest)}));
  if (options_.interpolate_missing_clip_values) {
    set.Set("interpolateMissingClipValues", Value(true));
  }
  Dictionary clips;
  clips.Set(options_.clip_set, Value(std::move(set)));
  LayerBuilder result;
  const SpecId prim = result.EnsurePrim(options_.clip_path);
  result.Set(prim, Fields().clips, Value(std::move(clips)));
  SetTimeCodes(&result);
  // The clip set provides values only; the sublayer defines the prims and attributes (12.3.4.5).
  result.Set(kRootSpec, Fields().subLayers,
             Value(std::vector<std::string>{RelativeTo(options_.output, topology)}));
  result.Set(kRootSpec, Fields().subLayerOffsets, Value(std::vector<LayerOffset>(1)));
  return result;
}

// The animated attributes with their defaults from the topology, which stand in for clips without
// samples (12.3.4.6).
LayerBuilder ClipStitcher::MakeManifest() const {
  LayerBuilder manifest = manifest_.Build();
  // Walks both trees together: looking up each attribute by path would cost more.
  std::vector<std::pair<SpecId, SpecId>> pending = {{kRootSpec, kRootSpec}};
  while (!pending.empty()) {
    const auto [spec, original] = pending.back();
    pending.pop_back();
    for (const auto* children :
         {&manifest.properties(spec), &manifest.variants(spec), &manifest.prims(spec)}) {
      for (const SpecId child : *children) {
        const SpecId from = topology_.Find(original, manifest.type(child), manifest.name(child));
        if (from != kNoSpec) pending.emplace_back(child, from);
      }
    }
    const Value* value = manifest.type(spec) == SpecType::kAttribute
                             ? topology_.Get(original, Fields().default_)
                             : nullptr;
    if (value) manifest.Set(spec, Fields().default_, *value);
  }
  return manifest;
}

absl::StatusOr<StitchedClips> ClipStitcher::Finish() {
  // Like UsdUtilsStitchClipsTemplate, template metadata is written without looking into the clips.
  if (!options_.clip_template && !has_prim_) {
    return InvalidArgumentError("no clip has a prim at the clip path ",
                                options_.clip_path.ToString());
  }
  SD_ASSIGN_OR_RETURN(const std::string topology, NameBeside(options_.output, "topology"));
  SD_ASSIGN_OR_RETURN(const std::string manifest, NameBeside(options_.output, "manifest"));
  StitchedClips stitched;
  stitched.result =
      MakeResult(topology, manifest).Build({.identifier = options_.output, .anonymous = true});
  LayerBuilder declared = MakeManifest();
  if (options_.output.ends_with(".usda")) {
    AdaptToText(&topology_);
    AdaptToText(&declared);
  }
  stitched.manifest = std::move(declared).Build({.identifier = manifest, .anonymous = true});
  stitched.topology = std::move(topology_).Build({.identifier = topology, .anonymous = true});
  return stitched;
}

absl::Status Check(const StitchClipsOptions& options) {
  if (!options.clip_path.IsAbsolute() || !options.clip_path.IsPrim()) {
    return InvalidArgumentError("the clip path must be the absolute path of a prim");
  }
  if (options.clips.empty()) return InvalidArgumentError("no clips given; name at least one");
  if (options.clip_template && (!options.start_time_code || !options.end_time_code)) {
    return InvalidArgumentError("template metadata needs a start and an end time code");
  }
  return NameBeside(options.output, "topology").status();
}

}  // namespace

absl::StatusOr<StitchedClips> StitchClips(RequestContext& context, const ClipOpener& open,
                                          const StitchClipsOptions& options) {
  SD_RETURN_IF_ERROR(Check(options));
  ClipStitcher stitcher(context, options);
  for (const std::string& clip : options.clips) {
    SD_RETURN_IF_ERROR(context.Check());
    SD_ASSIGN_OR_RETURN(const std::shared_ptr<const Layer> layer, open(clip));
    stitcher.Add(clip, *layer);
  }
  SD_RETURN_IF_ERROR(context.Check());
  return stitcher.Finish();
}

}  // namespace stagedoor
