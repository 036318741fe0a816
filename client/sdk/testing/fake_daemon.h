#ifndef STAGEDOOR_CLIENT_SDK_FAKE_DAEMON_H_
#define STAGEDOOR_CLIENT_SDK_FAKE_DAEMON_H_

#include <grpcpp/server.h>
#include <grpcpp/server_builder.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/mutex.h"
#include "base/strings.h"
#include "client/sdk/stage.h"
#include "google/rpc/error_details.pb.h"
#include "google/rpc/status.pb.h"
#include "stagedoor/v1/frame.grpc.pb.h"
#include "stagedoor/v1/query.grpc.pb.h"
#include "stagedoor/v1/sessions.grpc.pb.h"
#include "stagedoor/v1/skel.grpc.pb.h"
#include "stagedoor/v1/stages.grpc.pb.h"

namespace stagedoor::sdk {

inline grpc::Status Refusal(grpc::StatusCode code, const std::string& reason) {
  google::rpc::ErrorInfo info;
  info.set_reason(reason);
  google::rpc::Status details;
  details.add_details()->PackFrom(info);
  return grpc::Status(code, "refused", details.SerializeAsString());
}

// A daemon that knows one handle at a time, the one that it granted last. The value of every
// attribute is a double; with `large`, batches are refused as too large. Every prim has one skinned
// point, except "/Rigid".
class FakeDaemon final : public v1::StagesService::Service,
                         public v1::QueryService::Service,
                         public v1::SkelService::Service,
                         public v1::FrameService::Service,
                         public v1::SessionsService::Service {
 public:
  // The answer to a call of WatchStage: messages, and then its end.
  struct WatchAnswer {
    std::vector<v1::WatchStageResponse> messages;
    grpc::Status end;
    bool forget = false;  // the handle, before the end
  };

  // The answer to a call of ExtractFrame.
  struct FrameAnswer {
    std::vector<v1::ExtractFrameResponse> messages;
    grpc::Status end = grpc::Status::OK;
    bool hangs = false;  // before the end, until the client has given up
  };

  explicit FakeDaemon(std::string daemon) : name(std::move(daemon)) {}

  // Serves until the result is destroyed; with `port`, also on a free port of this machine.
  std::unique_ptr<grpc::Server> Serve(int* port = nullptr) {
    grpc::ServerBuilder builder;
    if (port != nullptr) {
      builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(), port);
    }
    builder.SetMaxReceiveMessageSize(-1);
    builder.RegisterService(static_cast<v1::StagesService::Service*>(this));
    builder.RegisterService(static_cast<v1::QueryService::Service*>(this));
    builder.RegisterService(static_cast<v1::SkelService::Service*>(this));
    builder.RegisterService(static_cast<v1::FrameService::Service*>(this));
    builder.RegisterService(static_cast<v1::SessionsService::Service*>(this));
    return builder.BuildAndStart();
  }

  // Holds the readings of values, as a daemon does whose host is gone, until Release.
  void Hold() {
    MutexLock lock(mu_);
    held_ = true;
  }
  void Release() {
    MutexLock lock(mu_);
    held_ = false;
    changed_.NotifyAll();
  }
  // The answer to all readings of values from now on.
  void Refuse(const grpc::Status& status) {
    MutexLock lock(mu_);
    refusal_ = status;
  }
  // The ends of the next streams but WatchStage, after their first message. Later ones are whole.
  void BreakStreams(std::deque<grpc::Status> ends) {
    MutexLock lock(mu_);
    stream_ends_ = std::move(ends);
  }
  // The requests for skinned points.
  std::vector<v1::ComputeSkinnedPointsRequest> skinned() {
    MutexLock lock(mu_);
    return skinned_;
  }
  // Waits until a lease was given back.
  void AwaitClose() {
    MutexLock lock(mu_);
    while (closed_ == 0) changed_.Wait(mu_);
  }
  // The answers to the next calls of WatchStage. Later ones report nothing until the stage is
  // closed.
  void Script(std::deque<WatchAnswer> answers) {
    MutexLock lock(mu_);
    answers_ = std::move(answers);
  }
  std::vector<v1::WatchStageRequest> watched() {
    MutexLock lock(mu_);
    return watched_;
  }

