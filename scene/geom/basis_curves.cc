#include "scene/geom/basis_curves.h"

#include <string_view>

#include "base/pacer.h"
#include "scene/geom/attribute_values.h"
#include "scene/geom/geom_tokens.h"
#include "scene/values/array.h"

namespace stagedoor {
namespace {

// The segments of a curve with n vertices: (n + offset) / step + more, rounded towards zero.
struct SegmentRule {
  int offset = 0;
  int step = 1;
  int more = 0;
};

enum class Wrap { kNonperiodic, kPeriodic, kPinned };

std::optional<Wrap> ReadWrap(RequestContext& context, const Prim& curves) {
  const auto wrap = AttributeValueAs<Token>(context, curves, Geom().wrap, TimeCode::Default());
  if (wrap == Geom().nonperiodic) return Wrap::kNonperiodic;
  if (wrap == Geom().periodic) return Wrap::kPeriodic;
  if (wrap == Geom().pinned) return Wrap::kPinned;
  return std::nullopt;
}

std::optional<SegmentRule> ReadRule(RequestContext& context, const Prim& curves) {
  const GeomTokens& t = Geom();
  const auto type = AttributeValueAs<Token>(context, curves, t.type, TimeCode::Default());
  const std::optional<Wrap> wrap = ReadWrap(context, curves);
  if (!wrap) return std::nullopt;
  if (type == t.linear) return SegmentRule{.offset = wrap == Wrap::kPeriodic ? 0 : -1};
  if (type != t.cubic) return std::nullopt;
  const auto basis = AttributeValueAs<Token>(context, curves, t.basis, TimeCode::Default());
  if (basis == t.bezier) {
    if (wrap == Wrap::kPeriodic) return SegmentRule{.step = 3};
    return SegmentRule{.offset = -4, .step = 3, .more = 1};
  }
  if (basis != t.bspline && basis != t.catmullRom) return std::nullopt;
  if (wrap == Wrap::kPeriodic) return SegmentRule{};
  return SegmentRule{.offset = wrap == Wrap::kPinned ? -1 : -3};
}

// The varying values of a curve with n vertices: (n + offset) / step + more, in unsigned numbers.
struct VaryingRule {
  uint64_t offset = 0;
  uint64_t step = 1;
  uint64_t more = 0;

  uint64_t operator()(uint64_t vertices) const { return (vertices + offset) / step + more; }
};

// Empty for an unknown basis, which has no rule.
std::optional<VaryingRule> ReadVaryingRule(RequestContext& context, const Prim& curves, bool linear,
                                           TimeCode time) {
  const GeomTokens& t = Geom();
  const auto wrap = AttributeValueAs<Token>(context, curves, t.wrap, time);
  const bool open = wrap == t.nonperiodic || wrap == t.pinned;
  if (linear) return VaryingRule{.more = open ? 0u : 1u};
  const auto basis = AttributeValueAs<Token>(context, curves, t.basis, time);
  if (basis != t.bezier && basis != t.bspline && basis != t.catmullRom) return std::nullopt;
  const uint64_t step = basis == t.bezier ? 3 : 1;
  if (!open) return VaryingRule{.step = step};
  return VaryingRule{.offset = uint64_t{0} - 4, .step = step, .more = 2};
}

// The sum over all curves; empty if there are curves that no rule applies to.
std::optional<uint64_t> SumOfVarying(RequestContext& context, const Prim& curves,
                                     const Array<int>& vertices, TimeCode time) {
  const auto type = AttributeValueAs<Token>(context, curves, Geom().type, time);
  if (vertices.empty() || (type != Geom().linear && type != Geom().cubic)) return 0;
  const auto rule = ReadVaryingRule(context, curves, type == Geom().linear, time);
  if (!rule) return std::nullopt;
  uint64_t sum = 0;
  Pacer pacer(context);
  for (const int count : vertices) {
    if (!pacer.Go()) break;
    sum += (*rule)(static_cast<uint64_t>(int64_t{count}));
  }
  return sum;
}

}  // namespace

std::vector<int> ComputeSegmentCounts(RequestContext& context, const Prim& curves, TimeCode time,
                                      Reservation* reserved) {
  std::vector<int> segments;
  const std::optional<SegmentRule> rule = ReadRule(context, curves);
  const auto vertices =
      AttributeValueAs<Array<int>>(context, curves, Geom().curveVertexCounts, time);
  if (!rule || !vertices) return segments;
  const size_t bytes = vertices->size() * sizeof(int);
  if (!reserved->Grow(bytes, "segments of curves").ok()) return segments;
  segments.reserve(vertices->size());
  Pacer pacer(context);
  for (const int count : *vertices) {
    if (!pacer.Go()) break;
    const int64_t shifted = int64_t{count} + rule->offset;
    segments.push_back(static_cast<int>(shifted / rule->step + rule->more));
  }
  return segments;
}

CurveDataSizes ComputeCurveDataSizes(RequestContext& context, const Prim& curves, TimeCode time) {
  const auto vertices = AttributeArray<int>(context, curves, Geom().curveVertexCounts, time);
  CurveDataSizes sizes{.uniform = vertices.size(),
                       .varying = SumOfVarying(context, curves, vertices, time)};
  Pacer pacer(context);
  for (const int count : vertices) {
    if (!pacer.Go()) break;
    sizes.vertex += static_cast<uint64_t>(int64_t{count});
  }
  return sizes;
}

Token ComputeInterpolationForSize(const CurveDataSizes& sizes, uint64_t count) {
  if (count == 1) return Geom().constant;
  if (count == sizes.uniform) return Geom().uniform;
  if (count == sizes.varying) return Geom().varying;
  if (count == sizes.vertex) return Geom().vertex;
  return Token();
}

}  // namespace stagedoor
