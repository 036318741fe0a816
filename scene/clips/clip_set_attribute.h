// ClipSetAttribute: the attribute of a ClipSet; see clip_attribute.h.
//
// How OpenUSD resolves clips: every clip has samples at its own start and at the knots of the
// timing curve, besides those of its file that its active time lets through; a value between two
// such samples interpolates, across the boundary of clips too. A clip without samples of the
// attribute answers with the manifest's default or a block, unless the set interpolates missing
// values: then it has no samples and its neighbours' count.
#ifndef STAGEDOOR_SCENE_CLIPS_CLIP_SET_ATTRIBUTE_H_
#define STAGEDOOR_SCENE_CLIPS_CLIP_SET_ATTRIBUTE_H_

#include <atomic>
#include <cstdint>

#include "base/mutex.h"
#include "scene/clips/clip_attribute.h"
#include "scene/clips/clip_set.h"
#include "scene/values/time_samples.h"

namespace stagedoor {

class TimeList;

class ClipSetAttribute final : public ClipAttribute {
 public:
  // `spec` is the attribute's in the manifest, which the set keeps.
  ClipSetAttribute(const ClipSet& set, Path path, const Layer& manifest, SpecId spec);

  const LayerOffset& offset() const override { return set_.definition().offset; }
  bool has_spline() const override { return spline_; }
  Array<double> SampleTimes(RequestContext& context) const override;
  std::vector<double> SampleTimesIn(RequestContext& context, double first,
                                    double last) const override;
  std::optional<std::pair<double, double>> Bracketing(RequestContext& context,
                                                      double time) const override;
  bool MightBeTimeVarying(RequestContext& context) const override;
  Value ValueAt(RequestContext& context, double time, bool pre, bool linear) const override;
  std::pair<std::shared_ptr<const Layer>, Path> SpecAt(RequestContext& context, double time,
                                                       bool pre) const override;
  Value WholeSpline(RequestContext& context) const override;
  std::shared_ptr<const Layer> LayerAt(RequestContext& context, double time) const override;
  std::vector<std::string> ExplainAt(RequestContext& context, double time) const override;

 private:
  using Times = std::pair<double, double>;

  // The samples of a clip that stay pinned as long as this lives; null for none.
  struct Held {
    ClipSet::Pin pin;
    const TimeSamples* samples = nullptr;
    explicit operator bool() const { return samples != nullptr; }
  };
  Held Samples(RequestContext& context, size_t entry) const;

  // The manifest says that the clip has nothing.
  bool DeclaredMissing(size_t entry) const;
  bool Contributes(RequestContext& context, size_t entry) const;
  // The clip has samples, or the manifest a default in their place.
  bool HasValue(RequestContext& context, size_t entry) const;
  // Bracketing, where there are no splines.
  Times SamplesAround(RequestContext& context, double time) const;
  std::optional<Times> BracketingIn(RequestContext& context, size_t entry, double time) const;
  // Samples of the clip file at or around a stage time, as stage times; up to two.
  size_t FileSamplesAround(RequestContext& context, const TimeSamples& samples, double time,
                           double* out) const;
  // The last sample before `time`.
  std::optional<double> PreviousSample(RequestContext& context, double time) const;
  void ListClip(RequestContext& context, size_t entry, TimeList* times) const;
  void ListFile(RequestContext& context, const TimeSamples& samples, size_t entry,
                TimeList* times) const;
  std::vector<double> ListAll(RequestContext& context) const;

  // What the active clip says at a time, without looking at other clips.
  Value Query(RequestContext& context, double time, bool pre, bool linear) const;
  Value QuerySamples(const TimeSamples& samples, double time, bool pre, bool linear) const;
  // Time codes of the clip as the stage means them.
  Value Retimed(Value value, double time, bool pre) const;
  Value Missing() const;
  // Where OpenUSD looks for the stack (and, twice as far, the left side of samples): it takes stage
  // time for the set's, or maps it the wrong way.
  double Misplaced(double time) const { return set_.definition().offset.Apply(time); }
  // The short ways, taken where they lead to the value that the long one has: the time is that of a
  // sample of the file, or between two with nothing else in between. False elsewhere.
  bool ValueFromFile(RequestContext& context, double time, bool pre, bool linear,
                     Value* value) const;
  bool ValueBetweenFileSamples(const TimeSamples& samples, size_t entry, double time,
                               Value* value) const;
  Value ValueBetween(RequestContext& context, Times around, double time, bool linear) const;
  Value ValueBefore(RequestContext& context, double sample, double time, bool linear) const;

  // The spline of a clip; empty where it has none.
  Value ClipSpline(RequestContext& context, size_t entry) const;
  // One that tells their type.
  Value AnySpline(RequestContext& context) const;
  Value SplineValueAt(RequestContext& context, double time, bool pre) const;
  // Empty where the clip has no spline.
  Value QuerySpline(RequestContext& context, size_t entry, double time, bool pre) const;
  bool HasSpline(RequestContext& context, size_t entry) const;
  // Whether clips without a spline are bridged between their neighbours.
  bool BridgesSplines() const;
  Value InterpolateMissingSpline(RequestContext& context, size_t entry, double time) const;

  const ClipSet& set_;
  const Path path_;                     // in the clips
  const uint32_t ordinal_;              // in the views
  bool spline_ = false;                 // the manifest has a spline for it, so only splines count
  Value default_;                       // of the manifest
  RefPtr<const TimeSamples> declared_;  // the manifest's samples, of which blocks count
  std::vector<double> spline_blocks_;   // times at which the manifest's spline says the same

  mutable Mutex mu_;
  mutable std::atomic<bool> listed_{false};
  mutable Array<double> times_;  // written once under mu_, before listed_
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_CLIPS_CLIP_SET_ATTRIBUTE_H_
