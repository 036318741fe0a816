#include "server/frames/placement_steps.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <unordered_map>
#include <utility>

#include "base/pacer.h"
#include "base/status_macros.h"
#include "scene/values/matrix.h"

namespace stagedoor::server {
namespace {

// How many objects are looked up together, and the most matrices that are computed together.
constexpr size_t kObjectsOfBatch = 2048;
constexpr size_t kMatricesOfBatch = 4096;
constexpr int64_t kStepsPerVisibility = 16;

std::vector<double> TimesOf(const MotionSelection& selection) {
  std::vector<double> times;
  for (const MotionTime& at : selection.times) times.push_back(at.time);
  return times;
}

// Whether samples at these times would be sent as the same: the time of a single one is not.
bool AreSameTimes(const std::vector<double>& a, const std::vector<double>& b) {
  return a.size() == b.size() && (a.size() == 1 || a == b);
}

}  // namespace

absl::StatusOr<bool> VisibilityStep::Continue(FrameWriter& writer) {
  const FrameJob& job = objects_->job();
  RequestContext& context = writer.context();
  Pacer pacer(context);
  for (; next_ < indices_.size() && writer.HasRoom(); ++next_) {
    SD_RETURN_IF_ERROR(pacer.Step(kStepsPerVisibility));
    const uint32_t index = indices_[next_];
    const bool visible = objects_->IsVisible(context, index, job.frame());
    if (job.base && visible == objects_->IsVisible(context, index, job.base->frame)) continue;
    SD_RETURN_IF_ERROR(writer.AddVisibility(objects_->IdOf(index), visible));
  }
  SD_RETURN_IF_ERROR(context.Check());
  return next_ == indices_.size();
}

absl::StatusOr<bool> TransformStep::Continue(FrameWriter& writer) {
  while (writer.HasRoom()) {
    if (next_group_ == groups_.size()) {
      if (next_ == indices_.size()) return true;
      SD_RETURN_IF_ERROR(TakeBatch(writer.context()));
    }
    const Group& group = groups_[next_group_];
    SD_RETURN_IF_ERROR(AddObjects(group, writer));
    if (next_of_group_ < group.indices.size()) continue;
    next_of_group_ = 0;
    ++next_group_;
  }
  return next_group_ == groups_.size() && next_ == indices_.size();
}

absl::Status TransformStep::TakeBatch(RequestContext& context) {
  const FrameJob& job = objects_->job();
  const size_t count = std::min(kObjectsOfBatch, indices_.size() - next_);
  const auto batch = std::span(indices_).subspan(next_, count);
  SD_ASSIGN_OR_RETURN(const std::vector<Times> now, FindTimes(context, job.times(), batch));
  std::vector<Times> base(count);
  if (job.base) {
    SD_ASSIGN_OR_RETURN(base, FindTimes(context, *job.base, batch));
  }
  groups_.clear();
  next_group_ = 0;
  std::map<std::pair<const void*, const void*>, size_t> numbers;
  for (size_t i = 0; i < count; ++i) {
    const auto [at, fresh] = numbers.try_emplace({now[i].get(), base[i].get()}, groups_.size());
    if (fresh) groups_.push_back({now[i], base[i], {}});
    groups_[at->second].indices.push_back(batch[i]);
  }
  next_ += count;
  return context.Check();
}

absl::StatusOr<std::vector<TransformStep::Times>> TransformStep::FindTimes(
    RequestContext& context, const FrameTimes& frame, std::span<const uint32_t> batch) const {
  if (!frame.policy) {
    const auto single = std::make_shared<const std::vector<double>>(1, frame.frame.value());
    return std::vector<Times>(batch.size(), single);
  }
  const double time = frame.frame.value();
  const SamplePolicy& policy = *frame.policy;
  SD_ASSIGN_OR_RETURN(const XformMotion motion,
                      objects_->FindMotion(context, batch, policy.Begin(time), policy.End(time)));
  std::vector<Times> times;
  times.reserve(batch.size());
  // Lists of objects that move by themselves often have the same times.
  std::unordered_map<const MotionTimes*, Times> known;
  std::map<std::vector<double>, Times> distinct;
  for (const std::shared_ptr<const MotionTimes>& list : motion.times) {
    Times& selected = known[list.get()];
    if (selected == nullptr) {
      const MotionSelection selection =
          list == nullptr ? SteadySelection(policy, time) : list->Select(policy, time);
      Times& same = distinct[TimesOf(selection)];
      if (same == nullptr) {
        same = std::make_shared<const std::vector<double>>(TimesOf(selection));
      }
      selected = same;
    }
    times.push_back(selected);
  }
  return times;
}

absl::StatusOr<FrameXforms> TransformStep::Compute(RequestContext& context, TimeCode frame,
                                                   std::span<const double> times,
                                                   std::span<const uint32_t> indices) const {
  // Without a shutter, the time is that of the frame, whatever kind it is.
  std::vector<TimeCode> codes;
  for (const double time : times) codes.push_back(TimeCode::At(time));
  if (!objects_->job().times().policy) codes = {frame};
  return objects_->Compute(context, indices, codes);
}

absl::Status TransformStep::AddObjects(const Group& group, FrameWriter& writer) {
  const FrameJob& job = objects_->job();
  RequestContext& context = writer.context();
  const size_t samples = group.now->size();
  const size_t most = std::max<size_t>(kMatricesOfBatch / samples, 1);
  const size_t count = std::min(most, group.indices.size() - next_of_group_);
  const auto indices = std::span(group.indices).subspan(next_of_group_, count);
  SD_ASSIGN_OR_RETURN(const FrameXforms now, Compute(context, job.frame(), *group.now, indices));
  const bool compares = job.base && AreSameTimes(*group.now, *group.base);
  FrameXforms base;
  if (compares) {
    SD_ASSIGN_OR_RETURN(base, Compute(context, job.base->frame, *group.base, indices));
  }
  for (size_t i = 0; i < count; ++i) {
    const auto matrices = std::span(now.matrices).subspan(i * samples, samples);
    if (compares &&
        std::memcmp(matrices.data(), &base.matrices[i * samples], matrices.size_bytes()) == 0) {
      continue;
    }
    SD_RETURN_IF_ERROR(writer.AddTransform(objects_->IdOf(indices[i]), *group.now, matrices));
  }
  next_of_group_ += count;
  return context.Check();
}

}  // namespace stagedoor::server
