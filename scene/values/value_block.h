#ifndef STAGEDOOR_SCENE_VALUES_VALUE_BLOCK_H_
#define STAGEDOOR_SCENE_VALUES_VALUE_BLOCK_H_

namespace stagedoor {

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

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_VALUES_VALUE_BLOCK_H_
