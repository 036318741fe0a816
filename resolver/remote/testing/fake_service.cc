#include "resolver/remote/testing/fake_service.h"

#include <grpcpp/security/server_credentials.h>
#include <grpcpp/server_builder.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>

#include "base/status.h"
#include "resolver/asset_path.h"
#include "resolver/resolver.h"

namespace stagedoor {

namespace pb = resolver::v1;

namespace {

// Fills `error` if the path is not possible or `found` is false. Returns whether it did.
bool SetError(const std::string& path, bool found, pb::ItemError* error) {
  const bool possible = CheckAssetPath(path).ok();
  error->set_code(possible ? pb::ERROR_CODE_NOT_FOUND : pb::ERROR_CODE_INVALID_ARGUMENT);
  error->set_message(Concat(possible ? "no asset " : "not a path: ", Quoted(path)));
  return !possible || !found;
}

}  // namespace

void FakeService::Write(const std::string& path, const std::string& content) {
  MutexLock lock(mu_);
  assets_[path] = std::make_shared<const std::string>(content);
}

void FakeService::Remove(const std::string& path) {
  MutexLock lock(mu_);
  assets_.erase(path);
}

void FakeService::FailNextCalls(int count) {
  before = [left = std::make_shared<std::atomic<int>>(count)](const grpc::ServerContext&) {
    return left->fetch_sub(1) > 0 ? grpc::Status(grpc::StatusCode::UNAVAILABLE, "try later")
                                  : grpc::Status::OK;
  };
}

grpc::Status FakeService::WaitForCancellation(const grpc::ServerContext& call) {
  while (!call.IsCancelled()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  return grpc::Status::CANCELLED;
}

void FakeService::Send(const pb::WatchResponse& message) {
  MutexLock lock(mu_);
  for (Watcher& watcher : watchers_) watcher.pending.push_back(message);
  changed_.NotifyAll();
}

void FakeService::EndWatches() {
  MutexLock lock(mu_);
  for (Watcher& watcher : watchers_) watcher.ending = true;
  changed_.NotifyAll();
  while (std::any_of(watchers_.begin(), watchers_.end(),
                     [](const Watcher& watcher) { return watcher.ending; })) {
    changed_.Wait(mu_);
  }
}

void FakeService::WaitForWatchers(size_t count) {
  MutexLock lock(mu_);
  while (watchers_.size() != count) changed_.Wait(mu_);
}

pb::WatchRequest FakeService::watched() const {
  MutexLock lock(mu_);
  return watched_;
}

std::vector<pb::ReadRequest> FakeService::reads() const {
  MutexLock lock(mu_);
  return reads_;
}

std::shared_ptr<const std::string> FakeService::Find(const std::string& path) const {
  MutexLock lock(mu_);
  const auto it = assets_.find(path);
  return it == assets_.end() ? nullptr : it->second;
}

std::string FakeService::VersionOf(const std::string& content) const {
  return Concat("v", versions_are_sizes ? content.size() : std::hash<std::string>()(content));
}

grpc::Status FakeService::CreateIdentifier(grpc::ServerContext* call,
                                           const pb::CreateIdentifierRequest* request,
                                           Identifiers* response) {
  if (before) {
    if (const grpc::Status status = before(*call); !status.ok()) return status;
  }
  for (const std::string& path : request->asset_paths()) {
    pb::IdentifierResult& result = *response->add_results();
    if (SetError(path, true, result.mutable_error())) continue;
    const std::string anchored = AnchorAssetPath(path, request->anchor());
    const bool stays = IsSearchAssetPath(path) && Find(anchored) == nullptr;
    result.set_identifier(stays ? NormalizeAssetPath(path) : anchored);
  }
  if (spoil_identifiers) spoil_identifiers(*request, response);
  return grpc::Status::OK;
}

grpc::Status FakeService::Resolve(grpc::ServerContext* call, const pb::ResolveRequest* request,
                                  Paths* response) {
  if (before) {
    if (const grpc::Status status = before(*call); !status.ok()) return status;
  }
  for (const std::string& path : request->identifiers()) {
    pb::ResolveResult& result = *response->add_results();
    if (!SetError(path, Find(path) != nullptr, result.mutable_error())) {
      result.set_resolved_path(path);
    }
  }
  if (spoil_paths) spoil_paths(*request, response);
  return grpc::Status::OK;
}

grpc::Status FakeService::GetVersions(grpc::ServerContext* call,
                                      const pb::GetVersionsRequest* request, Versions* response) {
  if (before) {
    if (const grpc::Status status = before(*call); !status.ok()) return status;
  }
  for (const std::string& path : request->resolved_paths()) {
    pb::VersionResult& result = *response->add_results();
    const auto content = Find(path);
    if (SetError(path, content != nullptr, result.mutable_error())) continue;
    result.mutable_info()->set_version(VersionOf(*content));
    result.mutable_info()->set_size(content->size());
  }
  if (spoil_versions) spoil_versions(*request, response);
  return grpc::Status::OK;
}

grpc::Status FakeService::Answer(const pb::ReadRequest& request, Messages* messages) const {
  const auto content = Find(request.resolved_path());
  pb::ItemError error;
  if (SetError(request.resolved_path(), content != nullptr, &error)) {
    return grpc::Status(static_cast<grpc::StatusCode>(error.code()), error.message());
  }
  const std::string version = VersionOf(*content);
  if (!request.version().empty() && request.version() != version) {
    return grpc::Status(grpc::StatusCode::FAILED_PRECONDITION, "another version");
  }
  pb::AssetInfo& header = *messages->emplace_back().mutable_header();
  header.set_version(version);
  header.set_size(content->size());
  if (request.known_version() == version) return grpc::Status::OK;
  for (const pb::ByteRange& range : request.ranges()) {
    const size_t begin = std::min<size_t>(range.offset(), content->size());
    const size_t end = begin + std::min<size_t>(range.size(), content->size() - begin);
    for (size_t at = begin; at < end; at += piece_bytes) {
      pb::Piece& piece = *messages->emplace_back().mutable_piece();
      piece.set_offset(at);
      piece.set_data(content->substr(at, std::min(piece_bytes, end - at)));
    }
  }
  return grpc::Status::OK;
}

grpc::Status FakeService::Read(grpc::ServerContext* call, const pb::ReadRequest* request,
                               grpc::ServerWriter<pb::ReadResponse>* writer) {
  {
    MutexLock lock(mu_);
    reads_.push_back(*request);
  }
  if (before) {
    if (const grpc::Status status = before(*call); !status.ok()) return status;
  }
  Messages messages;
  grpc::Status status = Answer(*request, &messages);
  if (spoil_read) spoil_read(*request, &messages, &status);
  for (const pb::ReadResponse& message : messages) writer->Write(message);
  return status;
}

grpc::Status FakeService::Watch(grpc::ServerContext* call, const pb::WatchRequest* request,
                                grpc::ServerWriter<pb::WatchResponse>* writer) {
  if (!can_watch) return grpc::Status(grpc::StatusCode::UNIMPLEMENTED, "cannot watch");
  if (before) {
    if (const grpc::Status status = before(*call); !status.ok()) return status;
  }
  pb::WatchResponse started;
  started.mutable_started();
  MutexLock lock(mu_);
  watched_ = *request;
  watchers_.push_back({.pending = {started}});
  const auto self = std::prev(watchers_.end());
  changed_.NotifyAll();
  while (!call->IsCancelled() && !(self->ending && self->pending.empty())) {
    if (self->pending.empty()) {
      changed_.WaitUntil(mu_, std::chrono::steady_clock::now() + std::chrono::milliseconds(10));
      if (!look_for_changes) continue;
      mu_.Unlock();
      pb::WatchResponse found = look_for_changes();
      mu_.Lock();
      if (found.event_case() != 0) self->pending.push_back(std::move(found));
      continue;
    }
    const pb::WatchResponse message = self->pending.front();
    self->pending.pop_front();
    mu_.Unlock();
    writer->Write(message);
    mu_.Lock();
  }
  watchers_.erase(self);
  changed_.NotifyAll();
  return grpc::Status(grpc::StatusCode::UNAVAILABLE, "restarting");
}

FakeServer::FakeServer(const std::string& address) {
  grpc::ServerBuilder builder;
  builder.RegisterService(&service_);
  if (!address.empty()) builder.AddListeningPort(address, grpc::InsecureServerCredentials());
  server_ = builder.BuildAndStart();
}

FakeServer::~FakeServer() { server_->Shutdown(std::chrono::system_clock::now()); }

std::shared_ptr<const ServiceConnection> FakeServer::Connect() const {
  ResolverServiceOptions options;
  options.address = "fake:1";
  options.scheme = "asset";
  options.initial_backoff = std::chrono::milliseconds(1);
  options.max_backoff = std::chrono::milliseconds(2);
  return Connect(options);
}

std::shared_ptr<const ServiceConnection> FakeServer::Connect(
    const ResolverServiceOptions& options) const {
  return std::make_shared<const ServiceConnection>(server_->InProcessChannel({}), options);
}

}  // namespace stagedoor
