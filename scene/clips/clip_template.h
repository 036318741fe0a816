#ifndef STAGEDOOR_SCENE_CLIPS_CLIP_TEMPLATE_H_
#define STAGEDOOR_SCENE_CLIPS_CLIP_TEMPLATE_H_

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "base/request_context.h"
#include "scene/clips/clip_set_definition.h"
#include "scene/values/vec.h"

namespace stagedoor {

// Derives the explicit form of a clip set from its template (Core Specification 12.3.4.1.3 Template
// Metadata). Corresponds to _DeriveClipInfo in OpenUSD's clipSetDefinition.cpp.

// The explicit form of a template. Stage times in `active` and `times` are in the set's time.
struct DerivedClips {
  std::vector<std::string> assets;
  std::vector<Vec2d> active;
  std::vector<Vec2d> times;
};

using AnnounceFiles = std::function<void(std::span<const std::string>)>;

// Derives the clips of `pattern`. Files for which `exists` returns false are left out. `announce`,
// which may be null, is called before with the files that will be looked up, a few hundred at a
// time. INVALID_ARGUMENT if the template is malformed: a stride that is not positive, an active
// offset larger than the stride, an end before the start, a path without one group of hashes (or
// two adjacent ones), or more than kMaxTemplateClips files. Other errors: those of the context, to
// which each look-up of a file is charged.
absl::StatusOr<DerivedClips> DeriveClips(RequestContext& context, const ClipTemplate& pattern,
                                         const std::function<bool(const std::string&)>& exists,
                                         const AnnounceFiles& announce = nullptr);

inline constexpr double kMaxTemplateClips = 10'000'000;

// `asset_path` without its file format arguments (":SDF_FORMAT_ARGS:…").
std::string WithoutFormatArguments(const std::string& asset_path);

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_CLIPS_CLIP_TEMPLATE_H_
