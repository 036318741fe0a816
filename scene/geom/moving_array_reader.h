#ifndef STAGEDOOR_SCENE_GEOM_MOVING_ARRAY_READER_H_
#define STAGEDOOR_SCENE_GEOM_MOVING_ARRAY_READER_H_

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

#include "base/request_context.h"
#include "scene/geom/geom_tokens.h"
#include "scene/stage/prim.h"
#include "scene/stage/property.h"
#include "scene/value_resolution/time_code.h"
#include "scene/values/array.h"
#include "scene/values/vec.h"

namespace stagedoor {

// Reads arrays and their rates of change, such as positions and velocities. Shared by point
// instancers and point-based prims, for which OpenUSD has the same rules.

// The seconds from a sample to `time`, by the stage's timeCodesPerSecond. 0 for default time and
// without a valid rate: time codes have no duration in seconds then, so that nothing moves. OpenUSD
// computes positions that are not finite in this case.
double SecondsSince(const Prim& prim, double sample, TimeCode time);

// Reads the arrays of one prim around a base time. Not thread-safe. Borrows the context and the
// prim.
class MovingArrayReader {
 public:
  // Any number of elements, if an array and its rate of change have the same number.
  static constexpr size_t kAnyCount = SIZE_MAX;

  MovingArrayReader(RequestContext& context, const Prim& prim, TimeCode base, size_t count)
      : context_(context), prim_(prim), base_(base), count_(count) {}

  // An array is advanced only if it has the same samples around this time as its rate of change.
  double JustAfterBase() const {
    return base_.value() + 1e-9 * std::max(1.0, std::abs(base_.value()));
  }

  // Reads `name` (positions, orientations) and its rate of change at the sample at or before the
  // base time. Returns false and sets nothing unless both are sampled at the same times and have
  // `count` elements.
  template <typename T>
  bool ReadMoving(Token name, Token rate_name, Array<T>* values, Array<Vec3f>* rates,
                  double* sample_time) {
    if (base_.is_default()) return false;
    const Attribute attribute = prim_.GetAttribute(name);
    const Attribute rate = prim_.GetAttribute(rate_name);
    if (!attribute.valid() || !rate.valid()) return false;
    const AttributeSource source = attribute.Compile(context_);
    const AttributeSource rate_source = rate.Compile(context_);
    // Bracket a time just after the base time: if that is a sample time itself, the next sample
    // times must agree too.
    const auto around = source.Bracketing(context_, JustAfterBase());
    const auto rate_around = rate_source.Bracketing(context_, JustAfterBase());
    if (!around || !rate_around || *around != *rate_around) return false;
    const TimeCode at = TimeCode::At(around->first);
    const Value value = attribute.Get(context_, source, at);
    const Value rate_value = rate.Get(context_, rate_source, at);
    const auto* held = value.Get<Array<T>>();
    const auto* held_rate = rate_value.Get<Array<Vec3f>>();
    if (!held || !held_rate || held->size() != held_rate->size()) return false;
    if (count_ != kAnyCount && held->size() != count_) return false;
    *values = *held;
    *rates = *held_rate;
    *sample_time = around->first;
    moving_around_ = around;
    moving_count_ = held->size();
    return true;
  }

  // Reads accelerations if they are sampled like the last array that ReadMoving has read.
  void ReadAccelerations(Array<Vec3f>* accelerations) {
    const Attribute attribute = prim_.GetAttribute(Geom().accelerations);
    if (!attribute.valid()) return;
    const AttributeSource source = attribute.Compile(context_);
    const auto around = source.Bracketing(context_, JustAfterBase());
    if (!around || around != moving_around_) return;
    const Value value = attribute.Get(context_, source, TimeCode::At(around->first));
    const auto* held = value.Get<Array<Vec3f>>();
    if (held && held->size() == moving_count_) *accelerations = *held;
  }

  // Reads an array without a rate of change while another array has one: its own sample at or
  // before the base time, not interpolated.
  template <typename T>
  Array<T> ReadHeld(Token name) {
    const Attribute attribute = prim_.GetAttribute(name);
    if (!attribute.valid()) return Array<T>();
    const AttributeSource source = attribute.Compile(context_);
    const auto around =
        base_.is_default() ? std::nullopt : source.Bracketing(context_, base_.value());
    const Value value = around ? attribute.Get(context_, source, TimeCode::At(around->first))
                               : attribute.Get(context_, base_);
    const auto* held = value.Get<Array<T>>();
    return held ? *held : Array<T>();
  }

 private:
  RequestContext& context_;
  const Prim& prim_;
  const TimeCode base_;
  const size_t count_;
  // These describe the last array that ReadMoving has read.
  std::optional<std::pair<double, double>> moving_around_;
  size_t moving_count_ = 0;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_GEOM_MOVING_ARRAY_READER_H_
