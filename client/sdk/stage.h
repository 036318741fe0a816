#ifndef STAGEDOOR_CLIENT_SDK_STAGE_H_
#define STAGEDOOR_CLIENT_SDK_STAGE_H_

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "client/sdk/connection.h"
#include "client/sdk/geometry.h"
#include "client/sdk/stage_options.h"
#include "client/sdk/times.h"
#include "client/sdk/values.h"

namespace stagedoor::sdk {

class Attribute;
class Prim;
class StageSession;

// A handle to an open stage. Copies refer to the same stage, as prims and attributes do; it is
// closed with the last of them. Thread-safe, but assigning to a handle is not.
//
//   auto stage = stagedoor::sdk::Stage::Open("127.0.0.1:50051", "/show/shot.usda");
//   if (!stage.ok()) …                      // DescribeError(stage.status())
//   auto points = stage->GetPrimAtPath("/World/Char")
//                     .GetAttribute("points")
//                     .Get<std::span<const stagedoor::sdk::Vec3f>>(12);
//
// The lease of the stage is renewed in the background. If it is lost all the same, because the
// daemon was restarted for example, the next call opens the stage again with its edits, with the
// next daemon if there are several; a stage with a session name that was edited is not, because its
// edits may be lost: LEASE_EXPIRED. A pinned snapshot that another daemon does not have is
// SNAPSHOT_GONE.
//
// All methods that ask the daemon take CallOptions: a deadline, metadata, a Cancellation. Calls are
// repeated as Client repeats them.
class Stage {
 public:
  // Opens a stage, or joins one that the daemon has open. `address` is "HOST:PORT" or "unix:PATH";
  // if it is empty, the environment variable STAGEDOOR_ADDRESS has it. `root_layer` is an absolute
  // path or a URI, as the daemon sees it.
  static absl::StatusOr<Stage> Open(const std::string& address, const std::string& root_layer,
                                    const StageOptions& options = {}, const CallOptions& call = {});
  static absl::StatusOr<Stage> Open(std::shared_ptr<Connection> connection,
                                    const std::string& root_layer, const StageOptions& options = {},
                                    const CallOptions& call = {});

  // Gives the lease back now. All handles to this stage become useless: FAILED_PRECONDITION.
  absl::Status Close(const CallOptions& call = {});

  // ------------------------------------------------------------------------------ about the stage

  // What the daemon said when the stage was opened: time codes, axis, default prim.
  v1::Stage info() const;
  // The fingerprint of the newest snapshot that a reply has named, or of the pinned one.
  std::string snapshot() const;
  // Asks for the newest snapshot, renews the lease, and returns the fingerprint. With
  // CHANGE_POLICY_FOLLOW, it is another one after files have changed.
  absl::StatusOr<std::string> Refresh(const CallOptions& call = {}) const;
  // A handle that reads this snapshot, whatever edits are made. SNAPSHOT_GONE once the daemon does
  // not hold it any more.
  Stage AtSnapshot(std::string snapshot) const;

  // Handles. Making one asks the daemon nothing, and the object need not exist.
  Prim GetPrimAtPath(std::string path) const;
  Attribute GetAttributeAtPath(std::string path) const;
  Prim GetPseudoRoot() const;
  // The prim is the pseudo-root if the stage has no default prim.
  Prim GetDefaultPrim() const;

  // The prims that a default traversal visits, in stage order, of a schema type if one is given
  // (with its derived types), at and below `root`.
  absl::StatusOr<std::vector<Prim>> FindPrims(const std::string& schema_type = "",
                                              const std::string& root = "/",
                                              const CallOptions& call = {}) const;

  // --------------------------------------------------------------------------------------- values

  // The values of attributes at times, in one call. Errors of single paths and items are in the
  // result. What does not fit into one reply is streamed.
  absl::StatusOr<Values> GetValues(std::span<const std::string> paths, const Times& times,
                                   const CallOptions& call = {}) const;
  absl::StatusOr<Values> GetValues(std::initializer_list<std::string> paths, const Times& times,
                                   const CallOptions& call = {}) const {
    return GetValues(std::span(paths.begin(), paths.size()), times, call);
  }
  // For each attribute the samples that determine its value from `start` to `end`, such as the
  // shutter interval of a frame.
  absl::StatusOr<std::vector<Samples>> GetSamples(std::span<const std::string> paths, double start,
                                                  double end, const CallOptions& call = {}) const;

  // ------------------------------------------------------------------------------------- geometry

  // Local-to-world matrices, which act on row vectors.
  absl::StatusOr<PrimTable<Matrix4d>> GetTransforms(std::span<const std::string> paths,
                                                    const Times& times,
                                                    const CallOptions& call = {}) const;
  // Axis-aligned bounds in world space of prims and their descendants with the purposes default,
  // render and proxy.
  absl::StatusOr<PrimTable<Range3d>> GetBounds(std::span<const std::string> paths,
                                               const Times& times,
                                               const CallOptions& call = {}) const;

