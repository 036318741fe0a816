#ifndef STAGEDOOR_CLIENT_SDK_STAGE_VIEW_H_
#define STAGEDOOR_CLIENT_SDK_STAGE_VIEW_H_

#include <cstddef>
#include <functional>
#include <future>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "client/cc/client.h"
#include "client/cc/futures.h"
#include "client/sdk/error.h"  // IWYU pragma: export
#include "client/sdk/geometry.h"
#include "client/sdk/imaging.h"
#include "client/sdk/outcome.h"
#include "client/sdk/samples.h"
#include "client/sdk/skinning.h"
#include "client/sdk/times.h"
#include "client/sdk/values.h"
#include "stagedoor/v1/geom.pb.h"
#include "stagedoor/v1/lux.pb.h"

namespace stagedoor::sdk {

class StageSession;

// The readable part of an open stage: the part of Stage that prims and attributes use. Copies refer
// to the same stage, which is closed with the last of them. Thread-safe, but assigning is not.
class StageView {
 public:
  // ------------------------------------------------------------------------------ about the stage

  // The daemon's reply when the stage was opened: time codes, axis, default prim.
  v1::Stage info() const;
  // The fingerprint of the newest snapshot that a reply has named, or of the pinned one.
  std::string snapshot() const;
  // Asks for the newest snapshot, renews the lease, and returns the fingerprint. With
  // CHANGE_POLICY_FOLLOW, it is another one after files have changed.
  absl::StatusOr<std::string> Refresh(const CallOptions& call = {}) const;

  // --------------------------------------------------------------------------------------- values

  // Receives the result of an asynchronous call. Runs once, on a thread of the library or on the
  // calling one, and must not block.
  template <typename Result>
  using Callback = std::function<void(absl::StatusOr<Result>)>;

  // The values of attributes at times, in one call. Errors of single paths and items are in the
  // result. What does not fit into one reply is streamed. As in all methods that take paths and
  // return a table of results, paths that do not fit into one request are sent in parts, of which
  // all are read at the same snapshot; each has the deadline of a call.
  absl::StatusOr<Values> GetValues(std::span<const std::string> paths, const Times& times,
                                   const CallOptions& call = {}) const;
  absl::StatusOr<Values> GetValues(std::initializer_list<std::string> paths, const Times& times,
                                   const CallOptions& call = {}) const {
    return GetValues(std::span(paths.begin(), paths.size()), times, call);
  }
  // As GetValues, without waiting. The call keeps the stage open until it has ended.
  void GetValuesAsync(std::span<const std::string> paths, const Times& times,
                      Callback<Values> callback, const CallOptions& call = {}) const;
  std::future<absl::StatusOr<Values>> GetValuesAsync(std::span<const std::string> paths,
                                                     const Times& times,
                                                     const CallOptions& call = {}) const {
    return FutureOf<absl::StatusOr<Values>>(
        [&](auto callback) { GetValuesAsync(paths, times, std::move(callback), call); });
  }
  std::future<absl::StatusOr<Values>> GetValuesAsync(std::initializer_list<std::string> paths,
                                                     const Times& times,
                                                     const CallOptions& call = {}) const {
    return GetValuesAsync(std::span(paths.begin(), paths.size()), times, call);
  }
  // The values of attributes at times, some paths at a time: for passes over a whole city. Calls
  // `next_path` as the pass goes on, until it returns nullopt, and `sink` with the values of
  // `size` paths (at least 1), and those of what is left. Only one part is in memory, unless `sink`
  // keeps it, and the arrays that the connection keeps. All parts are of one snapshot:
  // FAILED_PRECONDITION (SNAPSHOT_GONE) if the daemon does not hold it any more. Any status but OK
  // that `sink` returns ends the pass with it.
  absl::Status GetValuesInParts(const std::function<std::optional<std::string>()>& next_path,
                                const Times& times,
                                const std::function<absl::Status(const Values&)>& sink,
                                size_t size = 1000, const CallOptions& call = {}) const;
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
  // ends the call with it. Runs on the calling thread. If the connection breaks, the call goes on
  // after the last prim, with the same snapshot: SNAPSHOT_GONE if that is not to be had any more.
  absl::Status GetSkinnedPoints(std::span<const std::string> paths, const Times& times,
                                const std::function<absl::Status(SkinnedPrim)>& sink,
                                const SkinningOptions& options, const CallOptions& call = {}) const;
  absl::Status GetSkinnedPoints(std::span<const std::string> paths, const Times& times,
                                const std::function<absl::Status(SkinnedPrim)>& sink) const {
    return GetSkinnedPoints(paths, times, sink, SkinningOptions());
  }
  // As GetSkinnedPoints, without waiting: `sink` runs on threads of the library, one prim at a
  // time, and then `done` once. Neither may block.
  void GetSkinnedPointsAsync(std::span<const std::string> paths, const Times& times,
                             std::function<absl::Status(SkinnedPrim)> sink,
                             std::function<void(absl::Status)> done, const SkinningOptions& options,
                             const CallOptions& call = {}) const;

