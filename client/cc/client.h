#ifndef STAGEDOOR_CLIENT_CC_CLIENT_H_
#define STAGEDOOR_CLIENT_CC_CLIENT_H_

#include <cstdint>
#include <functional>
#include <memory>

#include "absl/status/statusor.h"
#include "client/cc/call_options.h"  // IWYU pragma: export
#include "client/cc/client_options.h"
#include "client/cc/error_reason.h"  // IWYU pragma: export
#include "client/cc/value_batch.h"   // IWYU pragma: export
#include "stagedoor/v1/admin.pb.h"
#include "stagedoor/v1/cache.pb.h"
#include "stagedoor/v1/frame.pb.h"
#include "stagedoor/v1/geom.pb.h"
#include "stagedoor/v1/layers.pb.h"
#include "stagedoor/v1/lux.pb.h"
#include "stagedoor/v1/physics.pb.h"
#include "stagedoor/v1/query.pb.h"
#include "stagedoor/v1/render.pb.h"
#include "stagedoor/v1/server.pb.h"
#include "stagedoor/v1/sessions.pb.h"
#include "stagedoor/v1/shade.pb.h"
#include "stagedoor/v1/skel.pb.h"
#include "stagedoor/v1/stages.pb.h"

namespace grpc {
class Channel;
}  // namespace grpc

namespace stagedoor {

class RetryClock;

// The carriers of a client's BatchGetValues requests.
struct ClientStatistics {
  // Whether the client is connected to the query socket of the daemon at present, or has a stream
  // of query frames.
  bool query_socket = false;
  bool query_stream = false;
  // The requests that were answered over these, and those that were sent as calls of gRPC. Requests
  // that travelled together count once.
  uint64_t socket_queries = 0;
  uint64_t stream_queries = 0;
  uint64_t grpc_queries = 0;
};

// A connection to a Stagedoor daemon: every RPC of the API, blocking or asynchronous, with
// deadlines and retries. Thread-safe.
//
//   stagedoor::v1::OpenStageRequest open;
//   open.set_root_layer("/show/shot.usda");
//   auto client = stagedoor::Client::Connect({.address = "unix:/run/stagedoor.sock"});
//   absl::StatusOr<stagedoor::v1::OpenStageResponse> stage = client->OpenStage(open);
//
//   stagedoor::v1::TraverseRequest traverse;
//   traverse.mutable_stage()->set_handle(stage->handle());
//   absl::Status status =
//       client->Traverse(traverse, [](const stagedoor::v1::TraverseResponse& part) {
//         for (const auto& prim : part.prims()) std::cout << prim.path() << '\n';
//         return absl::OkStatus();  // any other status cancels the call
//       });
//
// All calls take CallOptions: a deadline, metadata, and a Cancellation. futures.h turns
// asynchronous calls into futures.
//
// Errors carry the server's code and message, and its reason (see ErrorReason). A request with text
// that is not UTF-8 is refused without a call: INVALID_PATH or INVALID_FIELD. A call is retried
// while no daemon can be reached, and when the daemon asks for it. A stream that has delivered a
// message is not retried, nor are CloseStage and Drain. Calls that open or edit a stage get a
// request_id if they have none, so that a repeated attempt is not carried out twice.
//
// BatchGetValues requests with at most 16 items that differ only in paths and times travel together
// if they are made while a call for the same stage is in flight (ClientOptions::coalescing). Each
// has its own reply, errors, deadline and cancellation. With a daemon on this machine that has a
// query socket, they use that instead (ClientOptions::query_socket). Asynchronous ones use a stream
// of query frames with other daemons that offer it (ClientOptions::query_stream).
class Client {
 public:
  // Receives the reply of an asynchronous call. Runs once, on a thread of the library or the one
  // that cancels the call, and must not block.
  template <typename Response>
  using Callback = std::function<void(absl::StatusOr<Response>)>;
  // Receives the messages of a stream, one at a time: on the calling thread for a blocking call, on
  // gRPC threads for an asynchronous one. Any status but OK cancels the call, which then ends with
  // that status.
  template <typename Response>
  using Sink = std::function<absl::Status(const Response&)>;
  // Receives the status of an asynchronous stream, after its last message. Runs once, on a gRPC
  // thread, and must not block.
  using Done = std::function<void(absl::Status)>;

  // Returns immediately; the first call waits for the connection. With options that cannot be used,
  // such as a wrong address, all calls fail with INVALID_ARGUMENT. If no daemon can be reached,
  // the error says why: nothing listens, TLS is missing or unexpected, a certificate is not
  // accepted.
  static std::unique_ptr<Client> Connect(const ClientOptions& options);
  // Uses an existing channel, such as an in-process one; options.address is ignored.
  static std::unique_ptr<Client> FromChannel(std::shared_ptr<grpc::Channel> channel,
                                             const ClientOptions& options);
  // As FromChannel above, with another clock, for tests. The clock must outlive the client.
  static std::unique_ptr<Client> FromChannel(std::shared_ptr<grpc::Channel> channel,
                                             const ClientOptions& options, RetryClock& clock);
  // Waits for the calls in flight, which are no longer retried.
  ~Client();
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  // How the BatchGetValues requests of this client have travelled so far.
  ClientStatistics statistics() const;

  // As BatchGetValues, for a program that looks at the values: large arrays of a query socket stay
  // in memory that the daemon shares, instead of being copied into the reply. The daemon does not
  // use this memory for other arrays, 48 MiB for a client, until the batch is destroyed.
  absl::StatusOr<ValueBatch> ReadValues(const v1::BatchGetValuesRequest& request,
                                        const CallOptions& call = {});

  // BEGIN generated by tools/client_methods.py: ./dev client_methods

  // --------------------------------------------------------------------------------- StagesService

  // Opens a stage, or joins one that is open already, and returns a new handle to it.
  //
  // SESSION_CONFLICT if the session named by the request was opened with another stage or other
  // options; LAYER_NOT_FOUND, LAYER_SYNTAX, LAYER_CORRUPT or ASSET_FORBIDDEN for a root or session
  // layer, or a part of the resolver context, that cannot be opened; INVALID_PATH for a load rule
  // or mask path; BUDGET_EXHAUSTED if there are too many leases or too little memory. Problems
  // below the root and session layers, such as missing references or cycles, do not fail the call:
  // see Stage.composition_errors.
  absl::StatusOr<v1::OpenStageResponse> OpenStage(const v1::OpenStageRequest& request,
                                                  const CallOptions& call = {});
  void OpenStageAsync(const v1::OpenStageRequest& request, Callback<v1::OpenStageResponse> callback,
                      const CallOptions& call = {});

  // Returns a description of a snapshot, with the requested details, and renews the lease.
  // Operators, who have no handle, may name a stage by the ID that ListStages returns.
  //
  // STAGE_NOT_FOUND for an ID of a stage that the daemon does not hold; REQUEST_TOO_LARGE if the
  // details do not fit into a reply.
  absl::StatusOr<v1::GetStageResponse> GetStage(const v1::GetStageRequest& request,
                                                const CallOptions& call = {});
  void GetStageAsync(const v1::GetStageRequest& request, Callback<v1::GetStageResponse> callback,
                     const CallOptions& call = {});

  // Lists the stages that the daemon holds, in order of opening, one page per call. Includes stages
  // without a lease (lease_count 0), which are kept for clients that open them again.
  absl::StatusOr<v1::ListStagesResponse> ListStages(const v1::ListStagesRequest& request,
                                                    const CallOptions& call = {});
  void ListStagesAsync(const v1::ListStagesRequest& request,
                       Callback<v1::ListStagesResponse> callback, const CallOptions& call = {});

  // Ends the lease of a handle. Other handles of the same stage are not affected.
  //
  // STAGE_NOT_FOUND or LEASE_EXPIRED if the handle is not valid any more.
  absl::StatusOr<v1::CloseStageResponse> CloseStage(const v1::CloseStageRequest& request,
                                                    const CallOptions& call = {});
  void CloseStageAsync(const v1::CloseStageRequest& request,
                       Callback<v1::CloseStageResponse> callback, const CallOptions& call = {});

