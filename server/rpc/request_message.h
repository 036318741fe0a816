#ifndef STAGEDOOR_SERVER_RPC_REQUEST_MESSAGE_H_
#define STAGEDOOR_SERVER_RPC_REQUEST_MESSAGE_H_

#include <google/protobuf/arena.h>

#include <cstddef>

namespace stagedoor::server {

// A message that may run out of memory while it is parsed or copied. Protobuf 3.21 marks a member
// of a oneof as set before it allocates it, so the destructor of a message that got no further
// would free what was never allocated, or twice what the member had before. This one is in an arena
// of its own, which frees the memory without looking at the messages in it.
template <typename Message>
class RequestMessage {
 public:
  RequestMessage()
      : arena_(Options(first_block_)),
        message_(google::protobuf::Arena::CreateMessage<Message>(&arena_)) {}
  // A message of the type of `prototype`.
  explicit RequestMessage(const Message& prototype)
      : arena_(Options(first_block_)), message_(prototype.New(&arena_)) {}
  RequestMessage(const RequestMessage&) = delete;
  RequestMessage& operator=(const RequestMessage&) = delete;

  // Not valid after Free.
  Message& operator*() const { return *message_; }
  Message* operator->() const { return message_; }
  Message* get() const { return message_; }

  // Frees the memory before the end of this object's life.
  void Free() {
    message_ = nullptr;
    arena_.Reset();
  }

 private:
  static constexpr size_t kFirstBlock = 512;  // enough for most requests
  static constexpr size_t kMaxBlock = size_t{64} << 10;

  static google::protobuf::ArenaOptions Options(char* first_block) {
    google::protobuf::ArenaOptions options;
    options.initial_block = first_block;
    options.initial_block_size = kFirstBlock;
    options.max_block_size = kMaxBlock;
    return options;
  }

  alignas(std::max_align_t) char first_block_[kFirstBlock];
  google::protobuf::Arena arena_;
  Message* message_;
};

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_RPC_REQUEST_MESSAGE_H_