  // The answers to the next calls of ExtractFrame.
  void ScriptFrames(std::deque<FrameAnswer> answers) {
    MutexLock lock(mu_);
    frame_answers_ = std::move(answers);
  }
  // The requests for frames.
  std::vector<v1::ExtractFrameRequest> frames() {
    MutexLock lock(mu_);
    return frames_;
  }

  // Forgets the lists of paths that it has named.
  void EvictPathSets() {
    MutexLock lock(mu_);
    path_sets_.clear();
  }
  // How often DefinePaths was called.
  int defined() {
    MutexLock lock(mu_);
    return defined_;
  }

  // Forgets the handle, as a daemon does that was restarted.
  void Forget() {
    MutexLock lock(mu_);
    handle_.clear();
  }
  std::vector<v1::OpenStageRequest> opened() {
    MutexLock lock(mu_);
    return opened_;
  }
  int closed() {
    MutexLock lock(mu_);
    return closed_;
  }

  const std::string name;
  std::atomic<bool> unreachable = false;
  // The most paths of a request for values; more are too large.
  std::atomic<int> max_paths = 1 << 30;
  // The snapshots of the next readings of values; "" after them.
  std::deque<std::string> snapshots;
  // The snapshots that the readings of values were pinned to, each with its number of paths.
  std::vector<std::pair<std::string, int>> pinned;
  // Whether CloseStage and RenewLease wait until the client has given up.
  std::atomic<bool> hangs = false;
  std::atomic<int> renewing = 0;  // calls of RenewLease that have begun
  std::atomic<int> renewed = 0;   // those that have ended
  // How much time the last call that hung had, and how much the last renewal had left in the end.
  std::atomic<std::chrono::system_clock::duration> time_to_hang = {};
  std::atomic<std::chrono::system_clock::duration> time_left = {};
  // The answer to calls of ComputeFrameFingerprint.
  std::function<std::string(const v1::ComputeFrameFingerprintRequest&)> fingerprint_of;
  bool large = false;
  bool names_paths = true;  // whether DefinePaths exists