  // Renews a lease, optionally with another time to live. Needed only if the handle is not used
  // otherwise.
  //
  // STAGE_NOT_FOUND or LEASE_EXPIRED if the handle is not valid any more.
  absl::StatusOr<v1::RenewLeaseResponse> RenewLease(const v1::RenewLeaseRequest& request,
                                                    const CallOptions& call = {});
  void RenewLeaseAsync(const v1::RenewLeaseRequest& request,
                       Callback<v1::RenewLeaseResponse> callback, const CallOptions& call = {});

  // Replaces the session layer, or removes it, and returns the new snapshot.
  //
  // LAYER_NOT_FOUND, LAYER_SYNTAX, LAYER_CORRUPT or ASSET_FORBIDDEN for a session layer that cannot
  // be opened; REQUEST_TOO_LARGE for content of more than 64 MiB.
  absl::StatusOr<v1::SetSessionLayerResponse> SetSessionLayer(
      const v1::SetSessionLayerRequest& request, const CallOptions& call = {});
  void SetSessionLayerAsync(const v1::SetSessionLayerRequest& request,
                            Callback<v1::SetSessionLayerResponse> callback,
                            const CallOptions& call = {});

  // Loads the payloads at and below paths and returns the new snapshot. Replaces the load rules at
  // and below the paths, as UsdStage::Load does.
  //
  // INVALID_PATH for a path that is not an absolute prim path. A prim need not exist there.
  absl::StatusOr<v1::LoadPrimsResponse> LoadPrims(const v1::LoadPrimsRequest& request,
                                                  const CallOptions& call = {});
  void LoadPrimsAsync(const v1::LoadPrimsRequest& request, Callback<v1::LoadPrimsResponse> callback,
                      const CallOptions& call = {});

  // Unloads the payloads at and below paths and returns the new snapshot. Replaces the load rules
  // at and below the paths, as UsdStage::Unload does.
  //
  // INVALID_PATH for a path that is not an absolute prim path.
  absl::StatusOr<v1::UnloadPrimsResponse> UnloadPrims(const v1::UnloadPrimsRequest& request,
                                                      const CallOptions& call = {});
  void UnloadPrimsAsync(const v1::UnloadPrimsRequest& request,
                        Callback<v1::UnloadPrimsResponse> callback, const CallOptions& call = {});

  // Opens again the layers, value clips and pin files that have changed, and recomposes the stage
  // if it is affected. Otherwise the reply names the current snapshot.
  //
  // The errors of OpenStage, if the root or session layer or a pin file cannot be opened any more.
  absl::StatusOr<v1::ReloadStageResponse> ReloadStage(const v1::ReloadStageRequest& request,
                                                      const CallOptions& call = {});
  void ReloadStageAsync(const v1::ReloadStageRequest& request,
                        Callback<v1::ReloadStageResponse> callback, const CallOptions& call = {});

  // Mutes and unmutes layers and returns the new snapshot. Corresponds to
  // UsdStage::MuteAndUnmuteLayers.
  absl::StatusOr<v1::MuteLayersResponse> MuteLayers(const v1::MuteLayersRequest& request,
                                                    const CallOptions& call = {});
  void MuteLayersAsync(const v1::MuteLayersRequest& request,
                       Callback<v1::MuteLayersResponse> callback, const CallOptions& call = {});

  // Prepares what later clients need, and streams the progress: opens the stage, compiles the
  // authored attributes of prims, so that their first queries are as fast as later ones, and opens
  // the value clips of an interval. What is prepared stays in the daemon's caches as long as there
  // is room. The call grants no lease; a stage that no client opens may be evicted.
  //
  // The errors of OpenStage if the call opens the stage; INVALID_FIELD if the request names no
  // stage; INVALID_TIME for an interval with NaN. Prims and attributes that cannot be prepared are
  // reported in the last message and do not fail the call.
  absl::Status WarmStage(const v1::WarmStageRequest& request,
                         const Sink<v1::WarmStageResponse>& sink);
  absl::Status WarmStage(const v1::WarmStageRequest& request,
                         const Sink<v1::WarmStageResponse>& sink, const CallOptions& call);
  void WarmStageAsync(const v1::WarmStageRequest& request, Sink<v1::WarmStageResponse> sink,
                      Done done, const CallOptions& call = {});

  // ------------------------------------------------------------------------------- SessionsService

  // Applies edits in order, all of them or none, and returns the new snapshot. Each edit sees what
  // the edits before it have made of the stage. Readers see all edits of a call at once. What the
  // edits do not affect is not composed again, and files are not checked for changes: use
  // ReloadStage for that.
  //
  // If an edit fails, the call fails with the code and reason of the first one and an EditErrors in
  // the status details, and the session is as before. SNAPSHOT_CONFLICT if expected_snapshot is set
  // and is not the newest snapshot; INVALID_PATH for a malformed path or target, one with more than
  // 120 elements, and one in a prototype; PRIM_NOT_FOUND or ATTRIBUTE_NOT_FOUND if an edit needs
  // what does not exist; WRONG_KIND for a value of another type than the attribute's or field's,
  // and for a path below an instance; INVALID_TIME; INVALID_FIELD for malformed names, keys and
  // values; LAYER_SYNTAX, LAYER_CORRUPT and others of SetSessionLayer for a session layer;
  // REQUEST_TOO_LARGE if the session layer would become larger than Limits.max_session_layer_bytes.
  absl::StatusOr<v1::EditStageResponse> EditStage(const v1::EditStageRequest& request,
                                                  const CallOptions& call = {});
  void EditStageAsync(const v1::EditStageRequest& request, Callback<v1::EditStageResponse> callback,
                      const CallOptions& call = {});

  // Streams the session layer with its edits as usda text.
  absl::Status ExportSessionLayer(const v1::ExportSessionLayerRequest& request,
                                  const Sink<v1::ExportSessionLayerResponse>& sink);
  absl::Status ExportSessionLayer(const v1::ExportSessionLayerRequest& request,
                                  const Sink<v1::ExportSessionLayerResponse>& sink,
                                  const CallOptions& call);
  void ExportSessionLayerAsync(const v1::ExportSessionLayerRequest& request,
                               Sink<v1::ExportSessionLayerResponse> sink, Done done,
                               const CallOptions& call = {});

  // Streams what changes on the stage: by edits of any client of the session, by reloads, and in a
  // session with CHANGE_POLICY_FOLLOW by changed files. Sends a message at once, and then one for
  // each change, or for several that happened since the previous message. The stream ends when the
  // client cancels it, or with LEASE_EXPIRED or STAGE_NOT_FOUND when the lease has ended; it does
  // not keep the lease alive. If it breaks, repeat the call with the last snapshot received: no
  // change is missed.
  absl::Status WatchStage(const v1::WatchStageRequest& request,
                          const Sink<v1::WatchStageResponse>& sink);
  absl::Status WatchStage(const v1::WatchStageRequest& request,
                          const Sink<v1::WatchStageResponse>& sink, const CallOptions& call);
  void WatchStageAsync(const v1::WatchStageRequest& request, Sink<v1::WatchStageResponse> sink,
                       Done done, const CallOptions& call = {});

  // ---------------------------------------------------------------------------------- QueryService

  // Names a list of paths, so that later requests need not repeat it: batches with a field
  // `path_set` take the name instead of their `paths`, about any stage. Needs no stage itself.
  // Equal lists have the same name. It is known to the caller and to this daemon only, which may
  // forget it at any time: requests with it fail with PATH_SET_UNKNOWN then, and the client defines
  // it again. Requests with both `paths` and `path_set` are INVALID_FIELD.
  //
  // A daemon without FEATURE_PATH_SETS has no such method, and ignores `path_set`: it would answer
  // as if there were no paths. So only name paths to a daemon that has defined the name.
  //
  // REQUEST_TOO_LARGE for more than 1,000,000 paths, or more bytes than the daemon keeps;
  // BUDGET_EXHAUSTED if it keeps nothing more at present; INVALID_FIELD for no paths.
  absl::StatusOr<v1::DefinePathsResponse> DefinePaths(const v1::DefinePathsRequest& request,
                                                      const CallOptions& call = {});
  void DefinePathsAsync(const v1::DefinePathsRequest& request,
                        Callback<v1::DefinePathsResponse> callback, const CallOptions& call = {});

