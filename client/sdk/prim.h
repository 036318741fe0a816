#ifndef STAGEDOOR_CLIENT_SDK_PRIM_H_
#define STAGEDOOR_CLIENT_SDK_PRIM_H_

#include <future>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "client/sdk/attribute.h"
#include "client/sdk/stage_view.h"
#include "stagedoor/v1/prims.pb.h"

namespace stagedoor::sdk {

// A handle to a prim, which need not exist. Keeps its stage open. Thread-safe, but assigning to a
// handle is not. The errors of all methods that ask the daemon: PRIM_NOT_FOUND, INVALID_PATH.
class Prim {
 public:
  const std::string& path() const { return path_; }
  // The last element of the path; "/" for the pseudo-root.
  std::string_view name() const;
  const StageView& stage() const { return stage_; }

  Prim GetParent() const;
  Prim GetChild(std::string_view name) const;
  Attribute GetAttribute(std::string_view name) const;

  // Whether there is such a prim in the stage.
  absl::StatusOr<bool> Exists(const CallOptions& call = {}) const;
  // The prim with the fields of a read mask (see query.proto); by default specifier, type, flags
  // and children.
  absl::StatusOr<v1::Prim> Describe(const std::vector<std::string>& fields = {},
                                    const CallOptions& call = {}) const;
  // The schema type, for example "Mesh"; empty for an untyped prim.
  absl::StatusOr<std::string> GetTypeName(const CallOptions& call = {}) const;
  // The children that a default traversal visits.
  absl::StatusOr<std::vector<Prim>> GetChildren(const CallOptions& call = {}) const;
  // All attributes of the prim, in its property order.
  absl::StatusOr<std::vector<Attribute>> GetAttributes(const CallOptions& call = {}) const;

  // The local-to-world matrix.
  absl::StatusOr<Matrix4d> GetTransform(const TimeCode& time, const CallOptions& call = {}) const;
  // The bounds in world space of the prim and its descendants.
  absl::StatusOr<Range3d> GetBounds(const TimeCode& time, const CallOptions& call = {}) const;
  // The path of the material that the prim is bound to, for a purpose such as "full"; empty if it
  // has none.
  absl::StatusOr<std::string> GetBoundMaterial(const std::string& purpose = "",
                                               const CallOptions& call = {}) const;
  // The camera at a time. WRONG_KIND if the prim is not a Camera.
  absl::StatusOr<Camera> GetCamera(const TimeCode& time,
                                   const StageView::CameraOptions& options = {},
                                   const CallOptions& call = {}) const {
    return stage_.GetCamera(path_, time, options, call);
  }
  // The points after blend shapes and skinning, in the prim's own space. WRONG_KIND if the prim is
  // not bound to a valid skeleton.
  absl::StatusOr<SkinnedPrim> GetSkinnedPoints(const TimeCode& time,
                                               const CallOptions& call = {}) const;
  // As GetSkinnedPoints, without waiting. The call keeps the stage open until it has ended.
  std::future<absl::StatusOr<SkinnedPrim>> GetSkinnedPointsAsync(
      const TimeCode& time, const CallOptions& call = {}) const {
    return FutureOf<absl::StatusOr<SkinnedPrim>>(
        [&](auto callback) { GetSkinnedPointsAsync(time, std::move(callback), call); });
  }
  void GetSkinnedPointsAsync(const TimeCode& time, StageView::Callback<SkinnedPrim> callback,
                             const CallOptions& call = {}) const;
  // The skinning data of the prim, for programs that deform it themselves. WRONG_KIND if the prim
  // is not bound to a valid skeleton.
  absl::StatusOr<Skinning> GetSkinning(const Times& times, const CallOptions& call = {}) const;

 private:
  friend class Stage;
  Prim(StageView stage, std::string path) : stage_(std::move(stage)), path_(std::move(path)) {}

  StageView stage_;
  std::string path_;
};

}  // namespace stagedoor::sdk

#endif  // STAGEDOOR_CLIENT_SDK_PRIM_H_
