#ifndef STAGEDOOR_SCENE_VALUES_LAYER_OFFSET_H_
#define STAGEDOOR_SCENE_VALUES_LAYER_OFFSET_H_

namespace stagedoor {

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

#endif  // STAGEDOOR_SCENE_VALUES_LAYER_OFFSET_H_
