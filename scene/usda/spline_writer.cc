// Implements WriteSpline of metadata_writer.h (Core Specification, 16.2.13 Splines).
#include "scene/usda/metadata_writer.h"

namespace stagedoor::usda {
namespace {

const char* WordOf(ExtrapolationMode mode) {
  switch (mode) {
    case ExtrapolationMode::kValueBlock:
      return "none";
    case ExtrapolationMode::kHeld:
      return "held";
    case ExtrapolationMode::kLinear:
      return "linear";
    case ExtrapolationMode::kSloped:
      return "sloped";
    case ExtrapolationMode::kLoopRepeat:
      return "loop repeat";
    case ExtrapolationMode::kLoopReset:
      return "loop reset";
    case ExtrapolationMode::kLoopOscillate:
      break;
  }
  return "loop oscillate";
}

const char* WordOf(KnotInterpolation next) {
  switch (next) {
    case KnotInterpolation::kValueBlock:
      return "none";
    case KnotInterpolation::kHeld:
      return "held";
    case KnotInterpolation::kLinear:
      return "linear";
    case KnotInterpolation::kCurve:
      break;
  }
  return "curve";
}

class SplineWriter {
 public:
  SplineWriter(const Spline& spline, int indent, TextSink* out)
      : spline_(spline), indent_(indent), out_(*out) {}

  void Write() {
    bool curves = false;
    for (const SplineKnot& knot : spline_.knots) curves |= knot.next == KnotInterpolation::kCurve;
    if (curves || spline_.curve_type == CurveType::kHermite) {
      out_.Indent(indent_).Put(spline_.curve_type == CurveType::kHermite ? "hermite,\n"
                                                                         : "bezier,\n");
    }
    WriteEnd("pre", spline_.pre);
    WriteEnd("post", spline_.post);
    if (spline_.loop) WriteLoop(*spline_.loop);
    for (const SplineKnot& knot : spline_.knots) WriteKnot(knot);
  }

 private:
  void WriteEnd(const char* which, const Extrapolation& end) {
    if (end == Extrapolation()) return;
    out_.Indent(indent_).Put(which, ": ", WordOf(end.mode));
    if (end.mode == ExtrapolationMode::kSloped) out_.Put("(").Number(end.slope).Put(")");
    if (end.loop_boundary) {
      out_.Require(3);
      out_.Put("(").Number(*end.loop_boundary).Put(")");
    }
    out_.Put(",\n");
  }
  void WriteLoop(const SplineLoopParams& loop) {
    out_.Indent(indent_).Put("loop: (").Number(loop.proto_start).Put(", ").Number(loop.proto_end);
    out_.Put(", ").Number(loop.pre_loops).Put(", ").Number(loop.post_loops);
    out_.Put(", ").Number(loop.value_offset).Put("),\n");
  }
  // Writes a number in the precision of the spline's value type.
  void WriteValue(double value) {
    if (spline_.value_type == ValueType::kFloat) {
      AppendFloat(static_cast<float>(value), &out_.text());
    } else if (spline_.value_type == ValueType::kHalf) {
      out_.ValueText(Value(Half(static_cast<float>(value))));
    } else {
      out_.Number(value);
    }
  }
  void WriteTangent(const char* label, double width, double slope, TangentAlgorithm algorithm) {
    out_.Put("; ", label, " (");
    // Hermite tangents have a width only if a file states one; it is written to preserve it.
    if (spline_.curve_type == CurveType::kBezier || width != 0) out_.Number(width).Put(", ");
    WriteValue(slope);
    if (algorithm != TangentAlgorithm::kNone) {
      out_.Require(1);
      out_.Put(algorithm == TangentAlgorithm::kCustom ? ", custom" : ", autoEase");
    }
    out_.Put(")");
  }
  void WriteKnot(const SplineKnot& knot) {
    out_.Indent(indent_).Number(knot.time).Put(": ");
    if (knot.dual_valued) {
      WriteValue(knot.pre_value);
      out_.Put(" & ");
    }
    WriteValue(knot.value);
    const bool pre = knot.pre_tangent_width != 0 || knot.pre_tangent_slope != 0 ||
                     knot.pre_tangent_algorithm != TangentAlgorithm::kNone;
    if (pre) {
      WriteTangent("pre", knot.pre_tangent_width, knot.pre_tangent_slope,
                   knot.pre_tangent_algorithm);
    }
    const bool post = knot.post_tangent_width != 0 || knot.post_tangent_slope != 0 ||
                      knot.post_tangent_algorithm != TangentAlgorithm::kNone;
    const std::string label = std::string("post ") + WordOf(knot.next);
    if (post || knot.next == KnotInterpolation::kCurve) {
      WriteTangent(label.c_str(), knot.post_tangent_width, knot.post_tangent_slope,
                   knot.post_tangent_algorithm);
    } else {
      out_.Put("; ", label);
    }
    if (!knot.custom_data.empty()) {
      out_.Put("; ");
      WriteInlineDictionary(knot.custom_data, &out_);
    }
    out_.Put(",\n");
  }

  const Spline& spline_;
  const int indent_;
  TextSink& out_;
};

}  // namespace

void WriteSpline(const Spline& spline, int indent, TextSink* out) {
  SplineWriter(spline, indent, out).Write();
}

}  // namespace stagedoor::usda
