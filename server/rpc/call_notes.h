#ifndef STAGEDOOR_SERVER_RPC_CALL_NOTES_H_
#define STAGEDOOR_SERVER_RPC_CALL_NOTES_H_

#include <grpcpp/server_context.h>

#include <optional>
#include <string>
#include <string_view>

#include "base/mutex.h"
#include "base/request_notes.h"
#include "server/log/request_log.h"
#include "server/log/trace_context.h"
#include "server/rpc/call_registry.h"

namespace stagedoor::server {

// The notes of one call. Its metadata is looked at only when somebody asks, which is for few calls.
class CallNotes final : public RequestNotes {
 public:
  // `client` is null for a call that gRPC does not serve, whose client is `peer`; that is empty if
  // it is not known. Both must outlive the object.
  explicit CallNotes(const grpc::CallbackServerContext* client, std::string_view peer = {})
      : client_(client), peer_(peer) {}

  std::string TraceParent() override;

  // Whether the client has sent metadata of this key. Thread-safe, like the following.
  bool HasMetadata(const char* key);

  // Fills what the notes say: IDs, the client, the stage.
  void Fill(RequestRecord* record);
  void Fill(CallInFlight* call);

 private:
  std::string Peer() const { return client_ != nullptr ? client_->peer() : std::string(peer_); }
  // The first value of a metadata key, or empty.
  std::string_view Metadata(const char* key) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  void ReadTrace() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  // The client's, or one that was made up and stays the same.
  const std::string& RequestId() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);

  const grpc::CallbackServerContext* const client_;
  const std::string_view peer_;
  Mutex mu_;  // gRPC converts the metadata on first use, without a lock
  std::string request_id_ ABSL_GUARDED_BY(mu_);
  bool is_trace_read_ ABSL_GUARDED_BY(mu_) = false;
  std::optional<TraceContext> trace_ ABSL_GUARDED_BY(mu_);
  std::string span_id_ ABSL_GUARDED_BY(mu_);
};

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_RPC_CALL_NOTES_H_