  // The skinning data of prims, for programs that deform them themselves, on a GPU for example:
  // influences, blend shapes, and for each time joint transforms and weights. A Skinning for each
  // path, without duplicates; without paths, for all skinned prims.
  absl::StatusOr<std::vector<Skinning>> GetSkinning(std::span<const std::string> paths,
                                                    const Times& times,
                                                    const CallOptions& call = {}) const;

  // -------------------------------------------------------------------------------------- imaging

  // The paths of the materials that prims are bound to, for each of `purposes`, such as "full" or
  // "preview"; without purposes, by bindings for all purposes.
  absl::StatusOr<BoundMaterials> GetBoundMaterials(std::span<const std::string> paths,
                                                   std::span<const std::string> purposes = {},
                                                   const CallOptions& call = {}) const;
  // The lights and light filters of the stage at and below `root`, sorted by path.
  absl::StatusOr<std::vector<v1::Light>> GetLights(const std::string& root = "/",
                                                   const CallOptions& call = {}) const;
  // The lights of the stage that prims are linked to.
  absl::StatusOr<LightSets> GetLightSets(std::span<const std::string> paths,
                                         v1::LightLink link = v1::LIGHT_LINK_LIGHT,
                                         const CallOptions& call = {}) const;

  struct CameraOptions {
    double aspect_ratio = 0;  // of the image; 0: that of the aperture
    v1::ConformPolicy conform_policy = v1::CONFORM_POLICY_FIT;
  };
  // The camera at a path and a time. WRONG_KIND if the prim is not a Camera.
  absl::StatusOr<Camera> GetCamera(const std::string& path, const TimeCode& time,
                                   const CameraOptions& options,
                                   const CallOptions& call = {}) const;
  absl::StatusOr<Camera> GetCamera(const std::string& path, const TimeCode& time) const {
    return GetCamera(path, time, CameraOptions());
  }

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
    absl::Status status = Run(
        [&](Client& client, const v1::StageRef& ref, const CallOptions& left) {
          *StageOf(request) = ref;
          return Outcome{Send(client, left, request, [&] {
            absl::StatusOr<Response> reply = (client.*method)(request, left);
            if (!reply.ok()) return reply.status();
            response = *std::move(reply);
            return absl::OkStatus();
          })};
        },
        call);
    if (!status.ok()) return status;
    return response;
  }
  // Makes any streaming call about the stage. `sink` is as for Client. The call is not repeated
  // once it has brought something.
  template <typename Request, typename Response>
  absl::Status Stream(absl::Status (Client::*method)(const Request&, const Client::Sink<Response>&,
                                                     const CallOptions&),
                      Request request, const std::type_identity_t<Client::Sink<Response>>& sink,
                      const CallOptions& call = {}) const {
    return Receive(
        method, request, Outcome::Received::kFinal, [] {}, sink, call);
  }
  // As the call above, for messages that are only collected: if the connection breaks, the call is
  // repeated from its beginning. `begin` runs before each attempt, and drops what an earlier one
  // has brought.
  template <typename Request, typename Response>
  absl::Status Collect(absl::Status (Client::*method)(const Request&, const Client::Sink<Response>&,
                                                      const CallOptions&),
                       Request request, const std::function<void()>& begin,
                       const std::type_identity_t<Client::Sink<Response>>& sink,
                       const CallOptions& call = {}) const {
    return Receive(method, request, Outcome::Received::kRepeatable, begin, sink, call);
  }

  // As Call, without waiting, by the asynchronous methods of Client: see Callback, Client::Sink and
  // Client::Done.
  //
  //   stage.CallAsync(&Client::ExplainAsync, request, [](auto reply) { … });
  template <typename Request, typename Response>
  void CallAsync(void (Client::*method)(const Request&,
                                        std::function<void(absl::StatusOr<Response>)>,
                                        const CallOptions&),
                 Request request, std::type_identity_t<Callback<Response>> callback,
                 const CallOptions& call = {}) const {
    struct State {
      Request request;
      Response response;
    };
    auto state = std::make_shared<State>(State{std::move(request), {}});
    Start(
        [state, method](Client& client, const v1::StageRef& ref, const CallOptions& left,
                        Ended ended) {
          *StageOf(state->request) = ref;
          (client.*method)(
              state->request,
              [state, ended = std::move(ended)](absl::StatusOr<Response> reply) {
                absl::Status status = reply.status();
                if (reply.ok()) state->response = *std::move(reply);
                ended({std::move(status)});
              },
              left);
        },
        call,
        [state, callback = std::move(callback)](absl::Status status) {
          if (!status.ok()) return callback(std::move(status));
          callback(std::move(state->response));
        });
  }
  template <typename Request, typename Response>
  void StreamAsync(void (Client::*method)(const Request&,
                                          std::function<absl::Status(const Response&)>,
                                          std::function<void(absl::Status)>, const CallOptions&),
                   Request request, std::type_identity_t<Client::Sink<Response>> sink,
                   Client::Done done, const CallOptions& call = {}) const {
    struct State {
      Request request;
      Client::Sink<Response> sink;
      Outcome::Received received = Outcome::Received::kNothing;
    };
    auto state = std::make_shared<State>(State{std::move(request), std::move(sink)});
    Start(
        [state, method](Client& client, const v1::StageRef& ref, const CallOptions& left,
                        Ended ended) {
          *StageOf(state->request) = ref;
          (client.*method)(
              state->request,
              [state](const Response& part) {
                state->received = Outcome::Received::kFinal;
                return state->sink(part);
              },
              [state, ended = std::move(ended)](absl::Status status) {
                ended({std::move(status), state->received});
              },
              left);
        },
        call, std::move(done));
  }

