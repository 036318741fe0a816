#ifndef STAGEDOOR_SERVER_STREAMS_DATA_STREAM_H_
#define STAGEDOOR_SERVER_STREAMS_DATA_STREAM_H_

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "base/byte_source.h"
#include "base/request_context.h"
#include "base/reservation.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "server/rpc/response_stream.h"

namespace stagedoor::server {

// Reads a source in pieces of at most `most` bytes. A source may return more than it is asked for;
// the rest is kept for the next pieces and reserved in the request's context, which must be the
// same for all pieces and outlive the reader.
class ChunkReader {
 public:
  ChunkReader(ByteSourcePtr source, size_t most) : source_(std::move(source)), most_(most) {}

  // Sets `piece` to the next bytes, or leaves it empty at the end.
  absl::Status Next(RequestContext& context, std::string* piece) {
    bool more = true;
    while (more && waiting() < most_) {
      SD_ASSIGN_OR_RETURN(more, source_->Next(context, most_ - waiting(), &text_));
    }
    SD_RETURN_IF_ERROR(ReserveWaiting(context));
    if (at_ == 0 && text_.size() <= most_) {
      *piece = std::exchange(text_, std::string());
      return absl::OkStatus();
    }
    piece->assign(text_, at_, most_);
    at_ += piece->size();
    if (at_ == text_.size()) {
      text_ = std::string();
      at_ = 0;
      reserved_.Release();
    }
    return absl::OkStatus();
  }

 private:
  size_t waiting() const { return text_.size() - at_; }

  absl::Status ReserveWaiting(RequestContext& context) {
    if (text_.size() <= most_ || text_.size() <= reserved_.bytes()) return absl::OkStatus();
    if (reserved_.pool() == nullptr) reserved_ = Reservation(context);
    return reserved_.Grow(text_.size() - reserved_.bytes(),
                          "a part of a file that cannot be split");
  }

  const ByteSourcePtr source_;
  const size_t most_;
  std::string text_;
  size_t at_ = 0;  // start of the bytes in text_ that have not been returned
  Reservation reserved_;
};

// Streams the bytes of one file in messages with a `data` field. The file is produced as the client
// reads. An empty file is one empty message.
template <typename Response>
class DataStream final : public ResponseStream<Response> {
 public:
  struct Origin {
    // The fingerprint of the snapshot that the file is made from, for the first message.
    std::string snapshot;
    // If set, runs after each piece, and its error ends the stream: the layers that the piece was
    // made from were overwritten.
    std::function<absl::Status()> check;
  };

  DataStream(ByteSourcePtr source, size_t message_bytes, Origin origin = {})
      : reader_(std::move(source), message_bytes), origin_(std::move(origin)) {}

  absl::StatusOr<bool> Next(RequestContext& context, Response* response) override {
    SD_RETURN_IF_ERROR(reader_.Next(context, response->mutable_data()));
    if (origin_.check) SD_RETURN_IF_ERROR(origin_.check());
    const bool first = std::exchange(first_, false);
    if constexpr (requires { response->set_snapshot(origin_.snapshot); }) {
      if (first) response->set_snapshot(origin_.snapshot);
    }
    return first || !response->data().empty();
  }

 private:
  ChunkReader reader_;
  const Origin origin_;
  bool first_ = true;
};

// Streams several files one after another in messages with a FileChunk `chunk`, of which the first
// of each file has its name. A file is opened when the previous one has been read.
template <typename Response>
class MultiFileStream final : public ResponseStream<Response> {
 public:
  MultiFileStream(std::vector<GeneratedFile> files, size_t message_bytes)
      : files_(std::move(files)), message_bytes_(message_bytes) {}

  absl::StatusOr<bool> Next(RequestContext& context, Response* response) override {
    auto* chunk = response->mutable_chunk();
    for (;;) {
      const bool first = reader_ == nullptr;
      if (first) {
        if (file_ == files_.size()) return false;
        const GeneratedFile& file = files_[file_++];
        SD_ASSIGN_OR_RETURN(ByteSourcePtr source, file.open(context));
        reader_ = std::make_unique<ChunkReader>(std::move(source), message_bytes_);
        chunk->set_name(CoerceToUtf8(file.name));
      }
      SD_RETURN_IF_ERROR(reader_->Next(context, chunk->mutable_data()));
      if (first || !chunk->data().empty()) return true;
      reader_ = nullptr;
    }
  }

 private:
  const std::vector<GeneratedFile> files_;
  const size_t message_bytes_;
  size_t file_ = 0;  // index of the next file
  std::unique_ptr<ChunkReader> reader_;
};

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_STREAMS_DATA_STREAM_H_
