#include "server/rpc/call_notes.h"

#include <utility>

namespace stagedoor::server {

std::string CallNotes::TraceParent() {
  MutexLock lock(mu_);
  ReadTrace();
  return trace_.has_value() ? ChildTraceParent(*trace_, span_id_) : std::string();
}

bool CallNotes::HasMetadata(const char* key) {
  MutexLock lock(mu_);
  return client_ != nullptr && client_->client_metadata().contains(key);
}

void CallNotes::Fill(RequestRecord* record) {
  MutexLock lock(mu_);
  ReadTrace();
  if (trace_.has_value()) {
    record->trace_id = trace_->trace_id;
    record->span_id = span_id_;
    record->parent_id = trace_->parent_id;
  }
  record->request_id = RequestId();
  record->peer = Peer();
  record->stage = subject();
}

void CallNotes::Fill(CallInFlight* call) {
  MutexLock lock(mu_);
  call->request_id = RequestId();
  call->peer = Peer();
  call->stage = subject();
}

std::string_view CallNotes::Metadata(const char* key) const {
  if (client_ == nullptr) return {};
  const auto& metadata = client_->client_metadata();
  const auto found = metadata.find(key);
  return found == metadata.end() ? std::string_view()
                                 : std::string_view(found->second.data(), found->second.size());
}

const std::string& CallNotes::RequestId() {
  if (request_id_.empty()) request_id_ = RequestIdOr(Metadata("x-request-id"));
  return request_id_;
}

void CallNotes::ReadTrace() {
  if (std::exchange(is_trace_read_, true)) return;
  trace_ = ParseTraceParent(Metadata("traceparent"));
  if (trace_.has_value()) span_id_ = RandomHex(16);
}

}  // namespace stagedoor::server
