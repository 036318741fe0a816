#include "scene/frame/frame_clips.h"

#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "base/fingerprinter.h"
#include "base/heap_costs.h"
#include "base/pacer.h"
#include "base/status_macros.h"
#include "scene/stage/prim.h"
#include "scene/stage/prim_range.h"

namespace stagedoor {
namespace {

// Collects the sets of clips of a stage. Prims share those of their ancestors.
class ClipSourceWalk {
 public:
  explicit ClipSourceWalk(RequestContext& context) : pacer_(context), reserved_(context) {}

  absl::Status Walk(const Prim& root) {
    const PrimRange range(root, PrimFlagsPredicate::Default());
    for (auto at = range.begin(); at != range.end(); ++at) {
      SD_RETURN_IF_ERROR(pacer_.Step());
      if (at->clips() == nullptr) continue;
      for (const auto& source : *at->clips()) {
        if (!known_.insert(source.get()).second) continue;
        SD_RETURN_IF_ERROR(reserved_.Grow(kNodeBytes + sizeof(source), "sets of clips"));
        found_.push_back(source.get());
      }
    }
    return absl::OkStatus();
  }

  std::vector<const ClipSource*> Take() { return std::move(found_); }

 private:
  Pacer pacer_;
  Reservation reserved_;
  std::unordered_set<const ClipSource*> known_;
  std::vector<const ClipSource*> found_;
};

// Which clips of a set there are in [first, last], as one text.
std::string VersionsOf(RequestContext& context, const ClipSource& source, double first,
                       double last) {
  Fingerprinter fingerprinter;
  source.VisitVersions(context, first, last,
                       [&](std::string_view text) { fingerprinter.Add(text); });
  return fingerprinter.FinishBytes();
}

}  // namespace

FrameClips& FrameClips::Of(const Stage& stage) {
  return stage.derived().Get<FrameClips>(stage.memory().pool());
}

absl::StatusOr<FrameClips::Words> FrameClips::VersionsAt(RequestContext& context,
                                                         const Stage& stage,
                                                         const FrameTimes& times,
                                                         Executor* executor) {
  SD_ASSIGN_OR_RETURN(const std::shared_ptr<const Sources> sources, FindSources(context, stage));
  if (sources->empty() || times.frame.is_default()) return Words{};
  const double frame = times.frame.value();
  const double first = times.policy ? times.policy->Begin(frame) : frame;
  const double last = times.policy ? times.policy->End(frame) : frame;
  std::vector<std::string> versions(sources->size());
  const auto read = [&](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) {
      versions[i] = VersionsOf(context, *(*sources)[i], first, last);
    }
  };
  if (executor == nullptr || versions.size() == 1) {
    read(0, versions.size());
  } else {
    ParallelFor(*executor, versions.size(), 1, read);
  }
  SD_RETURN_IF_ERROR(context.Check());
  Fingerprinter fingerprinter;
  for (const std::string& version : versions) fingerprinter.Add(version);
  return fingerprinter.FinishWords();
}

absl::StatusOr<std::shared_ptr<const FrameClips::Sources>> FrameClips::FindSources(
    RequestContext& context, const Stage& stage) {
  {
    const MutexLock lock(mu_);
    if (sources_ != nullptr) return sources_;
  }
  ClipSourceWalk walk(context);
  SD_RETURN_IF_ERROR(walk.Walk(stage.PseudoRoot()));
  for (const Prototype* prototype : stage.Prototypes()) {
    for (const Prim& child : stage.PrototypeChildren(*prototype, prototype->source_path)) {
      SD_RETURN_IF_ERROR(walk.Walk(child));
    }
  }
  SD_RETURN_IF_ERROR(context.Check());
  auto found = std::make_shared<const Sources>(walk.Take());
  const MutexLock lock(mu_);
  if (sources_ == nullptr) {
    reserved_.Add(found->capacity() * sizeof(const ClipSource*));
    sources_ = std::move(found);
  }
  return sources_;
}

}  // namespace stagedoor
