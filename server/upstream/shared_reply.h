#ifndef STAGEDOOR_SERVER_UPSTREAM_SHARED_REPLY_H_
#define STAGEDOOR_SERVER_UPSTREAM_SHARED_REPLY_H_

#include <grpcpp/support/byte_buffer.h>

#include <cstddef>
#include <map>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "base/mutex.h"
#include "base/reservation.h"
#include "server/upstream/array_filler.h"
#include "server/upstream/upstream_call.h"

namespace stagedoor::server {

// A call that reads a SharedReply.
class ReplyReader {
 public:
  // There is something to read, or the end. Called without locks, once for each time that Next has
  // returned kWait.
  virtual void Wake() = 0;
  // Keeps the object alive, and no longer.
  virtual void Retain() = 0;
  virtual void Unretain() = 0;

 protected:
  ~ReplyReader() = default;
};

class SharedReply;

// The way in which a SharedReply is brought about.
class ReplyOrigin {
 public:
  virtual ~ReplyOrigin() = default;
  // Makes the call upstream, which the reply listens to.
  virtual void Start(const std::shared_ptr<SharedReply>& reply) = 0;
  // Called instead of the end if the call has brought nothing. Returns whether the reply goes on
  // with another call.
  virtual bool Recover(const std::shared_ptr<SharedReply>& reply, const UpstreamEnd& end) = 0;
  // Called at the end, without locks.
  virtual void Ended(const std::shared_ptr<SharedReply>& reply, const UpstreamEnd& end) = 0;
};

// The reply of a call upstream, which any number of calls of processes read while it arrives and
// afterwards, each at its own pace.
//
// As long as it keeps its messages, it is read as fast as upstream sends it. A reply that is not
// kept, or that exceeds what may be kept, has messages only until its readers have taken them, and
// then the next one is read; nobody can join it any more. A reply that nobody reads any more before
// it is complete is cancelled. Thread-safe.
class SharedReply final : public UpstreamListener,
                          public std::enable_shared_from_this<SharedReply> {
 public:
  struct Options {
    // Whether the messages are kept.
    bool keep = false;
    // The largest reply that is kept.
    size_t max_bytes = 0;
    // Where what is kept is counted. May be null; outlives the reply.
    MemoryPool* pool = nullptr;
    // Whether readers are woken only by the end: the reply is a single message, and sent faster
    // together with the end.
    bool single = false;
  };
  enum class Result { kMessage, kLastMessage, kEnd, kWait };

  // `origin` may be null. It is destroyed when the reply has ended, which may be kept for long.
  explicit SharedReply(const Options& options, std::unique_ptr<ReplyOrigin> origin = nullptr);
  // Puts arrays into the messages that arrive. To be called before the first one.
  void SetFiller(std::unique_ptr<ArrayFiller> filler) { filler_ = std::move(filler); }

  // Has the origin, which there must be, make the call upstream.
  void Start() { origin_->Start(shared_from_this()); }
  // Fills the reply with all of its messages, instead of a call upstream. They stay right for ever.
  void Complete(const std::vector<grpc::ByteBuffer>& messages);

  // Adds a reader, at the first message. False if that is gone.
  bool Join(ReplyReader* reader);
  // The reader needs nothing more.
  void Leave(ReplyReader* reader);
  // Takes the next message. kLastMessage: it is known to be the last one of a successful reply.
  // kEnd: there is none, and `*status` is that of the reply. kWait: the reader will be woken.
  Result Next(ReplyReader* reader, grpc::ByteBuffer* message, grpc::Status* status);

  // Ends a reply that is still arriving, with a status for its readers, and cancels the call.
  void Interrupt(const grpc::Status& status);

  // Whether a reply has ended and all of its messages are kept, and what they are.
  bool is_whole() const;
  std::vector<grpc::ByteBuffer> messages() const;
  size_t bytes() const;

  void OnStart(std::shared_ptr<UpstreamCall> call) override;
  void OnMessage(const grpc::ByteBuffer& message) override;
  void OnEnd(const UpstreamEnd& end) override;

 private:
  using Readers = std::vector<ReplyReader*>;

  void Add(std::span<const grpc::ByteBuffer> messages);
  // Ends the reply with an error, because it cannot be completed.
  void Fail(const absl::Status& status);
  // Stops to keep messages.
  void StopKeeping() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  void DropTaken() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  bool NeedsMore() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  // Wakes readers, each of which is retained.
  static void Wake(const Readers& readers);

  const Options options_;
  // Both are used by the thread of the call, and may be null.
  std::unique_ptr<ReplyOrigin> origin_;
  std::unique_ptr<ArrayFiller> filler_;
  mutable Mutex mu_;
  std::shared_ptr<UpstreamCall> call_ ABSL_GUARDED_BY(mu_);  // until the end
  bool keeps_ ABSL_GUARDED_BY(mu_);
  bool ended_ ABSL_GUARDED_BY(mu_) = false;
  bool abandoned_ ABSL_GUARDED_BY(mu_) = false;
  grpc::Status status_ ABSL_GUARDED_BY(mu_);
  std::vector<grpc::ByteBuffer> messages_ ABSL_GUARDED_BY(mu_);
  size_t dropped_ ABSL_GUARDED_BY(mu_) = 0;  // messages before the first one in messages_
  size_t bytes_ ABSL_GUARDED_BY(mu_) = 0;    // of messages_
  Reservation reserved_ ABSL_GUARDED_BY(mu_);
  std::map<ReplyReader*, size_t> positions_ ABSL_GUARDED_BY(mu_);
  Readers waiting_ ABSL_GUARDED_BY(mu_);
};

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_UPSTREAM_SHARED_REPLY_H_
