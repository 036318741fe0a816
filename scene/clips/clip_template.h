// What the template of a clip set stands for: its clips, `active` and `times`.
#ifndef STAGEDOOR_SCENE_CLIPS_CLIP_TEMPLATE_H_
#define STAGEDOOR_SCENE_CLIPS_CLIP_TEMPLATE_H_

#include <functional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "base/request_context.h"
#include "scene/clips/clip_set_definition.h"
#include "scene/values/linear_types.h"

namespace stagedoor {

// The explicit form of a template, in the set's time.
struct DerivedClips {
  std::vector<std::string> assets;
  std::vector<Vec2d> active;
  std::vector<Vec2d> times;
};

// `exists` tells whether a file of the template is there; those that are not are left out.
// INVALID_ARGUMENT for malformed templates: a stride that is not positive, an offset beyond the
// stride, an end before the start, no or too many groups of hashes, more than kMaxTemplateClips
// files. Others: those of the context, which pays for each file that is looked for.
absl::StatusOr<DerivedClips> DeriveClips(RequestContext& context, const ClipTemplate& pattern,
                                         const std::function<bool(const std::string&)>& exists);

inline constexpr double kMaxTemplateClips = 10'000'000;

// `asset_path` without arguments of a file format (":SDF_FORMAT_ARGS:…").
std::string WithoutFormatArguments(const std::string& asset_path);

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_CLIPS_CLIP_TEMPLATE_H_