  // Returns the values of attributes at times, paths × times in one reply. Errors of single paths
  // and items are reported in the reply.
  //
  // REQUEST_TOO_LARGE if the reply would exceed the daemon's --max-reply-bytes: use StreamValues.
  absl::StatusOr<v1::BatchGetValuesResponse> BatchGetValues(
      const v1::BatchGetValuesRequest& request, const CallOptions& call = {});
  void BatchGetValuesAsync(const v1::BatchGetValuesRequest& request,
                           Callback<v1::BatchGetValuesResponse> callback,
                           const CallOptions& call = {});

  // Streams the values of attributes at times, one item in a message. Meant for large arrays, which
  // are sent without a copy where they are in memory. Errors of single items are reported in their
  // messages.
  absl::Status StreamValues(const v1::StreamValuesRequest& request,
                            const Sink<v1::StreamValuesResponse>& sink);
  absl::Status StreamValues(const v1::StreamValuesRequest& request,
                            const Sink<v1::StreamValuesResponse>& sink, const CallOptions& call);
  void StreamValuesAsync(const v1::StreamValuesRequest& request,
                         Sink<v1::StreamValuesResponse> sink, Done done,
                         const CallOptions& call = {});

  // Streams the values of attributes throughout intervals, such as the shutter intervals of a
  // frame: each attribute at the times of its own samples, rather than all at the same times. The
  // samples of an attribute for an interval are
  //
  // - those inside, and the nearest ones outside on both sides, unless there is a sample at that
  //   end: what UsdAttribute::GetTimeSamplesInInterval and GetBracketingTimeSamples return. Whether
  //   the ends are excluded makes no difference, because a sample there is needed in any case.
  //   Before the first and after the last sample of the attribute their values are held. Of value
  //   clips, the times at which clips become active and the knots of `times` are samples too;
  // - of a spline, the finite ends of the interval and the knots inside, with those that loops add.
  //   A knot at which the value jumps has two samples;
  // - of an attribute without samples, its value, without a time.
  //
  // So an item has one sample if the value does not change in the interval. The samples are in
  // ascending order. Between two of them the value is interpolated linearly if the interpolation is
  // linear and the type supports it, else it is that of the earlier sample. Behind a negative time
  // scale, the values between samples are those of the later one. A spline may curve between them.
  //
  // Items are paths × intervals: item i is path i / N in interval i % N, where N is the number of
  // intervals. Errors of single items and samples are reported with them: REQUEST_TOO_LARGE for an
  // item with more samples than the daemon's --max-interval-samples, and for all items once the
  // samples of the reply exceed --max-batch-items.
  //
  // INVALID_TIME if there are no intervals or one ends before it starts, has NaN, starts at
  // infinity or ends at minus infinity; REQUEST_TOO_LARGE for more than 1,000,000 paths or
  // intervals, or more than --max-batch-items items.
  absl::Status SampleValues(const v1::SampleValuesRequest& request,
                            const Sink<v1::SampleValuesResponse>& sink);
  absl::Status SampleValues(const v1::SampleValuesRequest& request,
                            const Sink<v1::SampleValuesResponse>& sink, const CallOptions& call);
  void SampleValuesAsync(const v1::SampleValuesRequest& request,
                         Sink<v1::SampleValuesResponse> sink, Done done,
                         const CallOptions& call = {});

  // Returns the sample times of attributes: those authored in layers and those of value clips (the
  // union over all clips of the set), in stage time. Corresponds to UsdAttribute::GetTimeSamples.
  // Errors of single paths are reported in the reply.
  //
  // INVALID_TIME for an interval with NaN; REQUEST_TOO_LARGE if the reply would be too large: use
  // StreamTimeSamples.
  absl::StatusOr<v1::ListTimeSamplesResponse> ListTimeSamples(
      const v1::ListTimeSamplesRequest& request, const CallOptions& call = {});
  void ListTimeSamplesAsync(const v1::ListTimeSamplesRequest& request,
                            Callback<v1::ListTimeSamplesResponse> callback,
                            const CallOptions& call = {});

  // Streams what ListTimeSamples returns, for long lists. Errors of single paths are reported in
  // their messages.
  //
  // INVALID_TIME for an interval with NaN.
  absl::Status StreamTimeSamples(const v1::StreamTimeSamplesRequest& request,
                                 const Sink<v1::StreamTimeSamplesResponse>& sink);
  absl::Status StreamTimeSamples(const v1::StreamTimeSamplesRequest& request,
                                 const Sink<v1::StreamTimeSamplesResponse>& sink,
                                 const CallOptions& call);
  void StreamTimeSamplesAsync(const v1::StreamTimeSamplesRequest& request,
                              Sink<v1::StreamTimeSamplesResponse> sink, Done done,
                              const CallOptions& call = {});

  // Returns the sample times at or around given times. Corresponds to
  // UsdAttribute::GetBracketingTimeSamples. Errors of single paths are reported in the reply.
  //
  // INVALID_TIME if a time is NaN.
  absl::StatusOr<v1::GetBracketingTimeSamplesResponse> GetBracketingTimeSamples(
      const v1::GetBracketingTimeSamplesRequest& request, const CallOptions& call = {});
  void GetBracketingTimeSamplesAsync(const v1::GetBracketingTimeSamplesRequest& request,
                                     Callback<v1::GetBracketingTimeSamplesResponse> callback,
                                     const CallOptions& call = {});

  // Returns one prim with the requested fields.
  //
  // PRIM_NOT_FOUND or INVALID_PATH for the path; INVALID_TIME if fields that need times are
  // requested without them; REQUEST_TOO_LARGE if the reply would be too large.
  absl::StatusOr<v1::GetPrimResponse> GetPrim(const v1::GetPrimRequest& request,
                                              const CallOptions& call = {});
  void GetPrimAsync(const v1::GetPrimRequest& request, Callback<v1::GetPrimResponse> callback,
                    const CallOptions& call = {});

  // Streams prims, depth first in stage order. Corresponds to OpenUSD's UsdPrimRange. A prim whose
  // fields are too large has an error instead of them.
  //
  // PRIM_NOT_FOUND or INVALID_PATH for a root; INVALID_TIME as for GetPrim.
  absl::Status Traverse(const v1::TraverseRequest& request, const Sink<v1::TraverseResponse>& sink);
  absl::Status Traverse(const v1::TraverseRequest& request, const Sink<v1::TraverseResponse>& sink,
                        const CallOptions& call);
  void TraverseAsync(const v1::TraverseRequest& request, Sink<v1::TraverseResponse> sink, Done done,
                     const CallOptions& call = {});

  // Explains where an attribute's value comes from at given times, or why there is none; for a
  // prim, which specs it is composed of.
  //
  // PRIM_NOT_FOUND, ATTRIBUTE_NOT_FOUND, WRONG_KIND (a relationship) or INVALID_PATH for the path;
  // REQUEST_TOO_LARGE for more than 1,000 times.
  absl::StatusOr<v1::ExplainResponse> Explain(const v1::ExplainRequest& request,
                                              const CallOptions& call = {});
  void ExplainAsync(const v1::ExplainRequest& request, Callback<v1::ExplainResponse> callback,
                    const CallOptions& call = {});

  // Streams collections with their members. Corresponds to OpenUSD's UsdCollectionAPI. A collection
  // with too many members has an error instead of them.
  //
  // PRIM_NOT_FOUND or INVALID_PATH for a path.
  absl::Status ListCollections(const v1::ListCollectionsRequest& request,
                               const Sink<v1::ListCollectionsResponse>& sink);
  absl::Status ListCollections(const v1::ListCollectionsRequest& request,
                               const Sink<v1::ListCollectionsResponse>& sink,
                               const CallOptions& call);
  void ListCollectionsAsync(const v1::ListCollectionsRequest& request,
                            Sink<v1::ListCollectionsResponse> sink, Done done,
                            const CallOptions& call = {});

