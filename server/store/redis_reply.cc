#include "server/store/redis_reply.h"

#include <hiredis/read.h>

#include <algorithm>
#include <utility>

#include "base/status.h"
#include "base/status_macros.h"
#include "base/strings.h"

namespace stagedoor::server {

bool RedisReply::HasErrorCode(std::string_view code) const {
  return type == Type::kError && text.starts_with(code) &&
         (text.size() == code.size() || text[code.size()] == ' ');
}

// The functions by which hiredis makes replies: the root is reply_, and arrays hold their elements.
struct RedisReplyReader::Builder {
  static RedisReplyReader& Self(const redisReadTask* task) {
    return *static_cast<RedisReplyReader*>(task->privdata);
  }

  static RedisReply* Add(const redisReadTask* task, RedisReply::Type type) {
    RedisReply* reply = &Self(task).reply_;
    if (task->parent == nullptr) {
      *reply = RedisReply();
    } else {
      reply =
          &static_cast<RedisReply*>(task->parent->obj)->elements[static_cast<size_t>(task->idx)];
    }
    reply->type = type;
    return reply;
  }

  static void* AddString(const redisReadTask* task, char* text, size_t size) {
    const bool is_error = task->type == REDIS_REPLY_ERROR;
    const bool is_status = task->type == REDIS_REPLY_STATUS;
    RedisReply* const reply = Add(task, is_error    ? RedisReply::Type::kError
                                        : is_status ? RedisReply::Type::kStatus
                                                    : RedisReply::Type::kString);
    reply->text.assign(text, size);
    return reply;
  }

  // Null, which is an error, if there are too many elements.
  static void* AddArray(const redisReadTask* task, int size) {
    RedisReplyReader& self = Self(task);
    const auto elements = static_cast<size_t>(size);
    if (size < 0 || elements > kMaxElements - self.elements_) return nullptr;
    self.elements_ += elements;
    RedisReply* const reply = Add(task, RedisReply::Type::kArray);
    reply->elements.resize(elements);
    return reply;
  }

  static void* AddInteger(const redisReadTask* task, long long value) {
    RedisReply* const reply = Add(task, RedisReply::Type::kInteger);
    reply->integer = value;
    return reply;
  }

  static void* AddNil(const redisReadTask* task) { return Add(task, RedisReply::Type::kNil); }

  static void Free(void*) {}  // reply_ owns all of it

  // hiredis takes a pointer to non-const functions, which it does not change.
  static inline redisReplyObjectFunctions functions = {AddString, AddArray, AddInteger, AddNil,
                                                       Free};
};

void RedisReplyReader::ReaderDeleter::operator()(redisReader* reader) const {
  redisReaderFree(reader);
}

RedisReplyReader::RedisReplyReader(size_t max_reply_bytes)
    : max_reply_bytes_(max_reply_bytes),
      reader_(redisReaderCreateWithFunctions(&Builder::functions)) {
  if (reader_ != nullptr) reader_->privdata = this;
}

RedisReplyReader::~RedisReplyReader() = default;

void RedisReplyReader::Feed(std::string_view bytes) {
  if (reader_ == nullptr) return;
  fed_ += bytes.size();
  redisReaderFeed(reader_.get(), bytes.data(), bytes.size());
}

absl::StatusOr<std::optional<RedisReply>> RedisReplyReader::Next() {
  if (reader_ == nullptr) return ResourceExhaustedError("no memory for a reply");
  void* reply = nullptr;
  if (redisReaderGetReply(reader_.get(), &reply) != REDIS_OK) {
    if (reader_->err != REDIS_ERR_OOM) {
      return DataLossError("the server does not speak the protocol of Redis: ",
                           Quoted(reader_->errstr));
    }
    return DataLossError("a reply has more than ", kMaxElements, " elements");
  }
  if (reply == nullptr) {
    SD_ASSIGN_OR_RETURN(const uint64_t announced, AnnouncedBytes());
    SD_RETURN_IF_ERROR(CheckSize(std::max(fed_ - begin_, announced)));
    return std::nullopt;
  }
  const uint64_t end = fed_ - Rest().size();
  SD_RETURN_IF_ERROR(CheckSize(end - begin_));
  begin_ = end;
  elements_ = 0;
  return std::exchange(reply_, {});
}

bool RedisReplyReader::empty() const { return fed_ == begin_; }

std::string_view RedisReplyReader::Rest() const {
  return std::string_view(reader_->buf, reader_->len).substr(reader_->pos);
}

absl::StatusOr<uint64_t> RedisReplyReader::AnnouncedBytes() const {
  const std::string_view rest = Rest();
  const size_t line_end = rest.substr(0, kMaxLineBytes).find("\r\n");
  if (line_end == std::string_view::npos) {
    if (rest.size() < kMaxLineBytes) return 0;
    return DataLossError("a line of a reply has more than ", kMaxLineBytes, " bytes");
  }
  // hiredis has consumed the character of the type.
  const bool is_string =
      reader_->ridx >= 0 && reader_->rstack[reader_->ridx].type == REDIS_REPLY_STRING;
  return is_string ? ParseNumber<uint64_t>(rest.substr(0, line_end)).value_or(0) : 0;
}

absl::Status RedisReplyReader::CheckSize(uint64_t bytes) const {
  if (bytes <= max_reply_bytes_) return absl::OkStatus();
  return DataLossError("a reply has more than ", max_reply_bytes_, " bytes");
}

}  // namespace stagedoor::server
