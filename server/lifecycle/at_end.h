#ifndef STAGEDOOR_SERVER_LIFECYCLE_AT_END_H_
#define STAGEDOOR_SERVER_LIFECYCLE_AT_END_H_

#include <functional>
#include <utility>

namespace stagedoor::server {

// Calls a function when it is destroyed. As a member, it says by its place what is done between the
// destruction of the members below it and of those above it.
class AtEnd {
 public:
  explicit AtEnd(std::function<void()> fn) : fn_(std::move(fn)) {}
  ~AtEnd() { fn_(); }
  AtEnd(const AtEnd&) = delete;
  AtEnd& operator=(const AtEnd&) = delete;

 private:
  const std::function<void()> fn_;
};

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_LIFECYCLE_AT_END_H_
