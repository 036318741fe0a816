#ifndef STAGEDOOR_SCENE_TESTING_SKELETON_TEXT_H_
#define STAGEDOOR_SCENE_TESTING_SKELETON_TEXT_H_

namespace stagedoor {

// A skeleton for tests to bind meshes to, as usda text.

// The skeleton </C/Skel>, animated by </C/Anim>, with the joints a and a/b, of which a/b is two
// units above a. To be placed in a prim C.
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