  // Finds which of many prims and properties are members of collections, without listing members.
  // Corresponds to OpenUSD's UsdCollectionMembershipQuery::IsPathIncluded.
  //
  // PRIM_NOT_FOUND or INVALID_PATH for a collection; REQUEST_TOO_LARGE for more collections × paths
  // than the daemon's --max-batch-items. A path that is malformed or that the stage does not have
  // does not fail the call; it is reported with INVALID_PATH, PRIM_NOT_FOUND or ATTRIBUTE_NOT_FOUND
  // in path_errors, whose `item` is the index of the path.
  absl::StatusOr<v1::ComputeMembershipResponse> ComputeMembership(
      const v1::ComputeMembershipRequest& request, const CallOptions& call = {});
  void ComputeMembershipAsync(const v1::ComputeMembershipRequest& request,
                              Callback<v1::ComputeMembershipResponse> callback,
                              const CallOptions& call = {});

  // Counts the prims of a stage, or of subtrees: by their types, those that are active, instances
  // and so on, and models, assets and layers; statistics.proto has the messages. Visits all of
  // them. Corresponds to OpenUSD's UsdUtilsComputeUsdStageStats.
  //
  // PRIM_NOT_FOUND or INVALID_PATH for a root; REQUEST_TOO_LARGE for more than 1,000,000 roots.
  absl::StatusOr<v1::ComputeStageStatisticsResponse> ComputeStageStatistics(
      const v1::ComputeStageStatisticsRequest& request, const CallOptions& call = {});
  void ComputeStageStatisticsAsync(const v1::ComputeStageStatisticsRequest& request,
                                   Callback<v1::ComputeStageStatisticsResponse> callback,
                                   const CallOptions& call = {});

  // Finds the labels of prims at times or in an interval: their own and those that they inherit.
  // Corresponds to OpenUSD's UsdSemanticsLabelsQuery, and to GetDirectTaxonomies and
  // ComputeInheritedTaxonomies of UsdSemanticsLabelsAPI.
  //
  // INVALID_TIME for no times or an interval without times; INVALID_FIELD for both times and an
  // interval. A path without a prim does not fail the call; it is reported in path_errors.
  absl::StatusOr<v1::ComputeLabelsResponse> ComputeLabels(const v1::ComputeLabelsRequest& request,
                                                          const CallOptions& call = {});
  void ComputeLabelsAsync(const v1::ComputeLabelsRequest& request,
                          Callback<v1::ComputeLabelsResponse> callback,
                          const CallOptions& call = {});

  // ----------------------------------------------------------------------------------- GeomService

  // Computes local-to-world transforms of prims, and on request their local transforms. Shared
  // ancestors are evaluated once. Corresponds to OpenUSD's UsdGeomXformCache.
  absl::StatusOr<v1::ComputeTransformsResponse> ComputeTransforms(
      const v1::ComputeTransformsRequest& request, const CallOptions& call = {});
  void ComputeTransformsAsync(const v1::ComputeTransformsRequest& request,
                              Callback<v1::ComputeTransformsResponse> callback,
                              const CallOptions& call = {});

  // Computes visibility and purpose of prims, including what they inherit from ancestors.
  // Corresponds to OpenUSD's UsdGeomImageable::ComputeVisibility and ComputePurpose.
  absl::StatusOr<v1::ComputeVisibilityResponse> ComputeVisibility(
      const v1::ComputeVisibilityRequest& request, const CallOptions& call = {});
  void ComputeVisibilityAsync(const v1::ComputeVisibilityRequest& request,
                              Callback<v1::ComputeVisibilityResponse> callback,
                              const CallOptions& call = {});

  // Computes bounds of prims and their descendants, or of instances of point instancers, and the
  // extentsHint that models could have. Corresponds to OpenUSD's UsdGeomBBoxCache and to
  // UsdGeomModelAPI::ComputeExtentsHint.
  absl::StatusOr<v1::ComputeBoundsResponse> ComputeBounds(const v1::ComputeBoundsRequest& request,
                                                          const CallOptions& call = {});
  void ComputeBoundsAsync(const v1::ComputeBoundsRequest& request,
                          Callback<v1::ComputeBoundsResponse> callback,
                          const CallOptions& call = {});

  // Computes what cameras see: their lenses, exposure, transforms and frustums, for an image of a
  // given aspect ratio. A path whose prim is not a Camera has the error WRONG_KIND. Corresponds to
  // OpenUSD's UsdGeomCamera::GetCamera, and to GfCamera::GetFrustum with CameraUtilConformWindow.
  absl::StatusOr<v1::ComputeCamerasResponse> ComputeCameras(
      const v1::ComputeCamerasRequest& request, const CallOptions& call = {});
  void ComputeCamerasAsync(const v1::ComputeCamerasRequest& request,
                           Callback<v1::ComputeCamerasResponse> callback,
                           const CallOptions& call = {});

  // Computes how models are to be drawn in place of their geometry, and where their constraint
  // targets are. Corresponds to OpenUSD's UsdGeomModelAPI::ComputeModelDrawMode and to
  // UsdGeomConstraintTarget::ComputeInWorldSpace.
  absl::StatusOr<v1::ComputeModelsResponse> ComputeModels(const v1::ComputeModelsRequest& request,
                                                          const CallOptions& call = {});
  void ComputeModelsAsync(const v1::ComputeModelsRequest& request,
                          Callback<v1::ComputeModelsResponse> callback,
                          const CallOptions& call = {});

  // Chooses the levels of detail of prims for a camera: as an override says, else as the first
  // heuristic that applies recommends, else the default of the prim. Overrides, distances, sizes
  // and levels are those of OpenUSD's UsdLodOverrideAPI, UsdLodDistanceHeuristic and
  // UsdLodScreenSizeHeuristic; which heuristic counts, OpenUSD leaves to renderers.
  //
  // PRIM_NOT_FOUND, INVALID_PATH or WRONG_KIND for the camera; INVALID_FIELD for a view that is not
  // complete; REQUEST_TOO_LARGE for more prims × times than the daemon's --max-batch-items. A path
  // without a prim that has LODRootAPI does not fail the call; it is reported in path_errors.
  absl::StatusOr<v1::ComputeLevelsOfDetailResponse> ComputeLevelsOfDetail(
      const v1::ComputeLevelsOfDetailRequest& request, const CallOptions& call = {});
  void ComputeLevelsOfDetailAsync(const v1::ComputeLevelsOfDetailRequest& request,
                                  Callback<v1::ComputeLevelsOfDetailResponse> callback,
                                  const CallOptions& call = {});

  // Streams the primvars of prims, including inherited ones, with their values. Items come in
  // order. An item that has too much besides arrays of numbers has the error REQUEST_TOO_LARGE.
  absl::Status GetPrimvars(const v1::GetPrimvarsRequest& request,
                           const Sink<v1::GetPrimvarsResponse>& sink);
  absl::Status GetPrimvars(const v1::GetPrimvarsRequest& request,
                           const Sink<v1::GetPrimvarsResponse>& sink, const CallOptions& call);
  void GetPrimvarsAsync(const v1::GetPrimvarsRequest& request, Sink<v1::GetPrimvarsResponse> sink,
                        Done done, const CallOptions& call = {});

  // Streams the points of prims that may move between their samples, and how prims are to be
  // blurred by motion. Items come in order. An item has the error FAILED_PRECONDITION if only one
  // of its time and base_time is the default time. Corresponds to OpenUSD's
  // UsdGeomPointBased::ComputePointsAtTimes and to UsdGeomMotionAPI.
  absl::Status ComputePoints(const v1::ComputePointsRequest& request,
                             const Sink<v1::ComputePointsResponse>& sink);
  absl::Status ComputePoints(const v1::ComputePointsRequest& request,
                             const Sink<v1::ComputePointsResponse>& sink, const CallOptions& call);
  void ComputePointsAsync(const v1::ComputePointsRequest& request,
                          Sink<v1::ComputePointsResponse> sink, Done done,
                          const CallOptions& call = {});