  struct SkinningOptions {
    bool world_space = false;  // instead of each prim's own space
    bool with_normals = false;
  };
  // Streams the points of skinned prims after blend shapes and skinning to `sink`, one prim and
  // time after another; without paths, of all skinned prims. Any status but OK that `sink` returns
  // ends the call with it. Runs on the calling thread.
  absl::Status GetSkinnedPoints(std::span<const std::string> paths, const Times& times,
                                const std::function<absl::Status(SkinnedPrim)>& sink,
                                const SkinningOptions& options, const CallOptions& call = {}) const;
  absl::Status GetSkinnedPoints(std::span<const std::string> paths, const Times& times,
                                const std::function<absl::Status(SkinnedPrim)>& sink) const {
    return GetSkinnedPoints(paths, times, sink, SkinningOptions());
  }

  // ---------------------------------------------------------------------------------------- edits

  // Edits are in the session of this stage; each returns the fingerprint of the new snapshot. With
  // `expected`, SNAPSHOT_CONFLICT unless it is the newest snapshot.

  // Replaces the session layer by usda text, or removes it if the text is empty.
  absl::StatusOr<std::string> SetSessionLayer(const std::string& text,
                                              const std::string& expected = "",
                                              const CallOptions& call = {}) const;
  absl::StatusOr<std::string> Load(std::span<const std::string> paths,
                                   const std::string& expected = "",
                                   const CallOptions& call = {}) const;
  absl::StatusOr<std::string> Unload(std::span<const std::string> paths,
                                     const std::string& expected = "",
                                     const CallOptions& call = {}) const;
  absl::StatusOr<std::string> MuteLayers(std::span<const std::string> mute,
                                         std::span<const std::string> unmute = {},
                                         const std::string& expected = "",
                                         const CallOptions& call = {}) const;
  absl::StatusOr<std::string> Reload(const std::string& expected = "",
                                     const CallOptions& call = {}) const;

  // ------------------------------------------------------------------------------ all other calls

  // Makes any unary call about the stage, whose reference it fills in:
  //
  //   auto reply = stage.Call(&Client::Explain, request);
  //
  // Do not edit or close the stage with it, because it could not be opened again as it was.
  template <typename Request, typename Response>
  absl::StatusOr<Response> Call(absl::StatusOr<Response> (Client::*method)(const Request&,
                                                                           const CallOptions&),
                                Request request, const CallOptions& call = {}) const {
    Response response;
    const absl::Status status = Run(
        [&](Client& client, const v1::StageRef& ref, const CallOptions& left) {
          *StageOf(request) = ref;
          absl::StatusOr<Response> reply = (client.*method)(request, left);
          if (!reply.ok()) return reply.status();
          response = *std::move(reply);
          return absl::OkStatus();
        },
        nullptr, call);
    if (!status.ok()) return status;
    return response;
  }
  // Makes any streaming call about the stage. `sink` is as for Client.
  template <typename Request, typename Response>
  absl::Status Stream(absl::Status (Client::*method)(const Request&, const Client::Sink<Response>&,
                                                     const CallOptions&),
                      Request request, std::type_identity_t<Client::Sink<Response>> sink,
                      const CallOptions& call = {}) const {
    bool started = false;
    const Client::Sink<Response> notice = [&](const Response& part) {
      started = true;
      return sink(part);
    };
    return Run(
        [&](Client& client, const v1::StageRef& ref, const CallOptions& left) {
          *StageOf(request) = ref;
          return (client.*method)(request, notice, left);
        },
        &started, call);
  }

 private:
  using Attempt =
      std::function<absl::Status(Client&, const v1::StageRef& stage, const CallOptions&)>;

  Stage(std::shared_ptr<StageSession> session, std::string pin)
      : session_(std::move(session)), pin_(std::move(pin)) {}

  // The reference to a stage in a request.
  template <typename Request>
  static v1::StageRef* StageOf(Request& request) {
    if constexpr (requires { request.mutable_stage(); }) {
      return request.mutable_stage();
    } else {
      return request.mutable_source()->mutable_stage();
    }
  }
  // Makes a call, and repeats it if the stage had to be opened again, unless *started.
  absl::Status Run(const Attempt& attempt, const bool* started, const CallOptions& call) const;
  template <typename Request, typename Response, typename Fold>
  absl::StatusOr<std::string> Edit(absl::StatusOr<Response> (Client::*method)(const Request&,
                                                                              const CallOptions&),
                                   Request request, const std::string& expected, const Fold& fold,
                                   const CallOptions& call) const;
  absl::StatusOr<Values> StreamAllValues(const v1::BatchGetValuesRequest& asked,
                                         const CallOptions& call) const;

  std::shared_ptr<StageSession> session_;
  std::string pin_;  // the snapshot to read; empty for the newest one
};

}  // namespace stagedoor::sdk

// So that a program that includes this header can use what it returns.
#include "client/sdk/attribute.h"  // IWYU pragma: export
#include "client/sdk/prim.h"       // IWYU pragma: export

#endif  // STAGEDOOR_CLIENT_SDK_STAGE_H_
