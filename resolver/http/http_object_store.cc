#include "resolver/http/http_object_store.h"

#include <algorithm>
#include <deque>
#include <optional>
#include <utility>

#include "base/status.h"
#include "base/status_macros.h"
#include "resolver/access/url.h"
#include "resolver/http/fetch_exchange.h"
#include "resolver/http/object_exchange.h"

namespace stagedoor {
namespace {

constexpr size_t kMaxOriginsWithoutRanges = 256;
constexpr size_t kMaxWholes = 4;

// `status` with the path, and as one of the errors that ObjectStore documents.
absl::Status ReadError(const std::string& path, const absl::Status& status) {
  if (status.ok()) return status;
  const std::string message =
      Concat("cannot read ", Quoted(UrlForMessage(path)), ": ", Message(status));
  switch (status.code()) {
    case absl::StatusCode::kNotFound:
    case absl::StatusCode::kPermissionDenied:
    case absl::StatusCode::kInvalidArgument:
    case absl::StatusCode::kUnavailable:
    case absl::StatusCode::kFailedPrecondition:
    case absl::StatusCode::kResourceExhausted:
    case absl::StatusCode::kCancelled:
    case absl::StatusCode::kDeadlineExceeded:
    case absl::StatusCode::kDataLoss:
      return MakeStatus(status.code(), message);
    default:
      return UnavailableError(message);
  }
}

// The ranges without gaps between consecutive ones that touch.
std::vector<ByteRange> Merged(std::span<const ByteRange> ranges) {
  std::vector<ByteRange> merged;
  for (const ByteRange& range : ranges) {
    if (!merged.empty() && merged.back().end() == range.offset) {
      merged.back().size += range.size;
    } else {
      merged.push_back(range);
    }
  }
  return merged;
}

absl::Status CheckRanges(std::span<const ByteRange> ranges, uint64_t size) {
  for (const ByteRange& range : ranges) {
    if (range.size == 0 || range.offset > size || range.size > size - range.offset) {
      return InvalidArgumentError("the range ", range.offset, "+", range.size,
                                  " is not within its ", size, " bytes");
    }
  }
  return absl::OkStatus();
}

}  // namespace

HttpObjectStore::HttpObjectStore(std::shared_ptr<HttpClient> client,
                                 std::shared_ptr<const HttpObjectProtocol> protocol)
    : client_(std::move(client)), protocol_(std::move(protocol)) {}

absl::StatusOr<ObjectStore::Opened> HttpObjectStore::Open(RequestContext& context,
                                                          const std::string& path,
                                                          const ObjectInfo* known,
                                                          size_t head_bytes) const {
  SD_ASSIGN_OR_RETURN(HttpRequest request, protocol_->MakeRequest(path, nullptr));
  InspectExchange exchange(*protocol_, std::move(request), known, head_bytes);
  SD_RETURN_IF_ERROR(ReadError(path, client_->Run(context, exchange)));
  Opened opened = exchange.TakeOpened();
  if (exchange.whole() != nullptr) KeepWhole(path, opened.info.version, exchange.whole());
  return opened;
}

std::vector<absl::StatusOr<ObjectInfo>> HttpObjectStore::GetInfo(
    RequestContext& context, std::span<const std::string> paths) const {
  std::vector<absl::StatusOr<ObjectInfo>> results(paths.size(), ObjectInfo());
  std::deque<InspectExchange> exchanges;
  std::vector<HttpExchange*> pointers;
  std::vector<size_t> places;
  for (size_t i = 0; i < paths.size(); ++i) {
    absl::StatusOr<HttpRequest> request = protocol_->MakeRequest(paths[i], nullptr);
    if (!request.ok()) {
      results[i] = request.status();
      continue;
    }
    pointers.push_back(&exchanges.emplace_back(*protocol_, *std::move(request), nullptr, 0));
    places.push_back(i);
  }
  const std::vector<absl::Status> ended =
      client_->Run(context, pointers, kParallelInspections, /*stop_at_error=*/false);
  for (size_t i = 0; i < ended.size(); ++i) {
    const std::string& path = paths[places[i]];
    if (!ended[i].ok()) {
      results[places[i]] = ReadError(path, ended[i]);
      continue;
    }
    results[places[i]] = exchanges[i].TakeOpened().info;
    if (exchanges[i].whole() != nullptr) {
      KeepWhole(path, results[places[i]]->version, exchanges[i].whole());
    }
  }
  return results;
}

absl::Status HttpObjectStore::Fetch(RequestContext& context, const std::string& path,
                                    const ObjectInfo& info, std::span<const ByteRange> ranges,
                                    const Sink& sink) const {
  SD_RETURN_IF_ERROR(ReadError(path, CheckRanges(ranges, info.size)));
  SD_ASSIGN_OR_RETURN(const HttpRequest request, protocol_->MakeRequest(path, &info));
  RangeDelivery delivery(Merged(ranges), sink);
  if (const auto content = FindWhole(path, info.version)) {
    (void)delivery.Deliver(0, *content);
    return delivery.sink_status();
  }
  absl::Status status;
  bool whole = IsVersionOfContent(info.version) || HasNoRanges(request.url.Origin());
  if (!whole) status = FetchPieces(context, request, info, &delivery, &whole);
  if (whole) status = FetchWhole(context, path, request, info, &delivery);
  if (!delivery.sink_status().ok()) return delivery.sink_status();
  return ReadError(path, status);
}

absl::Status HttpObjectStore::FetchPieces(RequestContext& context, const HttpRequest& request,
                                          const ObjectInfo& info, RangeDelivery* delivery,
                                          bool* got_whole) const {
  std::deque<FetchExchange> exchanges;
  std::vector<HttpExchange*> pointers;
  for (size_t i = 0; i < delivery->size(); ++i) {
    const ByteRange& range = delivery->range(i);
    for (uint64_t at = range.offset; at < range.end(); at += kPieceBytes) {
      const ByteRange piece{at, std::min(kPieceBytes, range.end() - at)};
      pointers.push_back(&exchanges.emplace_back(*protocol_, request, info,
                                                 FetchExchange::Piece{piece, i}, delivery));
    }
  }
  const std::vector<absl::Status> ended =
      client_->Run(context, pointers, kParallelPieces, /*stop_at_error=*/true);
  *got_whole = std::any_of(exchanges.begin(), exchanges.end(),
                           [](const FetchExchange& exchange) { return exchange.got_whole(); });
  if (*got_whole) RememberNoRanges(request.url.Origin());
  // The others were cancelled because of the first error.
  absl::Status status;
  for (const absl::Status& each : ended) {
    if (status.ok() || status.code() == absl::StatusCode::kCancelled) {
      if (!each.ok()) status = each;
    }
  }
  return status;
}

absl::Status HttpObjectStore::FetchWhole(RequestContext& context, const std::string& path,
                                         const HttpRequest& request, const ObjectInfo& info,
                                         RangeDelivery* delivery) const {
  if (IsVersionOfContent(info.version) && info.size > kMaxWholeBytes) {
    return InvalidArgumentError("an object without ETag must not have ", info.size, " bytes");
  }
  FetchExchange exchange(*protocol_, request, info, std::nullopt, delivery);
  SD_RETURN_IF_ERROR(client_->Run(context, exchange));
  if (exchange.whole() != nullptr) KeepWhole(path, info.version, exchange.whole());
  return absl::OkStatus();
}

bool HttpObjectStore::HasNoRanges(const std::string& origin) const {
  MutexLock lock(mu_);
  return without_ranges_.contains(origin);
}

void HttpObjectStore::RememberNoRanges(const std::string& origin) const {
  MutexLock lock(mu_);
  if (without_ranges_.size() == kMaxOriginsWithoutRanges) without_ranges_.clear();
  without_ranges_.insert(origin);
}

std::shared_ptr<const std::string> HttpObjectStore::FindWhole(const std::string& path,
                                                              const AssetVersion& version) const {
  MutexLock lock(mu_);
  const auto it = wholes_.Find(path);
  if (it == wholes_.end() || !(it->value.version == version)) return nullptr;
  wholes_.Touch(it);
  return it->value.content;
}

void HttpObjectStore::KeepWhole(const std::string& path, const AssetVersion& version,
                                std::shared_ptr<const std::string> content) const {
  MutexLock lock(mu_);
  if (const auto it = wholes_.Find(path); it != wholes_.end()) wholes_.Erase(it);
  wholes_.Add(path, {version, std::move(content)});
  if (wholes_.size() > kMaxWholes) wholes_.Erase(wholes_.oldest());
}

}  // namespace stagedoor