  // Streams the GeomSubsets of prims, which are their children, with their indices, and whether the
  // families of these are valid. Items come in order. Corresponds to OpenUSD's
  // UsdGeomSubset::GetGeomSubsets, GetUnassignedIndices and ValidateFamily.
  absl::Status ComputeSubsets(const v1::ComputeSubsetsRequest& request,
                              const Sink<v1::ComputeSubsetsResponse>& sink);
  absl::Status ComputeSubsets(const v1::ComputeSubsetsRequest& request,
                              const Sink<v1::ComputeSubsetsResponse>& sink,
                              const CallOptions& call);
  void ComputeSubsetsAsync(const v1::ComputeSubsetsRequest& request,
                           Sink<v1::ComputeSubsetsResponse> sink, Done done,
                           const CallOptions& call = {});

  // Streams how many faces, curves and the like prims have, the surfaces of TetMeshes, the segments
  // of BasisCurves, the tangents of HermiteCurves, and what is wrong with the indices of meshes.
  // Items come in order; topology.proto has the messages. Corresponds to OpenUSD's
  // UsdGeomMesh::ValidateTopology, and to what UsdGeomTetMesh, UsdGeomBasisCurves and
  // UsdGeomHermiteCurves compute.
  absl::Status ComputeTopology(const v1::ComputeTopologyRequest& request,
                               const Sink<v1::ComputeTopologyResponse>& sink);
  absl::Status ComputeTopology(const v1::ComputeTopologyRequest& request,
                               const Sink<v1::ComputeTopologyResponse>& sink,
                               const CallOptions& call);
  void ComputeTopologyAsync(const v1::ComputeTopologyRequest& request,
                            Sink<v1::ComputeTopologyResponse> sink, Done done,
                            const CallOptions& call = {});

  // Streams the transforms of the instances of point instancers. Items come in order. Item errors
  // include FAILED_PRECONDITION if the instancer's attributes are inconsistent, and
  // REQUEST_TOO_LARGE if its prototypes have too many paths. Corresponds to OpenUSD's
  // UsdGeomPointInstancer::ComputeInstanceTransformsAtTime.
  absl::Status ComputeInstanceTransforms(const v1::ComputeInstanceTransformsRequest& request,
                                         const Sink<v1::ComputeInstanceTransformsResponse>& sink);
  absl::Status ComputeInstanceTransforms(const v1::ComputeInstanceTransformsRequest& request,
                                         const Sink<v1::ComputeInstanceTransformsResponse>& sink,
                                         const CallOptions& call);
  void ComputeInstanceTransformsAsync(const v1::ComputeInstanceTransformsRequest& request,
                                      Sink<v1::ComputeInstanceTransformsResponse> sink, Done done,
                                      const CallOptions& call = {});

  // ---------------------------------------------------------------------------------- ShadeService

  // Finds the materials that prims are bound to: by relationships of their own, of ancestors, and
  // of collections that they are members of. Shared ancestors and collections are evaluated once.
  // Corresponds to OpenUSD's UsdShadeMaterialBindingAPI::ComputeBoundMaterials.
  absl::StatusOr<v1::ComputeBoundMaterialsResponse> ComputeBoundMaterials(
      const v1::ComputeBoundMaterialsRequest& request, const CallOptions& call = {});
  void ComputeBoundMaterialsAsync(const v1::ComputeBoundMaterialsRequest& request,
                                  Callback<v1::ComputeBoundMaterialsResponse> callback,
                                  const CallOptions& call = {});

  // Lists all relationships that may bind one prim, and why each but one does not. Errors:
  // INVALID_PATH and PRIM_NOT_FOUND.
  absl::StatusOr<v1::ExplainBindingResponse> ExplainBinding(
      const v1::ExplainBindingRequest& request, const CallOptions& call = {});
  void ExplainBindingAsync(const v1::ExplainBindingRequest& request,
                           Callback<v1::ExplainBindingResponse> callback,
                           const CallOptions& call = {});

  // Streams the shaders of materials with their values, and how they are connected. Items come in
  // order, one for each path. Item errors include WRONG_KIND if the prim is no Material, and
  // REQUEST_TOO_LARGE if its network does not fit in a message. Corresponds to OpenUSD's
  // UsdShadeMaterial::ComputeSurfaceSource, ComputeDisplacementSource and ComputeVolumeSource,
  // UsdShadeUtils::GetValueProducingAttributes and UsdShadeNodeDefAPI.
  absl::Status ComputeMaterialNetworks(const v1::ComputeMaterialNetworksRequest& request,
                                       const Sink<v1::ComputeMaterialNetworksResponse>& sink);
  absl::Status ComputeMaterialNetworks(const v1::ComputeMaterialNetworksRequest& request,
                                       const Sink<v1::ComputeMaterialNetworksResponse>& sink,
                                       const CallOptions& call);
  void ComputeMaterialNetworksAsync(const v1::ComputeMaterialNetworksRequest& request,
                                    Sink<v1::ComputeMaterialNetworksResponse> sink, Done done,
                                    const CallOptions& call = {});

  // Finds the coordinate systems that prims name for their shaders: the spaces of other prims.
  // Prims inherit those of their ancestors. Corresponds to OpenUSD's
  // UsdShadeCoordSysAPI::FindBindingsWithInheritanceForPrim.
  absl::StatusOr<v1::ComputeCoordSysBindingsResponse> ComputeCoordSysBindings(
      const v1::ComputeCoordSysBindingsRequest& request, const CallOptions& call = {});
  void ComputeCoordSysBindingsAsync(const v1::ComputeCoordSysBindingsRequest& request,
                                    Callback<v1::ComputeCoordSysBindingsResponse> callback,
                                    const CallOptions& call = {});

  // Finds the color spaces of prims and attributes. Path errors include ATTRIBUTE_NOT_FOUND, and
  // WRONG_KIND for a relationship. Corresponds to OpenUSD's UsdColorSpaceAPI::ComputeColorSpaceName
  // and ComputeColorSpace.
  absl::StatusOr<v1::ComputeColorSpacesResponse> ComputeColorSpaces(
      const v1::ComputeColorSpacesRequest& request, const CallOptions& call = {});
  void ComputeColorSpacesAsync(const v1::ComputeColorSpacesRequest& request,
                               Callback<v1::ComputeColorSpacesResponse> callback,
                               const CallOptions& call = {});

  // ------------------------------------------------------------------------------------ LuxService

  // Lists the lights and light filters of a stage, or of a part of it. Errors: INVALID_PATH and
  // PRIM_NOT_FOUND for the root; REQUEST_TOO_LARGE for more render contexts than 16, or if the list
  // does not fit. Corresponds to OpenUSD's UsdLuxLightListAPI::ComputeLightList and
  // UsdLuxLightAPI::GetShaderId.
  absl::StatusOr<v1::ListLightsResponse> ListLights(const v1::ListLightsRequest& request,
                                                    const CallOptions& call = {});
  void ListLightsAsync(const v1::ListLightsRequest& request,
                       Callback<v1::ListLightsResponse> callback, const CallOptions& call = {});

  // Finds which lights prims are linked to, by the collections of the lights: the inverse of what
  // lights say about prims. Errors: REQUEST_TOO_LARGE for more than 1,000,000 paths or lights, or
  // if the sets do not fit. A path that is malformed or has no prim does not fail the call; it is
  // reported with INVALID_PATH or PRIM_NOT_FOUND in path_errors, whose `item` is the index of the
  // path.
  absl::StatusOr<v1::ComputeLightSetsResponse> ComputeLightSets(
      const v1::ComputeLightSetsRequest& request, const CallOptions& call = {});
  void ComputeLightSetsAsync(const v1::ComputeLightSetsRequest& request,
                             Callback<v1::ComputeLightSetsResponse> callback,
                             const CallOptions& call = {});