 protected:
  StageView(std::shared_ptr<StageSession> session, std::string pin)
      : session_(std::move(session)), pin_(std::move(pin)) {}

  const std::shared_ptr<StageSession>& session() const { return session_; }

 private:
  friend class Frame;  // which repeats its calls itself

  // One part of GetValues, GetSamples and GetValuesAsync, at the snapshot of this object.
  absl::StatusOr<Values> GetValuesOfPart(std::span<const std::string> paths, const Times& times,
                                         const CallOptions& call) const;
  absl::StatusOr<std::vector<Samples>> GetSamplesOfPart(std::span<const std::string> paths,
                                                        double start, double end,
                                                        const CallOptions& call,
                                                        std::string* snapshot) const;
  void GetValuesOfPartAsync(std::span<const std::string> paths, const Times& times,
                            Callback<Values> callback, const CallOptions& call) const;
  // This view of one snapshot; of the newest if it is empty.
  StageView At(const std::string& snapshot) const { return {session_, snapshot}; }

  using Attempt = std::function<Outcome(Client&, const v1::StageRef& stage, const CallOptions&)>;
  // Receives what came of an attempt that was started.
  using Ended = std::function<void(Outcome)>;
  using StartAttempt =
      std::function<void(Client&, const v1::StageRef& stage, const CallOptions&, Ended)>;

  // The reference to a stage in a request.
  template <typename Request>
  static v1::StageRef* StageOf(Request& request) {
    if constexpr (requires { request.mutable_stage(); }) {
      return request.mutable_stage();
    } else {
      return request.mutable_source()->mutable_stage();
    }
  }
  // Calls `send`, which sends the request. A list of many paths is only sent until it has a name:
  // see PathSets.
  template <typename Request>
  absl::Status Send(Client& client, const CallOptions& call, Request& request,
                    const std::function<absl::Status()>& send) const {
    if constexpr (requires { request.mutable_paths(), request.mutable_path_set(); }) {
      return SendPaths(client, call, request.mutable_paths(), request.mutable_path_set(), send);
    } else {
      return send();
    }
  }
  absl::Status SendPaths(Client& client, const CallOptions& call,
                         google::protobuf::RepeatedPtrField<std::string>* paths,
                         std::string* path_set, const std::function<absl::Status()>& send) const;
  // Makes a streaming call. `what` is what its messages are once the sink has got them.
  template <typename Request, typename Response>
  absl::Status Receive(absl::Status (Client::*method)(const Request&, const Client::Sink<Response>&,
                                                      const CallOptions&),
                       Request& request, Outcome::Received what, const std::function<void()>& begin,
                       const Client::Sink<Response>& sink, const CallOptions& call) const {
    return Run(
        [&](Client& client, const v1::StageRef& ref, const CallOptions& left) {
          begin();
          *StageOf(request) = ref;
          Outcome::Received received = Outcome::Received::kNothing;
          absl::Status status = Send(client, left, request, [&] {
            return (client.*method)(
                request,
                [&](const Response& part) {
                  received = what;
                  return sink(part);
                },
                left);
          });
          return Outcome{std::move(status), received};
        },
        call);
  }
  // Makes a call, and repeats it as its outcome allows.
  absl::Status Run(const Attempt& attempt, const CallOptions& call) const;
  // As Run, without waiting; the call holds no reference to the stage when `done` runs.
  void Start(StartAttempt attempt, const CallOptions& call,
             std::function<void(absl::Status)> done) const;
  static v1::StageRef RefTo(const std::string& handle, const std::string& pin);

  std::shared_ptr<StageSession> session_;
  std::string pin_;  // the snapshot to read; empty for the newest one
};

}  // namespace stagedoor::sdk

#endif  // STAGEDOOR_CLIENT_SDK_STAGE_VIEW_H_
