#ifndef STAGEDOOR_RESOLVER_REMOTE_RANGE_READER_H_
#define STAGEDOOR_RESOLVER_REMOTE_RANGE_READER_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "resolver/store/object_store.h"
#include "stagedoor/resolver/v1/resolver.pb.h"

namespace stagedoor {

// Checks the messages of one or more calls of Read that together read some ranges, and keeps track
// of what is still missing. Not thread-safe.
class RangeReader {
 public:
  // The version and size that a caller expects of the asset.
  struct Expected {
    std::string version;                          // to read; empty: the one of the first header
    std::optional<uint64_t> size = std::nullopt;  // of that version
    std::string known_version = {};               // of which nothing needs to be read; may be empty
  };
  // `sink` must outlive the reader.
  RangeReader(Expected expected, std::span<const ByteRange> ranges, const ObjectStore::Sink& sink);

  // Begins a call. Returns its request: up to 1,000 of the ranges that are missing.
  resolver::v1::ReadRequest BeginCall(const std::string& path);
  // Takes the next message of the call. Errors have the code DATA_LOSS and say only what is wrong
  // ("sent …"), except those of the sink, after which sink_failed() is true.
  absl::Status Take(const resolver::v1::ReadResponse& message);
  bool sink_failed() const { return sink_failed_; }
  // Called when a call has ended without an error. DATA_LOSS if it has not sent everything.
  absl::Status EndCall() const;

  // The information of the first header; nothing before it has arrived.
  const std::optional<ObjectInfo>& info() const { return info_; }
  // Whether all ranges have been read, as far as they lie within the asset.
  bool complete() const { return info_.has_value() && next_ == missing_.size(); }
  // The number of bytes that the sink got.
  uint64_t bytes() const { return bytes_; }

 private:
  absl::Status TakeHeader(const resolver::v1::AssetInfo& header);
  absl::Status TakePiece(const resolver::v1::Piece& piece);
  // Advances `next_` to a range of which something is missing.
  void SkipFinished();

  const Expected expected_;
  const ObjectStore::Sink& sink_;
  // The missing ranges begin at `next_`, whose range is shortened as its pieces arrive.
  std::vector<ByteRange> missing_;
  size_t next_ = 0;
  size_t requested_end_ = 0;  // of the current call, index into `missing_`
  bool has_header_ = false;   // the current call has sent its header
  std::optional<ObjectInfo> info_;
  uint64_t bytes_ = 0;
  bool sink_failed_ = false;
};

// DATA_LOSS if the version or the size is impossible; says only what is wrong ("sent …").
absl::Status CheckServiceInfo(const resolver::v1::AssetInfo& info);

}  // namespace stagedoor

#endif  // STAGEDOOR_RESOLVER_REMOTE_RANGE_READER_H_