  // Explains why one prim is linked to one light or light filter, or is not. Errors: INVALID_PATH
  // and PRIM_NOT_FOUND for both paths; REQUEST_TOO_LARGE if the expression does not fit.
  // Corresponds to OpenUSD's UsdCollectionMembershipQuery::IsPathIncluded.
  absl::StatusOr<v1::ExplainLightLinkResponse> ExplainLightLink(
      const v1::ExplainLightLinkRequest& request, const CallOptions& call = {});
  void ExplainLightLinkAsync(const v1::ExplainLightLinkRequest& request,
                             Callback<v1::ExplainLightLinkResponse> callback,
                             const CallOptions& call = {});

  // -------------------------------------------------------------------------------- PhysicsService

  // Finds the collision groups of a stage, which of them collide, and which groups colliders are
  // in. Errors: REQUEST_TOO_LARGE for more than 1,000,000 paths, or if the table does not fit. A
  // path that is malformed or has no prim does not fail the call; it is reported with INVALID_PATH
  // or PRIM_NOT_FOUND in path_errors, whose `item` is the index of the path. Corresponds to
  // OpenUSD's UsdPhysicsCollisionGroup::ComputeCollisionGroupTable.
  absl::StatusOr<v1::ComputeCollisionGroupsResponse> ComputeCollisionGroups(
      const v1::ComputeCollisionGroupsRequest& request, const CallOptions& call = {});
  void ComputeCollisionGroupsAsync(const v1::ComputeCollisionGroupsRequest& request,
                                   Callback<v1::ComputeCollisionGroupsResponse> callback,
                                   const CallOptions& call = {});

  // Computes the mass, center of mass and inertia of rigid bodies, from what is authored for them
  // and for their colliders: the enabled ones at and below them, without those of other enabled
  // rigid bodies below. Reads default values only. Errors: REQUEST_TOO_LARGE for more than
  // 1,000,000 paths, or if the masses do not fit. A path that is malformed, has no prim, or one
  // without PhysicsRigidBodyAPI does not fail the call; it is reported with INVALID_PATH,
  // PRIM_NOT_FOUND or WRONG_KIND in path_errors, whose `item` is the index of the path. Corresponds
  // to OpenUSD's UsdPhysicsRigidBodyAPI::ComputeMassProperties.
  absl::StatusOr<v1::ComputeMassPropertiesResponse> ComputeMassProperties(
      const v1::ComputeMassPropertiesRequest& request, const CallOptions& call = {});
  void ComputeMassPropertiesAsync(const v1::ComputeMassPropertiesRequest& request,
                                  Callback<v1::ComputeMassPropertiesResponse> callback,
                                  const CallOptions& call = {});

  // --------------------------------------------------------------------------------- RenderService

  // Finds the products of RenderSettings prims, their cameras and their render vars. Values that a
  // product does not author are those of the settings; the aperture of the camera is fitted to the
  // image. A path that is malformed, has no prim or one that is no RenderSettings does not fail the
  // call; it is reported with INVALID_PATH, PRIM_NOT_FOUND or WRONG_KIND in path_errors, whose
  // `item` is the index of the path. Corresponds to OpenUSD's UsdRenderComputeSpec and
  // UsdRenderSettings::GetStageRenderSettings.
  absl::StatusOr<v1::ComputeRenderSettingsResponse> ComputeRenderSettings(
      const v1::ComputeRenderSettingsRequest& request, const CallOptions& call = {});
  void ComputeRenderSettingsAsync(const v1::ComputeRenderSettingsRequest& request,
                                  Callback<v1::ComputeRenderSettingsResponse> callback,
                                  const CallOptions& call = {});

  // Describes RenderPass prims, and which prims belong to their collections. Errors for a pass:
  // INVALID_PATH, PRIM_NOT_FOUND, and WRONG_KIND if it is no RenderPass; REQUEST_TOO_LARGE for more
  // passes × paths than the daemon's --max-batch-items. A path that is malformed or has no prim
  // does not fail the call; it is reported with INVALID_PATH or PRIM_NOT_FOUND in path_errors,
  // whose `item` is the index of the path. Corresponds to OpenUSD's UsdRenderPass.
  absl::StatusOr<v1::ComputeRenderPassesResponse> ComputeRenderPasses(
      const v1::ComputeRenderPassesRequest& request, const CallOptions& call = {});
  void ComputeRenderPassesAsync(const v1::ComputeRenderPassesRequest& request,
                                Callback<v1::ComputeRenderPassesResponse> callback,
                                const CallOptions& call = {});

  // Finds the fields of Volume prims, and the files with their data at times. A path that is
  // malformed, has no prim or one that is no Volume does not fail the call; it is reported with
  // INVALID_PATH, PRIM_NOT_FOUND or WRONG_KIND in path_errors, whose `item` is the index of the
  // path. Corresponds to OpenUSD's UsdVolVolume::GetFieldPaths and UsdVolFieldAsset.
  absl::StatusOr<v1::ComputeVolumeFieldsResponse> ComputeVolumeFields(
      const v1::ComputeVolumeFieldsRequest& request, const CallOptions& call = {});
  void ComputeVolumeFieldsAsync(const v1::ComputeVolumeFieldsRequest& request,
                                Callback<v1::ComputeVolumeFieldsResponse> callback,
                                const CallOptions& call = {});

  // ---------------------------------------------------------------------------------- FrameService

  // Sends a frame: first a message with the header, and last one with the token. In between come
  // lights, then the prims in stage order, those of prototypes last, and then the lights that are
  // prims, too. Prims come in batches: a message with their rows, and then, in this or later
  // messages, their visibility, transforms, geometry and subsets. Materials, sets of lights and
  // geometry come with the first batch that needs them, materials and sets before it; the geometry
  // of point instancers may come with a later one.
  //
  // The first frame of a large stage is sent while the daemon still finds its prims.
  //
  // A part that cannot be computed is left out, and does not fail the call: the path of its prim is
  // reported in path_errors, whose `item` is the index of the path in the error_paths of the
  // message. It is reported again in each frame for which the part is computed. Errors:
  // INVALID_PATH and PRIM_NOT_FOUND for a path of the selection that has no prim, WRONG_KIND for a
  // camera, settings or a pass of another type; INVALID_FIELD for a purpose or a base_token that is
  // malformed; those of SamplePolicy; REQUEST_TOO_LARGE for more than 1,000 roots, excluded paths,
  // types, primvars, render contexts or purposes.
  absl::Status ExtractFrame(const v1::ExtractFrameRequest& request,
                            const Sink<v1::ExtractFrameResponse>& sink);
  absl::Status ExtractFrame(const v1::ExtractFrameRequest& request,
                            const Sink<v1::ExtractFrameResponse>& sink, const CallOptions& call);
  void ExtractFrameAsync(const v1::ExtractFrameRequest& request,
                         Sink<v1::ExtractFrameResponse> sink, Done done,
                         const CallOptions& call = {});

  // Computes a name for all that ExtractFrame would send for the frame as a complete one: frames
  // with equal fingerprints are equal in every bit, but for their time, from which the times of
  // samples count. So the fingerprint of a frame is that of the next one if nothing moves between
  // them. It costs as much as computing what may vary. Errors: those of ExtractFrame.
  absl::StatusOr<v1::ComputeFrameFingerprintResponse> ComputeFrameFingerprint(
      const v1::ComputeFrameFingerprintRequest& request, const CallOptions& call = {});
  void ComputeFrameFingerprintAsync(const v1::ComputeFrameFingerprintRequest& request,
                                    Callback<v1::ComputeFrameFingerprintResponse> callback,
                                    const CallOptions& call = {});

  // Streams the content of a file that holds a frame as one layer, which renderers open without the
  // layers of the stage: prims at their paths, with transforms to world space, points as they are
  // deformed, the primvars that they inherit, and direct bindings of materials, whose networks, and
  // lights, camera and render settings, are in the layer too. What varies within the shutter has
  // time samples. A prim that cannot be computed is left out and does not fail the call; it is
  // reported in path_errors, whose `item` is the index of the path in error_paths. Errors: those of
  // ExtractFrame; INVALID_FIELD for an unknown format.
  absl::Status ExportFrame(const v1::ExportFrameRequest& request,
                           const Sink<v1::ExportFrameResponse>& sink);
  absl::Status ExportFrame(const v1::ExportFrameRequest& request,
                           const Sink<v1::ExportFrameResponse>& sink, const CallOptions& call);
  void ExportFrameAsync(const v1::ExportFrameRequest& request, Sink<v1::ExportFrameResponse> sink,
                        Done done, const CallOptions& call = {});

