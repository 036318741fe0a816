#ifndef STAGEDOOR_SCENE_CLIPS_CLIP_SET_ATTRIBUTE_H_
#define STAGEDOOR_SCENE_CLIPS_CLIP_SET_ATTRIBUTE_H_

#include <atomic>
#include <cstdint>

#include "base/mutex.h"
#include "scene/clips/clip_attribute.h"
#include "scene/clips/clip_set.h"
#include "scene/values/layer_offset.h"
#include "scene/values/time_samples.h"

namespace stagedoor {

class TimeList;

// An attribute of a ClipSet; see clip_attribute.h.
//
// Follows OpenUSD's Usd_ClipSet and Usd_Clip. Each clip has samples at its own start and at the
// knots of the timing curve, besides those samples of its file that its active range lets through.
// Between two such samples values interpolate, also across the boundary between clips. A clip
// without samples of the attribute answers with the manifest's default or a block (Core
// Specification 12.3.4.6 Missing Values in Clip Set), unless the set interpolates missing values
// (12.3.4.7): then the clip has no samples and its neighbors' are used.
//
// Implemented in three files: values in clip_set_attribute.cc, sample times in
// clip_set_attribute_times.cc, splines in clip_set_attribute_spline.cc.
class ClipSetAttribute final : public ClipAttribute {
 public:
  // `path` is the attribute's path in the clips, `spec` its spec in `manifest`, which the set
  // keeps.
  ClipSetAttribute(const ClipSet& set, Path path, const Layer& manifest, SpecId spec);

  const LayerOffset& offset() const override { return set_.definition().offset; }
  bool has_spline() const override { return spline_; }
  bool composes() const override { return composes_; }
  bool MayHaveReadEdits() const override;
  bool MayHoldEdits(RequestContext& context, double first, double last) const override;
  Array<double> SampleTimes(RequestContext& context) const override;
  std::vector<double> SampleTimesIn(RequestContext& context, double first,
                                    double last) const override;
  std::optional<std::pair<double, double>> Bracketing(RequestContext& context,
                                                      double time) const override;
  bool MightBeTimeVarying(RequestContext& context) const override;
  Value ValueAt(RequestContext& context, ClipTime time, bool pre, bool linear) const override;
  std::pair<std::shared_ptr<const Layer>, Path> SpecAt(RequestContext& context, double time,
                                                       bool pre) const override;
  Value WholeSpline(RequestContext& context) const override;
  std::shared_ptr<const Layer> LayerAt(RequestContext& context, double time) const override;
  std::vector<std::string> ExplainAt(RequestContext& context, double time) const override;

 private:
  using Times = std::pair<double, double>;

  // The samples of a clip, pinned during the lifetime of this object; null if there are none.
  struct Held {
    ClipSet::Pin pin;
    const TimeSamples* samples = nullptr;
    explicit operator bool() const { return samples != nullptr; }
  };
  Held Samples(RequestContext& context, size_t entry) const;
  // Takes note of whether samples that are read may hold edits.
  void NoteEdits(const TimeSamples* samples) const {
    if (composes_ && samples && samples->MayHoldEdits()) {
      reads_edits_.store(true, std::memory_order_relaxed);
    }
  }

  // Whether the manifest declares, by a block at the start of the clip, that the clip has no
  // samples.
  bool DeclaredMissing(size_t entry) const;
  // Whether the clip has sample times. Corresponds to Usd_ClipSet::_ClipContributesValue.
  bool Contributes(RequestContext& context, size_t entry) const;
  // Whether the clip has samples, or the manifest a default in their place.
  bool HasValue(RequestContext& context, size_t entry) const;
  // The clip that has the sample before `time`, which may be held from an earlier clip, or (`next`)
  // the one after it if values interpolate towards that.
  size_t SampleEntry(RequestContext& context, double time, bool next) const;
  // Bracketing() for attributes without splines.
  Times SamplesAround(RequestContext& context, double time) const;
  // The sample times of one clip around `time`; none if it has none in its active range.
  // Corresponds to Usd_Clip::GetBracketingTimeSamplesForPath.
  std::optional<Times> BracketingIn(RequestContext& context, size_t entry, double time) const;
  // Writes the samples of the clip's file at or around `time`, mapped from clip time to the set's
  // time, to `out`; returns their number, at most two. Corresponds to
  // Usd_Clip::_GetBracketingTimeSamplesForPathFromClipLayer.
  size_t FileSamplesAround(RequestContext& context, const TimeSamples& samples, double time,
                           double* out) const;
  // The time of the last sample before `time`.
  std::optional<double> PreviousSample(RequestContext& context, double time) const;
  // Adds the sample times of one clip. Corresponds to Usd_Clip::ListTimeSamplesForPath.
  void ListClip(RequestContext& context, size_t entry, TimeList* times) const;
  // Adds those of the clip's file that the curve reaches in the active range.
  void ListFile(RequestContext& context, const TimeSamples& samples, size_t entry,
                TimeList* times) const;
  std::vector<double> ListAll(RequestContext& context) const;

