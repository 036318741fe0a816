#ifndef STAGEDOOR_SERVER_HANDLERS_DATA_STREAM_H_
#define STAGEDOOR_SERVER_HANDLERS_DATA_STREAM_H_

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "base/request_context.h"
#include "server/converters/wire_text.h"
#include "server/rpc/response_stream.h"

namespace stagedoor {

// The bytes of one file, in messages with a `data` field. An empty file is one empty message.
template <typename Response>
class DataStream final : public ResponseStream<Response> {
 public:
  DataStream(std::string content, size_t message_bytes)
      : content_(std::move(content)), message_bytes_(message_bytes) {}

  absl::StatusOr<bool> Next(RequestContext&, Response* response) override {
    if (done_) return false;
    const size_t bytes = std::min(message_bytes_, content_.size() - offset_);
    response->set_data(content_.data() + offset_, bytes);
    offset_ += bytes;
    done_ = offset_ == content_.size();
    return true;
  }

 private:
  const std::string content_;
  const size_t message_bytes_;
  size_t offset_ = 0;
  bool done_ = false;
};

// Several files, each with `name` and `content`, one after another: in messages with a FileChunk
// `chunk`, of which the first of each file has its name.
template <typename Response, typename File>
class FileStream final : public ResponseStream<Response> {
 public:
  FileStream(std::vector<File> files, size_t message_bytes)
      : files_(std::move(files)), message_bytes_(message_bytes) {}

  absl::StatusOr<bool> Next(RequestContext&, Response* response) override {
    if (file_ == files_.size()) return false;
    const File& file = files_[file_];
    auto* chunk = response->mutable_chunk();
    if (offset_ == 0) chunk->set_name(WireText(file.name));
    const size_t bytes = std::min(message_bytes_, file.content.size() - offset_);
    chunk->set_data(file.content.data() + offset_, bytes);
    offset_ += bytes;
    if (offset_ == file.content.size()) {
      ++file_;
      offset_ = 0;
    }
    return true;
  }

 private:
  const std::vector<File> files_;
  const size_t message_bytes_;
  size_t file_ = 0;
  size_t offset_ = 0;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SERVER_HANDLERS_DATA_STREAM_H_
