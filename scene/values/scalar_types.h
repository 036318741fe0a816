// Small value types that are not numbers.
#ifndef STAGEDOOR_SCENE_VALUES_SCALAR_TYPES_H_
#define STAGEDOOR_SCENE_VALUES_SCALAR_TYPES_H_

#include <string>

namespace stagedoor {

// A time in time codes, retimed by layer offsets like sample times are.
struct TimeCode {
  double value = 0;
  friend bool operator==(TimeCode, TimeCode) = default;
};

// A length of time in time codes: layer offsets scale it and do not shift it.
struct Duration {
  double value = 0;
  friend bool operator==(Duration, Duration) = default;
};

// The address of an asset. Layers hold `authored` only; value resolution adds the rest.
struct AssetPath {
  std::string authored;
  std::string evaluated;  // where `authored` is a variable expression
  std::string resolved;   // by the resolver, anchored to the layer of the opinion
  friend bool operator==(const AssetPath&, const AssetPath&) = default;
};

// The text of a path expression; scene/paths/path_expression.h evaluates it.
struct PathExpression {
  std::string text;
  friend bool operator==(const PathExpression&, const PathExpression&) = default;
};

// `None`: hides weaker opinions and means no value.
struct ValueBlock {
  friend bool operator==(ValueBlock, ValueBlock) = default;
};

// `AnimationBlock`: hides weaker samples and splines, not defaults.
struct AnimationBlock {
  friend bool operator==(AnimationBlock, AnimationBlock) = default;
};

// Maps time in a layer to time in what includes it: offset + scale * time.
struct LayerOffset {
  double offset = 0;
  double scale = 1;

  bool IsIdentity() const { return offset == 0 && scale == 1; }
  // False for what OpenUSD ignores: not finite, or a scale that is not positive.
  bool IsValid() const;
  double Apply(double time) const { return offset + scale * time; }
  // Rounds as OpenUSD: by the reciprocal.
  LayerOffset Inverse() const { return {-offset * (1 / scale), 1 / scale}; }
  // (a * b).Apply(t) == a.Apply(b.Apply(t))
  friend LayerOffset operator*(const LayerOffset& a, const LayerOffset& b) {
    return {a.scale * b.offset + a.offset, a.scale * b.scale};
  }
  friend bool operator==(const LayerOffset&, const LayerOffset&) = default;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_VALUES_SCALAR_TYPES_H_