  // The value of the active clip at `time`, without regard to other clips. Corresponds to
  // Usd_Clip::QueryTimeSample.
  Value Query(RequestContext& context, double time, bool pre, bool linear) const;
  Value QuerySamples(const TimeSamples& samples, double time, bool pre, bool linear) const;
  // `value` with time codes mapped from clip time to the set's time; other types unchanged.
  Value Retimed(Value value, double time, bool pre) const;
  // The value of a clip without samples: the manifest's default, or a block (12.3.4.6).
  Value Missing() const;
  // The time at which OpenUSD looks up the property stack (and, applied twice, the left side of
  // samples): it uses stage time as if it were the set's time, or applies the offset where its
  // inverse would be right.
  double Misplaced(double time) const { return set_.definition().offset.Apply(time); }
  // Shortcuts that give the same value as the general way: `time` is that of a sample of the file,
  // or between two of them with no other sample in between. False if neither is the case.
  bool ValueFromFile(RequestContext& context, ClipTime time, bool pre, bool linear,
                     Value* value) const;
  // The sample of the file before `time`, and the times of it and of the next one. None if there is
  // another sample in between, or none of the file on one side.
  std::optional<std::pair<size_t, Times>> BetweenFileSamples(const TimeSamples& samples,
                                                             size_t entry, double time) const;
  Value ValueBetween(RequestContext& context, Times around, ClipTime time, bool linear) const;
  Value ValueBefore(RequestContext& context, double sample, ClipTime time, bool linear) const;
  // The fraction of the way between two times of the set, in stage time.
  double Fraction(Times around, ClipTime time) const;

  // The spline of a clip; empty if it has none.
  Value ClipSpline(RequestContext& context, size_t entry) const;
  // A spline from which the value type can be read: a clip's, else the manifest's.
  Value AnySpline(RequestContext& context) const;
  Value SplineValueAt(RequestContext& context, double time, bool pre) const;
  // The value of the clip's spline; empty if the clip has no spline, a block if the spline has no
  // value at `time`.
  Value QuerySpline(RequestContext& context, size_t entry, double time, bool pre) const;
  bool HasSpline(RequestContext& context, size_t entry) const;
  // Whether a clip without a spline is bridged from the clip before to the clip after (12.3.4.7).
  bool BridgesSplines() const;
  Value InterpolateMissingSpline(RequestContext& context, size_t entry, double time) const;

  const ClipSet& set_;
  const Path path_;                     // of the attribute in the clips
  const uint32_t ordinal_;              // of the attribute in each ClipView
  bool spline_ = false;                 // the manifest declares a spline: only splines count
  bool composes_ = false;               // an array or a path expression
  bool expression_ = false;             // a path expression
  bool interpolates_ = false;           // linearly
  Value default_;                       // from the manifest
  RefPtr<const TimeSamples> declared_;  // the manifest's samples; only blocks count
  std::vector<double> spline_blocks_;   // times of blocked knots in the manifest's spline

  mutable Mutex mu_;
  mutable std::atomic<bool> listed_{false};
  mutable std::atomic<bool> reads_edits_{false};  // a clip whose samples were read may hold edits
  mutable Array<double> times_;                   // written once under mu_, before listed_
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_CLIPS_CLIP_SET_ATTRIBUTE_H_
