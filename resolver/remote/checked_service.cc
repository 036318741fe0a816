#include "resolver/remote/checked_service.h"

#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/support/byte_buffer.h>
#include <grpcpp/support/slice.h>

#include <utility>

#include "base/status.h"
#include "base/status_macros.h"
#include "resolver/remote/range_reader.h"

namespace stagedoor {

namespace pb = resolver::v1;

namespace {

absl::Status CheckCount(const char* call, size_t sent, int received) {
  if (static_cast<size_t>(received) == sent) return absl::OkStatus();
  return DataLossError(call, " returned ", received, " results for ", sent, " items");
}

absl::Status ItemStatus(const pb::ItemError& error) {
  if (!pb::ErrorCode_IsValid(error.code()) || error.code() == pb::ERROR_CODE_UNSPECIFIED) {
    return MakeStatus(absl::StatusCode::kUnknown, Concat("an item has the error code ",
                                                         int{error.code()}, ": ", error.message()));
  }
  return MakeStatus(static_cast<absl::StatusCode>(error.code()), error.message());
}

template <typename T>
absl::StatusOr<T> Only(CheckedService::Items<T> items) {
  if (!items.ok()) return items.status();
  return std::move(items->front());
}

}  // namespace

absl::Status ToStatus(const grpc::Status& status) {
  return MakeStatus(static_cast<absl::StatusCode>(status.error_code()), status.error_message());
}

void CheckedService::Prepare(grpc::ClientContext* call) const {
  call->set_deadline(std::chrono::system_clock::now() + timeout());
}

CheckedService::Items<std::string> CheckedService::CreateIdentifier(
    const Paths& asset_paths, const std::string& anchor) const {
  pb::CreateIdentifierRequest request;
  for (const std::string& path : asset_paths) request.add_asset_paths(path);
  request.set_anchor(anchor);
  pb::CreateIdentifierResponse response;
  grpc::ClientContext call;
  Prepare(&call);
  SD_RETURN_IF_ERROR(ToStatus(connection_->stub().CreateIdentifier(&call, request, &response)));
  SD_RETURN_IF_ERROR(CheckCount("CreateIdentifier", asset_paths.size(), response.results_size()));
  std::vector<absl::StatusOr<std::string>> items;
  for (const pb::IdentifierResult& result : response.results()) {
    if (result.has_error()) {
      items.emplace_back(ItemStatus(result.error()));
    } else {
      items.emplace_back(result.identifier());
    }
  }
  return items;
}

CheckedService::Items<std::string> CheckedService::Resolve(const Paths& identifiers) const {
  pb::ResolveRequest request;
  for (const std::string& path : identifiers) request.add_identifiers(path);
  pb::ResolveResponse response;
  grpc::ClientContext call;
  Prepare(&call);
  SD_RETURN_IF_ERROR(ToStatus(connection_->stub().Resolve(&call, request, &response)));
  SD_RETURN_IF_ERROR(CheckCount("Resolve", identifiers.size(), response.results_size()));
  std::vector<absl::StatusOr<std::string>> items;
  for (const pb::ResolveResult& result : response.results()) {
    if (result.has_error()) {
      items.emplace_back(ItemStatus(result.error()));
    } else {
      items.emplace_back(result.resolved_path());
    }
  }
  return items;
}

CheckedService::Items<ObjectInfo> CheckedService::GetVersions(const Paths& resolved_paths) const {
  pb::GetVersionsRequest request;
  for (const std::string& path : resolved_paths) request.add_resolved_paths(path);
  pb::GetVersionsResponse response;
  grpc::ClientContext call;
  Prepare(&call);
  SD_RETURN_IF_ERROR(ToStatus(connection_->stub().GetVersions(&call, request, &response)));
  SD_RETURN_IF_ERROR(CheckCount("GetVersions", resolved_paths.size(), response.results_size()));
  std::vector<absl::StatusOr<ObjectInfo>> items;
  for (const pb::VersionResult& result : response.results()) {
    if (result.has_error()) {
      items.emplace_back(ItemStatus(result.error()));
    } else if (absl::Status checked = CheckServiceInfo(result.info()); !checked.ok()) {
      items.emplace_back(std::move(checked));
    } else {
      items.emplace_back(
          ObjectInfo{AssetVersion(result.info().version()), result.info().size(), {}});
    }
  }
  return items;
}

absl::StatusOr<std::string> CheckedService::CreateIdentifierOf(const std::string& asset_path,
                                                               const std::string& anchor) const {
  return Only(CreateIdentifier({asset_path}, anchor));
}

absl::StatusOr<std::string> CheckedService::ResolveOf(const std::string& identifier) const {
  return Only(Resolve({identifier}));
}

absl::StatusOr<ObjectInfo> CheckedService::GetVersionOf(const std::string& resolved_path) const {
  return Only(GetVersions({resolved_path}));
}

CheckedService::Reading CheckedService::Read(const std::string& resolved_path,
                                             const std::vector<ByteRange>& ranges,
                                             const ReadOptions& options) const {
  Reading reading;
  const ObjectStore::Sink sink = [&](uint64_t, std::span<const std::byte> bytes) {
    reading.bytes.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    return absl::OkStatus();
  };
  RangeReader reader({.version = options.version, .known_version = options.known_version}, ranges,
                     sink);
  pb::ReadRequest request = reader.BeginCall(resolved_path);
  request.clear_ranges();  // it leaves out the empty ones
  for (const ByteRange& range : ranges) {
    pb::ByteRange& sent = *request.add_ranges();
    sent.set_offset(range.offset);
    sent.set_size(range.size);
  }
  grpc::ClientContext call;
  Prepare(&call);
  const auto stream = connection_->stub().Read(&call, request);
  pb::ReadResponse message;
  absl::Status received;
  while (received.ok() && stream->Read(&message)) {
    ++reading.messages;
    received = reader.Take(message);
  }
  if (!received.ok()) call.TryCancel();
  const grpc::Status ended = stream->Finish();
  if (received.ok() && ended.ok()) received = reader.EndCall();
  reading.info = reader.info();
  reading.status = !received.ok()
                       ? DataLossError("Read of ", Quoted(resolved_path), " ", Message(received))
                       : ToStatus(ended);
  return reading;
}

absl::Status CheckedService::CallRaw(const std::string& method, const std::string& request) const {
  grpc::GenericStub stub(connection_->channel());
  const grpc::Slice slice(request);
  const grpc::ByteBuffer sent(&slice, 1);
  grpc::ByteBuffer received;
  grpc::ClientContext call;
  Prepare(&call);
  grpc::CompletionQueue queue;
  const auto reader = stub.PrepareUnaryCall(
      &call, Concat("/stagedoor.resolver.v1.ResolverService/", method), sent, &queue);
  reader->StartCall();
  grpc::Status status;
  reader->Finish(&received, &status, nullptr);
  void* tag = nullptr;
  bool ok = false;
  queue.Next(&tag, &ok);
  return ToStatus(status);
}

}  // namespace stagedoor
