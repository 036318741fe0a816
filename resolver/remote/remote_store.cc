#include "resolver/remote/remote_store.h"

#include "base/status.h"
#include "base/status_macros.h"
#include "resolver/remote/range_reader.h"
#include "resolver/remote/read_call.h"
#include "resolver/remote/service_connection.h"
#include "resolver/remote/service_paths.h"

namespace stagedoor {
namespace {

namespace pb = resolver::v1;

// How often the version of an asset that changes while its head is read is looked up again.
constexpr int kMaxOpenAttempts = 3;

// Makes one call for what `reader` is missing. Returns the error of what was received; the end of
// the call is in `end`.
absl::Status ReadOnce(RequestContext& context, const ServiceConnection& connection,
                      const std::string& path, RangeReader& reader, grpc::Status* end) {
  ReadCall call(context, connection, reader.BeginCall(path));
  while (const pb::ReadResponse* message = call.Next()) {
    SD_RETURN_IF_ERROR(reader.Take(*message));
  }
  *end = call.Finish();
  return end->ok() ? reader.EndCall() : absl::OkStatus();
}

// Reads everything that `reader` is missing, with as many calls as that takes. Contradictions to
// the protocol are DATA_LOSS.
absl::Status ReadMissing(RequestContext& context, const ServiceConnection& connection,
                         const std::string& path, RangeReader& reader) {
  ServiceAttempts attempts(connection.options());
  while (!reader.complete()) {
    SD_RETURN_IF_ERROR(context.Check());
    const uint64_t before = reader.bytes();
    grpc::Status end;
    absl::Status received = ReadOnce(context, connection, path, reader, &end);
    if (reader.sink_failed()) return received;
    if (!received.ok()) {
      return DataLossError(Message(connection.Nonsense(path, Message(received))));
    }
    if (end.ok() || reader.bytes() > before) attempts.Reset();
    if (!end.ok() && !attempts.Again(context, end)) return connection.Error(context, end, path);
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<ObjectStore::Opened> RemoteStore::Open(RequestContext& context,
                                                      const std::string& path,
                                                      const ObjectInfo* known,
                                                      size_t head_bytes) const {
  SD_RETURN_IF_ERROR(CheckServicePath(path));
  const ByteRange head_range{0, head_bytes};
  const std::string known_version = known == nullptr ? "" : known->version.token();
  for (int attempt = 1;; ++attempt) {
    Opened opened;
    const Sink sink = [&](uint64_t, std::span<const std::byte> bytes) {
      opened.head.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
      return absl::OkStatus();
    };
    RangeReader reader({.known_version = known_version}, std::span(&head_range, 1), sink);
    absl::Status read = ReadMissing(context, *connection_, path, reader);
    if (read.ok()) {
      opened.info = *reader.info();
      return opened;
    }
    if (read.code() != absl::StatusCode::kDataLoss) return read;
    if (attempt == kMaxOpenAttempts) return UnavailableError(Message(read));
  }
}

std::vector<absl::StatusOr<ObjectInfo>> RemoteStore::GetInfo(
    RequestContext& context, std::span<const std::string> paths) const {
  std::vector<absl::StatusOr<ObjectInfo>> infos(paths.size());
  std::vector<std::string> possible;
  std::vector<size_t> places;
  for (size_t i = 0; i < paths.size(); ++i) {
    absl::Status checked = CheckServicePath(paths[i]);
    if (checked.ok()) {
      possible.push_back(paths[i]);
      places.push_back(i);
    } else {
      infos[i] = std::move(checked);
    }
  }
  for (size_t done = 0; done < possible.size();) {
    const auto rest = std::span<const std::string>(possible).subspan(done);
    auto batch = GetBatch(context, rest.first(FittingServiceItems(rest)));
    for (auto& info : batch) infos[places[done++]] = std::move(info);
  }
  return infos;
}

std::vector<absl::StatusOr<ObjectInfo>> RemoteStore::GetBatch(
    RequestContext& context, std::span<const std::string> paths) const {
  pb::GetVersionsRequest request;
  for (const std::string& path : paths) request.add_resolved_paths(path);
  pb::GetVersionsResponse response;
  const grpc::Status status = connection_->Call(context, [&](auto* call, auto end) {
    response.Clear();
    connection_->stub().async()->GetVersions(call, &request, &response, std::move(end));
  });
  const bool answered = static_cast<size_t>(response.results_size()) == paths.size();
  std::vector<absl::StatusOr<ObjectInfo>> infos;
  infos.reserve(paths.size());
  for (size_t i = 0; i < paths.size(); ++i) {
    if (!status.ok()) {
      infos.emplace_back(connection_->Error(context, status, paths[i]));
    } else if (!answered) {
      infos.emplace_back(connection_->Nonsense(
          paths[i],
          Concat("returned ", response.results_size(), " versions for ", paths.size(), " paths")));
    } else if (const pb::VersionResult& result = response.results(static_cast<int>(i));
               result.has_error()) {
      infos.emplace_back(connection_->Error(result.error(), paths[i]));
    } else if (const absl::Status checked = CheckServiceInfo(result.info()); !checked.ok()) {
      infos.emplace_back(connection_->Nonsense(paths[i], Message(checked)));
    } else {
      infos.emplace_back(
          ObjectInfo{AssetVersion(result.info().version()), result.info().size(), {}});
    }
  }
  return infos;
}

absl::Status RemoteStore::Fetch(RequestContext& context, const std::string& path,
                                const ObjectInfo& info, std::span<const ByteRange> ranges,
                                const Sink& sink) const {
  SD_RETURN_IF_ERROR(CheckServicePath(path));
  if (ranges.empty()) return context.Check();
  RangeReader reader({.version = info.version.token(), .size = info.size}, ranges, sink);
  return ReadMissing(context, *connection_, path, reader);
}

}  // namespace stagedoor
