#include "scene/usdc/crate_spline.h"

#include <algorithm>

#include "scene/usdc/crate_cursor.h"
#include "scene/usdc/crate_format.h"
#include "scene/values/spline_evaluation.h"

namespace stagedoor {
namespace {

// The version of a spline's bytes: 2 adds tangent algorithms, 3 the timecode type and loop
// boundaries, 4 the duration type. The specification describes version 1.
constexpr int kNewestVersion = 4;

enum ValueCode { kUntyped, kDouble, kFloat, kHalf, kTimeCode, kDuration };

constexpr uint8_t kPreBoundary = 1;
constexpr uint8_t kPostBoundary = 2;

template <typename T>
bool ReadNumber(CrateCursor& in, double* out) {
  T number{};
  if (!in.Read(&number)) return false;
  *out = static_cast<double>(number);
  return true;
}

bool ReadTyped(CrateCursor& in, ValueType type, double* out) {
  switch (type) {
    case ValueType::kFloat:
      return ReadNumber<float>(in, out);
    case ValueType::kHalf:
      return ReadNumber<Half>(in, out);
    default:
      return ReadNumber<double>(in, out);
  }
}

bool DecodeTypes(uint8_t head, int version, Spline* spline) {
  spline->curve_type = head & 0x80 ? CurveType::kHermite : CurveType::kBezier;
  if (version < 3) {  // two bits for the type and one for time-valued splines
    static constexpr ValueType kTypes[] = {ValueType::kDouble, ValueType::kDouble,
                                           ValueType::kFloat, ValueType::kHalf};
    spline->time_valued = head & 0x40;
    spline->value_type = spline->time_valued ? ValueType::kDouble : kTypes[head >> 4 & 3];
    return true;
  }
  static constexpr ValueType kTypes[] = {ValueType::kDouble, ValueType::kDouble,
                                         ValueType::kFloat,  ValueType::kHalf,
                                         ValueType::kDouble, ValueType::kDuration};
  const unsigned code = head >> 4 & 7;
  if (code >= std::size(kTypes)) return false;
  spline->time_valued = code == kTimeCode || code == kDuration;
  spline->value_type = kTypes[code];
  return true;
}

bool DecodeExtrapolation(CrateCursor& in, int version, Spline* spline, bool* looping) {
  uint8_t modes = 0;
  uint8_t boundaries = 0;
  if (!in.Read(&modes) || (version >= 3 && !in.Read(&boundaries))) return false;
  constexpr unsigned kLast = static_cast<unsigned>(ExtrapolationMode::kLoopOscillate);
  if ((modes & 7u) > kLast || (modes >> 3 & 7u) > kLast) return false;
  spline->pre.mode = static_cast<ExtrapolationMode>(modes & 7);
  spline->post.mode = static_cast<ExtrapolationMode>(modes >> 3 & 7);
  *looping = modes & 0x40;
  double time = 0;
  if (boundaries & kPreBoundary) {
    if (!in.Read(&time)) return false;
    spline->pre.loop_boundary = time;
  }
  if (boundaries & kPostBoundary) {
    if (!in.Read(&time)) return false;
    spline->post.loop_boundary = time;
  }
  for (Extrapolation* side : {&spline->pre, &spline->post}) {
    if (side->mode == ExtrapolationMode::kSloped && !in.Read(&side->slope)) return false;
  }
  return true;
}

bool DecodeKnot(CrateCursor& in, int version, const Spline& spline, SplineKnot* knot) {
  const ValueType type = spline.value_type;
  uint8_t flags = 0;
  if (!in.Read(&flags) || !in.Read(&knot->time) || !ReadTyped(in, type, &knot->value)) return false;
  knot->dual_valued = flags & 1;
  knot->next = static_cast<KnotInterpolation>(flags >> 1 & 3);
  if (knot->dual_valued && !ReadTyped(in, type, &knot->pre_value)) return false;
  if (spline.curve_type != CurveType::kHermite &&
      (!in.Read(&knot->pre_tangent_width) || !in.Read(&knot->post_tangent_width))) {
    return false;
  }
  if (!ReadTyped(in, type, &knot->pre_tangent_slope) ||
      !ReadTyped(in, type, &knot->post_tangent_slope)) {
    return false;
  }
  if (version < 2) return true;
  uint8_t algorithms = 0;
  constexpr unsigned kLast = static_cast<unsigned>(TangentAlgorithm::kAutoEase);
  if (!in.Read(&algorithms) || (algorithms & 15u) > kLast || algorithms >> 4 > kLast) return false;
  knot->pre_tangent_algorithm = static_cast<TangentAlgorithm>(algorithms & 15);
  knot->post_tangent_algorithm = static_cast<TangentAlgorithm>(algorithms >> 4);
  return true;
}

void AppendTyped(std::string& out, ValueType type, double value) {
  switch (type) {
    case ValueType::kFloat:
      return AppendNumber(out, static_cast<float>(value));
    case ValueType::kHalf:
      return AppendNumber(out, Half(static_cast<float>(value)));
    default:
      return AppendNumber(out, value);
  }
}

int VersionOf(const Spline& spline) {
  if (spline.value_type == ValueType::kDuration) return 4;
  if (spline.time_valued || spline.pre.loop_boundary || spline.post.loop_boundary) return 3;
  const bool algorithms =
      std::any_of(spline.knots.begin(), spline.knots.end(), [](const SplineKnot& knot) {
        return knot.pre_tangent_algorithm != TangentAlgorithm::kNone ||
               knot.post_tangent_algorithm != TangentAlgorithm::kNone;
      });
  return algorithms ? 2 : 1;
}

unsigned ValueCodeOf(const Spline& spline) {
  switch (spline.value_type) {
    case ValueType::kDuration:
      return kDuration;
    case ValueType::kFloat:
      return kFloat;
    case ValueType::kHalf:
      return kHalf;
    default:
      return spline.time_valued ? kTimeCode : kDouble;
  }
}

void AppendKnot(std::string& out, const Spline& spline, int version, const SplineKnot& knot) {
  const ValueType type = spline.value_type;
  const bool hermite = spline.curve_type == CurveType::kHermite;
  AppendNumber(out, static_cast<uint8_t>(knot.dual_valued | static_cast<unsigned>(knot.next) << 1));
  AppendNumber(out, knot.time);
  AppendTyped(out, type, knot.value);
  if (knot.dual_valued) AppendTyped(out, type, knot.pre_value);
  if (!hermite) {
    AppendNumber(out, knot.pre_tangent_width);
    AppendNumber(out, knot.post_tangent_width);
  }
  AppendTyped(out, type, knot.pre_tangent_slope);
  AppendTyped(out, type, knot.post_tangent_slope);
  if (version < 2) return;
  AppendNumber(out, static_cast<uint8_t>(static_cast<unsigned>(knot.pre_tangent_algorithm) |
                                         static_cast<unsigned>(knot.post_tangent_algorithm) << 4));
}

}  // namespace

bool DecodeCrateSpline(std::span<const std::byte> blob, Spline* spline) {
  if (blob.empty()) return true;
  CrateCursor in(blob, 0);
  uint8_t head = 0;
  in.Read(&head);
  const int version = head & 15;
  bool looping = false;
  if (version < 1 || version > kNewestVersion || !DecodeTypes(head, version, spline) ||
      !DecodeExtrapolation(in, version, spline, &looping)) {
    return false;
  }
  if (looping) {
    SplineLoopParams& loop = spline->loop.emplace();
    if (!in.Read(&loop.proto_start) || !in.Read(&loop.proto_end) || !in.Read(&loop.pre_loops) ||
        !in.Read(&loop.post_loops) || !in.Read(&loop.value_offset)) {
      return false;
    }
  }
  uint32_t count = 0;
  if (in.remaining() == 0) return true;  // an untyped spline has no knots
  if (!in.Read(&count) || count > in.remaining() / 13) return false;
  spline->knots.resize(count);
  for (uint32_t i = 0; i < count; ++i) {
    SplineKnot& knot = spline->knots[i];
    if (!DecodeKnot(in, version, *spline, &knot)) return false;
    if (!(knot.time == knot.time) || (i > 0 && !(spline->knots[i - 1].time < knot.time))) {
      return false;
    }
  }
  UpdateTangents(spline);
  AdjustRegressiveTangents(spline);
  return true;
}

std::string EncodeCrateSpline(const Spline& spline, CrateVersion* version) {
  const int format = VersionOf(spline);
  static constexpr uint8_t kCrateMinor[] = {0, 12, 13, 15, 16};
  *version = std::max(*version, CrateVersion{0, kCrateMinor[format], 0});
  std::string out;
  AppendNumber(out, static_cast<uint8_t>(format | ValueCodeOf(spline) << 4 |
                                         (spline.curve_type == CurveType::kHermite ? 0x80 : 0)));
  AppendNumber(out, static_cast<uint8_t>(static_cast<unsigned>(spline.pre.mode) |
                                         static_cast<unsigned>(spline.post.mode) << 3 |
                                         (spline.loop ? 0x40 : 0)));
  if (format >= 3) {
    AppendNumber(out, static_cast<uint8_t>((spline.pre.loop_boundary ? kPreBoundary : 0) |
                                           (spline.post.loop_boundary ? kPostBoundary : 0)));
    if (spline.pre.loop_boundary) AppendNumber(out, *spline.pre.loop_boundary);
    if (spline.post.loop_boundary) AppendNumber(out, *spline.post.loop_boundary);
  }
  for (const Extrapolation* side : {&spline.pre, &spline.post}) {
    if (side->mode == ExtrapolationMode::kSloped) AppendNumber(out, side->slope);
  }
  if (spline.loop) {
    AppendNumber(out, spline.loop->proto_start);
    AppendNumber(out, spline.loop->proto_end);
    AppendNumber(out, spline.loop->pre_loops);
    AppendNumber(out, spline.loop->post_loops);
    AppendNumber(out, spline.loop->value_offset);
  }
  AppendNumber(out, static_cast<uint32_t>(spline.knots.size()));
  for (const SplineKnot& knot : spline.knots) AppendKnot(out, spline, format, knot);
  return out;
}

}  // namespace stagedoor
