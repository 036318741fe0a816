// Small value types other than numbers (Core Specification, section 6.2 Scalar Types, and
// specialized types of section 7.6).
#ifndef STAGEDOOR_SCENE_VALUES_SCALAR_TYPES_H_
#define STAGEDOOR_SCENE_VALUES_SCALAR_TYPES_H_

#include <string>

namespace stagedoor {

// A value of type `timecode`, which layer offsets map like the times of samples. Corresponds to
// OpenUSD's SdfTimeCode.
struct TimeCodeValue {
  double value = 0;
  friend bool operator==(TimeCodeValue, TimeCodeValue) = default;
};

// A value of type `duration`, in time codes. Layer offsets scale it, but do not shift it.
struct Duration {
  double value = 0;
  friend bool operator==(Duration, Duration) = default;
};

// The address of an asset. Layers set `authored` only; value resolution sets the rest. Corresponds
// to OpenUSD's SdfAssetPath.
struct AssetPath {
  std::string authored;
  std::string evaluated;  // the result if `authored` is a variable expression
  std::string resolved;   // the resolver's result, anchored to the layer of the opinion
  friend bool operator==(const AssetPath&, const AssetPath&) = default;
};

// The text of a path expression, which PathExpression parses and evaluates.
struct PathExpressionValue {
  std::string text;
  friend bool operator==(const PathExpressionValue&, const PathExpressionValue&) = default;
};

// `None` in a layer: the attribute has no value, regardless of weaker opinions (section 12.3.6
// Blocked Attributes). Corresponds to OpenUSD's SdfValueBlock.
struct ValueBlock {
  friend bool operator==(ValueBlock, ValueBlock) = default;
};

// `AnimationBlock` in a layer: hides weaker time samples and splines, but not defaults. Corresponds
// to OpenUSD's SdfAnimationBlock.
struct AnimationBlock {
  friend bool operator==(AnimationBlock, AnimationBlock) = default;
};

// Maps a time in a layer to the time in the layer that includes it: offset + scale * time.
// Corresponds to OpenUSD's SdfLayerOffset; see section 7.6.1.2.2 (subLayerOffsets).
struct LayerOffset {
  double offset = 0;
  double scale = 1;

  bool IsIdentity() const { return offset == 0 && scale == 1; }
  // False if a number is not finite or the scale is not positive; OpenUSD ignores such offsets.
  bool IsValid() const;
  double Apply(double time) const { return offset + scale * time; }
  // Uses the reciprocal of the scale, so that it rounds like OpenUSD.
  LayerOffset Inverse() const { return {-offset * (1 / scale), 1 / scale}; }
  // (a * b).Apply(t) == a.Apply(b.Apply(t))
  friend LayerOffset operator*(const LayerOffset& a, const LayerOffset& b) {
    return {a.scale * b.offset + a.offset, a.scale * b.scale};
  }
  friend bool operator==(const LayerOffset&, const LayerOffset&) = default;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_VALUES_SCALAR_TYPES_H_
