#include "server/frames/sampled_values.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include "base/status.h"
#include "base/status_macros.h"
#include "scene/geom/motion_times.h"
#include "server/converters/packed_values.h"
#include "server/converters/reply_budget.h"
#include "server/converters/value_converter.h"
#include "server/queries/motion_samples.h"

namespace stagedoor::server {
namespace {

// The most times whose poses are kept, and the most transforms that are kept at one of them.
constexpr size_t kMostPoseTimes = 64;
constexpr size_t kMostTransformsAtTime = size_t{1} << 18;

// Values that are larger, and not arrays of numbers, are not compared.
constexpr size_t kMostComparedBytes = size_t{1} << 20;

constexpr int64_t kStepsPerSample = 16;

bool AreSameBytes(ValueType type, const ArrayBase& a, const ArrayBase& b) {
  return a.size() == b.size() &&
         (a.raw_data() == b.raw_data() || a.empty() ||
          std::memcmp(a.raw_data(), b.raw_data(), a.size() * PackingOf(type).bytes) == 0);
}

// Numbers that compare equal, such as 0 and -0, may be different bytes.
bool AreSameValues(RequestContext& context, const Value& a, const Value& b) {
  if (a.type() != b.type() || a.is_array() != b.is_array()) return false;
  if (IsPackedArray(a)) return AreSameBytes(a.type(), *a.array(), *b.array());
  ReplyBudget budget(context, kMostComparedBytes, "");
  v1::Value sent_a, sent_b;
  FillValue(a, budget, &sent_a);
  FillValue(b, budget, &sent_b);
  const bool same = budget.ok() && sent_a.SerializeAsString() == sent_b.SerializeAsString();
  budget.StartMessage();  // releases its memory
  return same;
}

bool AreSameIndices(const FrameSample& a, const FrameSample& b) {
  if (a.indices.has_value() != b.indices.has_value()) return false;
  return !a.indices || AreSameBytes(ValueType::kInt, *a.indices, *b.indices);
}

}  // namespace

bool AreSameSamples(RequestContext& context, const SampledValue& a, const SampledValue& b) {
  if (!a.error.ok() || !b.error.ok() || a.samples.size() != b.samples.size()) return false;
  if (a.samples.size() > 1 && a.times != b.times) return false;
  for (size_t i = 0; i < a.samples.size(); ++i) {
    if (!AreSameIndices(a.samples[i], b.samples[i])) return false;
    if (!AreSameValues(context, a.samples[i].value, b.samples[i].value)) return false;
  }
  return true;
}

bool SampledValue::HasValue() const {
  return std::any_of(samples.begin(), samples.end(),
                     [](const FrameSample& sample) { return !sample.value.empty(); });
}

size_t SampledValue::computed_bytes() const {
  size_t bytes = 0;
  for (const FrameSample& sample : samples) bytes += sample.reserved.bytes();
  return bytes;
}

absl::StatusOr<SampledValue> ValueSampler::Sample(const FrameGeometry& geometry,
                                                  const FrameAttribute& attribute) {
  SampledValue sampled{.name = attribute.name, .layout = FrameLayoutOf(context_, attribute)};
  SD_ASSIGN_OR_RETURN(const std::vector<TimeCode> times, FindTimes(geometry, attribute));
  for (const TimeCode time : times) {
    SD_RETURN_IF_ERROR(context_.Spend(kStepsPerSample));
    auto sample =
        FrameValueAt(context_, geometry, attribute, times_.frame, PosesAt(time), skinned_);
    SD_RETURN_IF_ERROR(context_.Check());
    if (!sample.ok()) {
      sampled.error = sample.status();
    } else if (sample->value.is_invalid()) {
      sampled.error = DataLossError(Quoted(attribute.query.attribute().path().ToString()), ": ",
                                    sample->value.invalid_reason());
    }
    if (!sampled.error.ok()) {
      sampled.samples.clear();
      return sampled;
    }
    sampled.times.push_back(time.value());
    sampled.samples.push_back(*std::move(sample));
  }
  return sampled;
}

absl::StatusOr<std::vector<TimeCode>> ValueSampler::FindTimes(const FrameGeometry& geometry,
                                                              const FrameAttribute& attribute) {
  if (!times_.policy) return std::vector{times_.frame};
  const SamplePolicy& policy = *times_.policy;
  const double frame = times_.frame.value();
  if (!attribute.varies) return std::vector{TimeCode::At(policy.Nearest(frame))};
  MotionTimes motion(policy.Begin(frame), policy.End(frame));
  SD_RETURN_IF_ERROR(AddFrameMotion(context_, geometry, attribute, frame, &motion));
  return TimeCodesOf(motion.Select(policy, frame));
}

PoseCache& ValueSampler::PosesAt(TimeCode time) {
  if (poses_.size() > kMostPoseTimes) poses_.clear();
  PoseCache& poses = poses_.try_emplace(KeyOf(time), time).first->second;
  if (poses.xforms().size() > kMostTransformsAtTime) poses = PoseCache(time);
  return poses;
}

}  // namespace stagedoor::server
