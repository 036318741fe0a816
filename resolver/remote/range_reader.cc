#include "resolver/remote/range_reader.h"

#include <algorithm>
#include <utility>

#include "base/status.h"
#include "base/status_macros.h"
#include "resolver/remote/service_connection.h"

namespace stagedoor {

namespace pb = resolver::v1;

absl::Status CheckServiceInfo(const pb::AssetInfo& info) {
  if (info.version().empty()) return DataLossError("sent an empty version");
  if (info.version().size() > kMaxServiceVersionBytes) {
    return DataLossError("sent a version of ", info.version().size(), " bytes; at most ",
                         kMaxServiceVersionBytes, " are allowed");
  }
  if (info.size() > kMaxServiceAssetBytes) {
    return DataLossError("sent a size of ", info.size(), " bytes; at most ", kMaxServiceAssetBytes,
                         " are allowed");
  }
  return absl::OkStatus();
}

RangeReader::RangeReader(Expected expected, std::span<const ByteRange> ranges,
                         const ObjectStore::Sink& sink)
    : expected_(std::move(expected)), sink_(sink), missing_(ranges.begin(), ranges.end()) {
  SkipFinished();
}

pb::ReadRequest RangeReader::BeginCall(const std::string& path) {
  pb::ReadRequest request;
  request.set_resolved_path(path);
  if (info_.has_value()) {
    request.set_version(info_->version.token());
  } else {
    request.set_version(expected_.version);
    request.set_known_version(expected_.known_version);
  }
  requested_end_ = std::min(missing_.size(), next_ + kMaxServiceItems);
  for (size_t i = next_; i < requested_end_; ++i) {
    pb::ByteRange& range = *request.add_ranges();
    range.set_offset(missing_[i].offset);
    range.set_size(missing_[i].size);
  }
  has_header_ = false;
  return request;
}

absl::Status RangeReader::Take(const pb::ReadResponse& message) {
  if (message.has_header()) return TakeHeader(message.header());
  if (message.has_piece()) return TakePiece(message.piece());
  return DataLossError("sent an empty message");
}

absl::Status RangeReader::TakeHeader(const pb::AssetInfo& header) {
  if (has_header_) return DataLossError("sent a second header");
  has_header_ = true;
  SD_RETURN_IF_ERROR(CheckServiceInfo(header));
  const std::string& required = info_.has_value() ? info_->version.token() : expected_.version;
  if (!required.empty() && header.version() != required) {
    return DataLossError("sent version ", Quoted(header.version()), " instead of ",
                         Quoted(required));
  }
  const std::optional<uint64_t> size = info_.has_value() ? info_->size : expected_.size;
  if (header.size() != size.value_or(header.size())) {
    return DataLossError("sent two sizes for the same version: ", *size, " and ", header.size());
  }
  if (info_.has_value()) return absl::OkStatus();
  info_ = ObjectInfo{AssetVersion(header.version()), header.size(), {}};
  if (header.version() == expected_.known_version) next_ = missing_.size();
  for (ByteRange& range : missing_) {
    range.size = range.offset >= info_->size ? 0 : std::min(range.size, info_->size - range.offset);
  }
  SkipFinished();
  return absl::OkStatus();
}

absl::Status RangeReader::TakePiece(const pb::Piece& piece) {
  const std::string& data = piece.data();
  if (!has_header_) return DataLossError("sent content before the header");
  if (next_ >= requested_end_) return DataLossError("sent more than was requested");
  if (data.empty() || data.size() > kMaxServicePieceBytes) {
    return DataLossError("sent a piece of ", data.size(), " bytes; 1 to ", kMaxServicePieceBytes,
                         " are allowed");
  }
  ByteRange& range = missing_[next_];
  if (piece.offset() != range.offset) {
    return DataLossError("sent offset ", piece.offset(), " instead of ", range.offset);
  }
  if (data.size() > range.size) {
    return DataLossError("sent ", data.size(), " bytes at offset ", range.offset, " instead of ",
                         range.size);
  }
  if (absl::Status taken = sink_(range.offset, std::as_bytes(std::span(data))); !taken.ok()) {
    sink_failed_ = true;
    return taken;
  }
  bytes_ += data.size();
  range.offset += data.size();
  range.size -= data.size();
  SkipFinished();
  return absl::OkStatus();
}

absl::Status RangeReader::EndCall() const {
  if (!has_header_) return DataLossError("sent no header");
  if (next_ >= requested_end_) return absl::OkStatus();
  return DataLossError("ended the content at offset ", missing_[next_].offset, ", ",
                       missing_[next_].size, " bytes before the end of the range");
}

void RangeReader::SkipFinished() {
  while (next_ < missing_.size() && missing_[next_].size == 0) ++next_;
}

}  // namespace stagedoor
