#ifndef STAGEDOOR_SERVER_CONVERTERS_SET_ONEOF_H_
#define STAGEDOOR_SERVER_CONVERTERS_SET_ONEOF_H_

#include <memory>

namespace stagedoor::server {

// Sets a message of a oneof with its set_allocated_*() method. mutable_*() would set the case
// before it allocates; if that failed, the destructor of `out` would follow an uninitialized
// pointer.
template <typename Out, typename Message>
Message* SetOneof(Out* out, void (Out::*set)(Message*)) {
  auto owned = std::make_unique<Message>();
  Message* const message = owned.get();
  (out->*set)(owned.release());
  return message;
}

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_CONVERTERS_SET_ONEOF_H_
