// A skeleton that tests bind meshes to, as usda text.
#ifndef STAGEDOOR_SCENE_TESTING_SKELETON_TEXT_H_
#define STAGEDOOR_SCENE_TESTING_SKELETON_TEXT_H_

namespace stagedoor {

// </C/Skel> with the joints a and, two units above it, a/b, moved by </C/Anim>. Goes into a prim C.
inline constexpr const char* kTwoJoints = R"(
  def Skeleton "Skel" (
    prepend apiSchemas = ["SkelBindingAPI"]
  ) {
    rel skel:animationSource = </C/Anim>
    uniform token[] joints = ["a", "a/b"]
    uniform matrix4d[] bindTransforms = [
      ((1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), (0, 0, 0, 1)),
      ((1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), (0, 2, 0, 1))]
    uniform matrix4d[] restTransforms = [
      ((1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), (0, 0, 0, 1)),
      ((1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), (0, 2, 0, 1))]
  }
)";

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_TESTING_SKELETON_TEXT_H_