  // ----------------------------------------------------------------------------------- SkelService

  // Streams the skinnable prims below SkelRoots with the skeletons they are bound to, in stage
  // order. Corresponds to OpenUSD's UsdSkelCache::ComputeSkelBindings.
  //
  // PRIM_NOT_FOUND or INVALID_PATH for a root.
  absl::Status ListSkelBindings(const v1::ListSkelBindingsRequest& request,
                                const Sink<v1::ListSkelBindingsResponse>& sink);
  absl::Status ListSkelBindings(const v1::ListSkelBindingsRequest& request,
                                const Sink<v1::ListSkelBindingsResponse>& sink,
                                const CallOptions& call);
  void ListSkelBindingsAsync(const v1::ListSkelBindingsRequest& request,
                             Sink<v1::ListSkelBindingsResponse> sink, Done done,
                             const CallOptions& call = {});

  // Streams the joint transforms of skeletons at times. Items come in order. Corresponds to
  // OpenUSD's UsdSkelSkeletonQuery. Errors of single paths are reported in their items:
  // PRIM_NOT_FOUND, INVALID_PATH or WRONG_KIND.
  absl::Status ComputeJointTransforms(const v1::ComputeJointTransformsRequest& request,
                                      const Sink<v1::ComputeJointTransformsResponse>& sink);
  absl::Status ComputeJointTransforms(const v1::ComputeJointTransformsRequest& request,
                                      const Sink<v1::ComputeJointTransformsResponse>& sink,
                                      const CallOptions& call);
  void ComputeJointTransformsAsync(const v1::ComputeJointTransformsRequest& request,
                                   Sink<v1::ComputeJointTransformsResponse> sink, Done done,
                                   const CallOptions& call = {});

  // Streams the points, and on request the normals, of prims at times after blend shapes and
  // skinning. Corresponds to OpenUSD's UsdSkelBakeSkinning. A prim that is not bound to a valid
  // skeleton is reported in its item with WRONG_KIND.
  //
  // PRIM_NOT_FOUND or INVALID_PATH for a path.
  absl::Status ComputeSkinnedPoints(const v1::ComputeSkinnedPointsRequest& request,
                                    const Sink<v1::ComputeSkinnedPointsResponse>& sink);
  absl::Status ComputeSkinnedPoints(const v1::ComputeSkinnedPointsRequest& request,
                                    const Sink<v1::ComputeSkinnedPointsResponse>& sink,
                                    const CallOptions& call);
  void ComputeSkinnedPointsAsync(const v1::ComputeSkinnedPointsRequest& request,
                                 Sink<v1::ComputeSkinnedPointsResponse> sink, Done done,
                                 const CallOptions& call = {});

  // Streams what a client needs to deform prims itself, on a GPU for example: joint influences and
  // blend shapes once, joint transforms and weights for each time. Corresponds to OpenUSD's
  // UsdSkelSkinningQuery, UsdSkelBlendShapeQuery and UsdSkelSkeletonQuery's
  // ComputeSkinningTransforms. SkinningItem says how points are computed. Errors of single paths
  // are reported in their items: PRIM_NOT_FOUND, INVALID_PATH or, for a prim that is not bound to a
  // valid skeleton, WRONG_KIND.
  absl::Status ComputeSkinning(const v1::ComputeSkinningRequest& request,
                               const Sink<v1::ComputeSkinningResponse>& sink);
  absl::Status ComputeSkinning(const v1::ComputeSkinningRequest& request,
                               const Sink<v1::ComputeSkinningResponse>& sink,
                               const CallOptions& call);
  void ComputeSkinningAsync(const v1::ComputeSkinningRequest& request,
                            Sink<v1::ComputeSkinningResponse> sink, Done done,
                            const CallOptions& call = {});

  // --------------------------------------------------------------------------------- LayersService

  // Streams the specs of one layer with their fields, without composition. A spec whose fields are
  // too large has an error instead of them.
  absl::Status ReadLayer(const v1::ReadLayerRequest& request,
                         const Sink<v1::ReadLayerResponse>& sink);
  absl::Status ReadLayer(const v1::ReadLayerRequest& request,
                         const Sink<v1::ReadLayerResponse>& sink, const CallOptions& call);
  void ReadLayerAsync(const v1::ReadLayerRequest& request, Sink<v1::ReadLayerResponse> sink,
                      Done done, const CallOptions& call = {});

  // Streams the bytes of an asset, or a range of them, as they are stored: of a layer, a texture, a
  // package or a file in a package. Resolves the asset as for a stage, and reads what a stage may
  // read. A caller that reads an asset in ranges gives the version that the first reply had, so
  // that all of them are of one version. Corresponds to ArAsset::Read.
  //
  // ASSET_CHANGED if the asset has another version than the request or the snapshot;
  // LAYER_NOT_FOUND for a missing asset; LAYER_SYNTAX for a file in something that is not a
  // package; ASSET_FORBIDDEN; INVALID_FIELD for an asset path that is relative to nothing; the
  // errors of OpenStage for the parts of a resolver context.
  absl::Status ReadAsset(const v1::ReadAssetRequest& request,
                         const Sink<v1::ReadAssetResponse>& sink);
  absl::Status ReadAsset(const v1::ReadAssetRequest& request,
                         const Sink<v1::ReadAssetResponse>& sink, const CallOptions& call);
  void ReadAssetAsync(const v1::ReadAssetRequest& request, Sink<v1::ReadAssetResponse> sink,
                      Done done, const CallOptions& call = {});

  // Streams the content of a file that holds a layer in another format.
  //
  // INVALID_FIELD for an unknown format.
  absl::Status ConvertLayer(const v1::ConvertLayerRequest& request,
                            const Sink<v1::ConvertLayerResponse>& sink);
  absl::Status ConvertLayer(const v1::ConvertLayerRequest& request,
                            const Sink<v1::ConvertLayerResponse>& sink, const CallOptions& call);
  void ConvertLayerAsync(const v1::ConvertLayerRequest& request,
                         Sink<v1::ConvertLayerResponse> sink, Done done,
                         const CallOptions& call = {});

  // Checks that a layer can be parsed and that all its values can be decoded, and returns what is
  // wrong, and where. Syntax errors and damaged files are diagnostics, not errors of the call.
  // Malformed values of text that OpenUSD reads all the same are warnings.
  absl::StatusOr<v1::ValidateLayerResponse> ValidateLayer(const v1::ValidateLayerRequest& request,
                                                          const CallOptions& call = {});
  void ValidateLayerAsync(const v1::ValidateLayerRequest& request,
                          Callback<v1::ValidateLayerResponse> callback,
                          const CallOptions& call = {});

  // Streams the content of a file that holds a stage, or its root layer stack, flattened into one
  // layer. Instancing is preserved, layer offsets are applied, and value clips become time samples.
  // Corresponds to UsdStage::Flatten and UsdUtilsFlattenLayerStack.
  absl::Status FlattenStage(const v1::FlattenStageRequest& request,
                            const Sink<v1::FlattenStageResponse>& sink);
  absl::Status FlattenStage(const v1::FlattenStageRequest& request,
                            const Sink<v1::FlattenStageResponse>& sink, const CallOptions& call);
  void FlattenStageAsync(const v1::FlattenStageRequest& request,
                         Sink<v1::FlattenStageResponse> sink, Done done,
                         const CallOptions& call = {});

  // Makes a value clip set from clip layers, like OpenUSD's usdstitchclips, and streams its files:
  // the layer with the clip set, the topology and the manifest.
  //
  // INVALID_ARGUMENT if there are no clips, clip_path is in none of them, or a template lacks its
  // time codes; INVALID_FIELD for an output without a USD extension; INVALID_PATH for clip_path.
  absl::Status StitchClips(const v1::StitchClipsRequest& request,
                           const Sink<v1::StitchClipsResponse>& sink);
  absl::Status StitchClips(const v1::StitchClipsRequest& request,
                           const Sink<v1::StitchClipsResponse>& sink, const CallOptions& call);
  void StitchClipsAsync(const v1::StitchClipsRequest& request, Sink<v1::StitchClipsResponse> sink,
                        Done done, const CallOptions& call = {});