 private:
  grpc::Status OpenStage(grpc::ServerContext*, const v1::OpenStageRequest* request,
                         v1::OpenStageResponse* response) override {
    if (unreachable) return grpc::Status(grpc::StatusCode::UNAVAILABLE, "gone");
    MutexLock lock(mu_);
    opened_.push_back(*request);
    handle_ = Concat(name, "-", opened_.size());
    response->set_handle(handle_);
    response->mutable_stage()->set_snapshot(Concat("snapshot of ", handle_));
    return grpc::Status::OK;
  }
  static grpc::Status TooLarge() {
    return Refusal(grpc::StatusCode::RESOURCE_EXHAUSTED, "REQUEST_TOO_LARGE");
  }
  void Hang(const grpc::ServerContext& context) {
    time_to_hang = context.deadline() - std::chrono::system_clock::now();
    while (!context.IsCancelled()) std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  grpc::Status RenewLease(grpc::ServerContext* context, const v1::RenewLeaseRequest*,
                          v1::RenewLeaseResponse*) override {
    ++renewing;
    if (hangs) Hang(*context);
    time_left = context->deadline() - std::chrono::system_clock::now();
    ++renewed;
    return grpc::Status::OK;
  }
  grpc::Status CloseStage(grpc::ServerContext* context, const v1::CloseStageRequest* request,
                          v1::CloseStageResponse*) override {
    if (hangs) Hang(*context);
    MutexLock lock(mu_);
    ++closed_;
    changed_.NotifyAll();
    return Check(request->handle());
  }
  grpc::Status SetSessionLayer(grpc::ServerContext*, const v1::SetSessionLayerRequest* request,
                               v1::SetSessionLayerResponse* response) override {
    MutexLock lock(mu_);
    response->set_snapshot("edited");
    return Check(request->stage().handle());
  }
  grpc::Status MuteLayers(grpc::ServerContext*, const v1::MuteLayersRequest* request,
                          v1::MuteLayersResponse* response) override {
    MutexLock lock(mu_);
    response->set_snapshot("muted");
    return Check(request->stage().handle());
  }
  grpc::Status LoadPrims(grpc::ServerContext*, const v1::LoadPrimsRequest* request,
                         v1::LoadPrimsResponse*) override {
    MutexLock lock(mu_);
    return Check(request->stage().handle());
  }
  grpc::Status UnloadPrims(grpc::ServerContext*, const v1::UnloadPrimsRequest* request,
                           v1::UnloadPrimsResponse*) override {
    MutexLock lock(mu_);
    return Check(request->stage().handle());
  }
  grpc::Status DefinePaths(grpc::ServerContext*, const v1::DefinePathsRequest* request,
                           v1::DefinePathsResponse* response) override {
    MutexLock lock(mu_);
    ++defined_;
    if (!names_paths) return grpc::Status(grpc::StatusCode::UNIMPLEMENTED, "no such method");
    response->set_path_set(Concat("list ", request->paths(0)));
    path_sets_[response->path_set()] = request->paths_size();
    return grpc::Status::OK;
  }
  grpc::Status BatchGetValues(grpc::ServerContext*, const v1::BatchGetValuesRequest* request,
                              v1::BatchGetValuesResponse* response) override {
    if (unreachable) return grpc::Status(grpc::StatusCode::UNAVAILABLE, "gone");
    MutexLock lock(mu_);
    while (held_) changed_.Wait(mu_);
    if (!refusal_.ok()) return refusal_;
    if (large || request->paths_size() > max_paths) return TooLarge();
    pinned.emplace_back(request->stage().snapshot(), request->paths_size());
    int paths = request->paths_size();
    if (const std::string& name_of_paths = request->path_set(); !name_of_paths.empty()) {
      if (!path_sets_.contains(name_of_paths)) {
        return Refusal(grpc::StatusCode::NOT_FOUND, "PATH_SET_UNKNOWN");
      }
      paths = path_sets_.at(name_of_paths);
    }
    if (!snapshots.empty()) {
      response->set_snapshot(snapshots.front());
      snapshots.pop_front();
    }
    response->set_path_count(paths);
    response->set_time_count(1);
    v1::ValueColumn* column = response->add_columns();
    column->set_type_name("double");
    for (int i = 0; i < paths; ++i) column->add_doubles(i + 0.5);
    return Check(request->stage().handle());
  }
  grpc::Status StreamValues(grpc::ServerContext*, const v1::StreamValuesRequest* request,
                            grpc::ServerWriter<v1::StreamValuesResponse>* writer) override {
    MutexLock lock(mu_);
    if (request->paths_size() > max_paths) return TooLarge();
    grpc::Status status = Check(request->stage().handle());
    if (!status.ok()) return status;
    const std::optional<grpc::Status> end = NextEnd();
    for (int i = 0; i < request->paths_size(); ++i) {
      if (i == 1 && end.has_value()) return *end;
      v1::StreamValuesResponse item;
      item.set_item(i);
      item.set_type_name("float[]");
      item.set_state(v1::ITEM_STATE_VALUE);
      v1::PackedValues* packed = item.mutable_value()->mutable_array_value();
      packed->set_component_type(v1::COMPONENT_TYPE_FLOAT32);
      packed->set_rows(1);
      packed->set_columns(1);
      packed->set_count(2);
      packed->set_data(std::string(8, '\0'));
      writer->Write(item);
    }
    return grpc::Status::OK;
  }
  grpc::Status Traverse(grpc::ServerContext*, const v1::TraverseRequest* request,
                        grpc::ServerWriter<v1::TraverseResponse>* writer) override {
    MutexLock lock(mu_);
    grpc::Status status = Check(request->stage().handle());
    if (!status.ok()) return status;
    const std::optional<grpc::Status> end = NextEnd();
    for (const char* const path : {"/A", "/B"}) {
      v1::TraverseResponse part;
      part.add_prims()->set_path(path);
      writer->Write(part);
      if (end.has_value()) return *end;
    }
    return status;
  }
  grpc::Status ComputeSkinnedPoints(
      grpc::ServerContext*, const v1::ComputeSkinnedPointsRequest* request,
      grpc::ServerWriter<v1::ComputeSkinnedPointsResponse>* writer) override {
    MutexLock lock(mu_);
    grpc::Status status = Check(request->stage().handle());
    if (!status.ok()) return status;
    skinned_.push_back(*request);
    const std::optional<grpc::Status> end = NextEnd();
    for (const std::string& path : request->paths()) {
      v1::ComputeSkinnedPointsResponse part;
      part.set_snapshot("skinned");
      v1::SkinnedPrim* item = part.add_items();
      item->set_path(path);
      if (path == "/Rigid") {
        item->mutable_error()->set_code(grpc::StatusCode::INVALID_ARGUMENT);
        item->mutable_error()->set_reason(v1::ERROR_REASON_WRONG_KIND);
      } else {
        item->mutable_points()->set_component_type(v1::COMPONENT_TYPE_FLOAT32);
        item->mutable_points()->set_columns(3);
        item->mutable_points()->set_count(1);
        item->mutable_points()->set_data(std::string(12, '\0'));
      }
      writer->Write(part);
      if (end.has_value()) return *end;
    }
    return status;
  }
  grpc::Status ExtractFrame(grpc::ServerContext* context, const v1::ExtractFrameRequest* request,
                            grpc::ServerWriter<v1::ExtractFrameResponse>* writer) override {
    FrameAnswer answer;
    {
      MutexLock lock(mu_);
      grpc::Status status = Check(request->stage().handle());
      if (!status.ok()) return status;
      frames_.push_back(*request);
      if (frame_answers_.empty()) return grpc::Status(grpc::StatusCode::INTERNAL, "no script");
      answer = frame_answers_.front();
      frame_answers_.pop_front();
    }
    for (const v1::ExtractFrameResponse& message : answer.messages) writer->Write(message);
    if (answer.hangs) Hang(*context);
    return answer.end;
  }
  grpc::Status ComputeFrameFingerprint(grpc::ServerContext*,
                                       const v1::ComputeFrameFingerprintRequest* request,
                                       v1::ComputeFrameFingerprintResponse* response) override {
    response->set_fingerprint(fingerprint_of(*request));
    return grpc::Status::OK;
  }
  grpc::Status WatchStage(grpc::ServerContext* context, const v1::WatchStageRequest* request,
                          grpc::ServerWriter<v1::WatchStageResponse>* writer) override {
    if (unreachable) return grpc::Status(grpc::StatusCode::UNAVAILABLE, "gone");
    MutexLock lock(mu_);
    grpc::Status status = Check(request->stage().handle());
    if (!status.ok()) return status;
    watched_.push_back(*request);
    if (answers_.empty()) return WaitUntilClosed(*context);
    const WatchAnswer answer = answers_.front();
    answers_.pop_front();
    for (const v1::WatchStageResponse& message : answer.messages) writer->Write(message);
    if (answer.forget) handle_.clear();
    return answer.end;
  }
  grpc::Status WaitUntilClosed(const grpc::ServerContext& context)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_) {
    // Nothing tells that the client has cancelled the call, so look now and then.
    while (closed_ == 0 && !context.IsCancelled()) {
      changed_.WaitUntil(mu_, std::chrono::steady_clock::now() + std::chrono::milliseconds(5));
    }
    return Refusal(grpc::StatusCode::FAILED_PRECONDITION, "LEASE_EXPIRED");
  }
  std::optional<grpc::Status> NextEnd() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_) {
    if (stream_ends_.empty()) return std::nullopt;
    grpc::Status end = stream_ends_.front();
    stream_ends_.pop_front();
    return end;
  }
  grpc::Status Check(const std::string& handle) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_) {
    if (handle == handle_) return grpc::Status::OK;
    return Refusal(grpc::StatusCode::NOT_FOUND, "STAGE_NOT_FOUND");
  }

  Mutex mu_;
  CondVar changed_;
  bool held_ ABSL_GUARDED_BY(mu_) = false;
  grpc::Status refusal_ ABSL_GUARDED_BY(mu_);
  std::deque<grpc::Status> stream_ends_ ABSL_GUARDED_BY(mu_);
  std::vector<v1::ComputeSkinnedPointsRequest> skinned_ ABSL_GUARDED_BY(mu_);
  std::deque<FrameAnswer> frame_answers_ ABSL_GUARDED_BY(mu_);
  std::vector<v1::ExtractFrameRequest> frames_ ABSL_GUARDED_BY(mu_);
  std::deque<WatchAnswer> answers_ ABSL_GUARDED_BY(mu_);
  std::vector<v1::WatchStageRequest> watched_ ABSL_GUARDED_BY(mu_);
  std::string handle_ ABSL_GUARDED_BY(mu_);
  std::vector<v1::OpenStageRequest> opened_ ABSL_GUARDED_BY(mu_);
  int closed_ ABSL_GUARDED_BY(mu_) = 0;
  int defined_ ABSL_GUARDED_BY(mu_) = 0;
  std::map<std::string, int> path_sets_ ABSL_GUARDED_BY(mu_);  // the numbers of their paths
};