  // Makes the manifest of a value clip set of a stage, or of clip layers, and streams its content.
  // Corresponds to UsdClipsAPI::GenerateClipManifest and GenerateClipManifestFromLayers.
  //
  // NOT_FOUND if the prim has no such clip set; FAILED_PRECONDITION if the set has no clips;
  // PRIM_NOT_FOUND or INVALID_PATH for the prim; INVALID_FIELD if the request names no clips.
  absl::Status GenerateClipManifest(const v1::GenerateClipManifestRequest& request,
                                    const Sink<v1::GenerateClipManifestResponse>& sink);
  absl::Status GenerateClipManifest(const v1::GenerateClipManifestRequest& request,
                                    const Sink<v1::GenerateClipManifestResponse>& sink,
                                    const CallOptions& call);
  void GenerateClipManifestAsync(const v1::GenerateClipManifestRequest& request,
                                 Sink<v1::GenerateClipManifestResponse> sink, Done done,
                                 const CallOptions& call = {});

  // Streams the layers, value clips and assets that a stage's root layer needs, found or missing:
  // through all variants, selected or not, and all payloads, loaded or not. Of the source only the
  // root layer counts; no stage is opened. Corresponds to UsdUtilsComputeAllDependencies.
  absl::Status ListDependencies(const v1::ListDependenciesRequest& request,
                                const Sink<v1::ListDependenciesResponse>& sink);
  absl::Status ListDependencies(const v1::ListDependenciesRequest& request,
                                const Sink<v1::ListDependenciesResponse>& sink,
                                const CallOptions& call);
  void ListDependenciesAsync(const v1::ListDependenciesRequest& request,
                             Sink<v1::ListDependenciesResponse> sink, Done done,
                             const CallOptions& call = {});

  // Streams a stage's root layer and all its dependencies as a self-contained set of files for one
  // folder, with asset paths rewritten, or as one package. Of the source only the root layer
  // counts. Corresponds to UsdUtilsLocalizeAsset and UsdUtilsCreateNewUsdzPackage.
  //
  // FAILED_PRECONDITION if two files would get the same name; RESOURCE_EXHAUSTED above 4 GiB.
  absl::Status LocalizeStage(const v1::LocalizeStageRequest& request,
                             const Sink<v1::LocalizeStageResponse>& sink);
  absl::Status LocalizeStage(const v1::LocalizeStageRequest& request,
                             const Sink<v1::LocalizeStageResponse>& sink, const CallOptions& call);
  void LocalizeStageAsync(const v1::LocalizeStageRequest& request,
                          Sink<v1::LocalizeStageResponse> sink, Done done,
                          const CallOptions& call = {});

  // ---------------------------------------------------------------------------------- CacheService

  // Returns the contents and hit counts of the caches, and on request of each clip layer. Needs no
  // stage. REQUEST_TOO_LARGE if there are too many clip layers for one reply.
  absl::StatusOr<v1::GetCacheStatisticsResponse> GetCacheStatistics(
      const v1::GetCacheStatisticsRequest& request, const CallOptions& call = {});
  void GetCacheStatisticsAsync(const v1::GetCacheStatisticsRequest& request,
                               Callback<v1::GetCacheStatisticsResponse> callback,
                               const CallOptions& call = {});

  // Opens the value clips that prims need over an interval of times, so that later reads find them
  // open. Clips that cannot be opened are skipped.
  //
  // Errors: PRIM_NOT_FOUND or INVALID_PATH for the first path without a prim; INVALID_TIME for an
  // interval with NaN.
  absl::StatusOr<v1::PrefetchClipsResponse> PrefetchClips(const v1::PrefetchClipsRequest& request,
                                                          const CallOptions& call = {});
  void PrefetchClipsAsync(const v1::PrefetchClipsRequest& request,
                          Callback<v1::PrefetchClipsResponse> callback,
                          const CallOptions& call = {});

  // --------------------------------------------------------------------------------- ServerService

  // Returns what the daemon offers: its version, limits, optional features, asset backends and
  // layer formats. Needs no stage. The same for as long as the daemon runs.
  absl::StatusOr<v1::GetCapabilitiesResponse> GetCapabilities(
      const v1::GetCapabilitiesRequest& request, const CallOptions& call = {});
  void GetCapabilitiesAsync(const v1::GetCapabilitiesRequest& request,
                            Callback<v1::GetCapabilitiesResponse> callback,
                            const CallOptions& call = {});

  // Returns the daemon's version, uptime and memory, the numbers of stages and leases, and call
  // counts per RPC. Needs no stage.
  absl::StatusOr<v1::GetServerStatisticsResponse> GetServerStatistics(
      const v1::GetServerStatisticsRequest& request, const CallOptions& call = {});
  void GetServerStatisticsAsync(const v1::GetServerStatisticsRequest& request,
                                Callback<v1::GetServerStatisticsResponse> callback,
                                const CallOptions& call = {});

  // ---------------------------------------------------------------------------------- AdminService

  // Returns the calls in flight, and the slowest calls of the last ten minutes.
  absl::StatusOr<v1::ListCallsResponse> ListCalls(const v1::ListCallsRequest& request,
                                                  const CallOptions& call = {});
  void ListCallsAsync(const v1::ListCallsRequest& request, Callback<v1::ListCallsResponse> callback,
                      const CallOptions& call = {});

  // Drops what caches keep for later and nobody uses, and gives the memory back to the system. What
  // is in use stays.
  absl::StatusOr<v1::EvictCachesResponse> EvictCaches(const v1::EvictCachesRequest& request,
                                                      const CallOptions& call = {});
  void EvictCachesAsync(const v1::EvictCachesRequest& request,
                        Callback<v1::EvictCachesResponse> callback, const CallOptions& call = {});

  // Begins to stop the daemon, as SIGTERM does: it refuses new calls, lets those in flight finish
  // for a while, and exits. A daemon that is draining already is not hurried. Returns at once.
  absl::StatusOr<v1::DrainResponse> Drain(const v1::DrainRequest& request,
                                          const CallOptions& call = {});
  void DrainAsync(const v1::DrainRequest& request, Callback<v1::DrainResponse> callback,
                  const CallOptions& call = {});

  // Sets the least severity that is logged, until the configuration is reloaded or the daemon is
  // restarted. Returns the one before.
  absl::StatusOr<v1::SetLogLevelResponse> SetLogLevel(const v1::SetLogLevelRequest& request,
                                                      const CallOptions& call = {});
  void SetLogLevelAsync(const v1::SetLogLevelRequest& request,
                        Callback<v1::SetLogLevelResponse> callback, const CallOptions& call = {});

  // Reads the configuration file again and applies what can change while the daemon runs, and opens
  // the log files again, as SIGHUP does. FAILED_PRECONDITION (UNSUPPORTED) if the daemon was
  // started without a configuration file; ABORTED while the file is being read.
  absl::StatusOr<v1::ReloadConfigResponse> ReloadConfig(const v1::ReloadConfigRequest& request,
                                                        const CallOptions& call = {});
  void ReloadConfigAsync(const v1::ReloadConfigRequest& request,
                         Callback<v1::ReloadConfigResponse> callback, const CallOptions& call = {});

  // Returns the configuration that is in force. It names the files of keys and tokens, not their
  // contents.
  absl::StatusOr<v1::GetConfigResponse> GetConfig(const v1::GetConfigRequest& request,
                                                  const CallOptions& call = {});
  void GetConfigAsync(const v1::GetConfigRequest& request, Callback<v1::GetConfigResponse> callback,
                      const CallOptions& call = {});

  // END generated

 private:
  class Impl;
  explicit Client(std::unique_ptr<Impl> impl);

  const std::unique_ptr<Impl> impl_;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_CLIENT_CC_CLIENT_H_