// Stages of two fake daemons. The client does not repeat calls by itself.
class FakeDaemonTest : public ::testing::Test {
 protected:
  FakeDaemonTest() {
    ConnectionOptions options;
    options.client_name = "test";
    options.failover_after = std::chrono::milliseconds(50);
    connection_ = Connect(options);
  }
  ~FakeDaemonTest() override {
    first_.Release();
    // A thread of the library may release the last reference. The servers must not be gone by then,
    // because a call by an in-process channel would crash.
    const std::weak_ptr<Connection> connection = connection_;
    connection_.reset();
    while (!connection.expired()) std::this_thread::yield();
  }

  std::shared_ptr<Connection> Connect(const ConnectionOptions& connection) {
    std::vector<std::unique_ptr<Client>> clients;
    ClientOptions options;
    options.max_attempts = 1;
    options.connect_timeout = std::chrono::milliseconds(1);
    options.reconnect_timeout = std::chrono::milliseconds(1);
    for (FakeDaemon* daemon : {&first_, &second_}) {
      servers_.push_back(daemon->Serve());
      clients.push_back(Client::FromChannel(servers_.back()->InProcessChannel({}), options));
    }
    return Connection::FromClients(std::move(clients), connection);
  }
  Stage Open(const StageOptions& options = {}) {
    return Stage::Open(connection_, "/root.usda", options).value();
  }
  static absl::StatusOr<double> Read(const Stage& stage, const CallOptions& call = {}) {
    return stage.GetAttributeAtPath("/A.x").Get<double>(1, call);
  }

  FakeDaemon first_{"first"};
  FakeDaemon second_{"second"};
  std::vector<std::unique_ptr<grpc::Server>> servers_;
  std::shared_ptr<Connection> connection_;
};

}  // namespace stagedoor::sdk

#endif  // STAGEDOOR_CLIENT_SDK_FAKE_DAEMON_H_
