#ifndef STAGEDOOR_BASE_REQUEST_SCOPE_H_
#define STAGEDOOR_BASE_REQUEST_SCOPE_H_

#include <memory>
#include <type_traits>

#include "base/memory_guard.h"

namespace stagedoor {

class RequestContext;
class RequestNotes;

// An owner of objects that are made along the way, such as the paths of a stage (PathScope).
class ScopeOwner : public std::enable_shared_from_this<ScopeOwner> {
 public:
  virtual ~ScopeOwner() = default;
  ScopeOwner(const ScopeOwner&) = delete;
  ScopeOwner& operator=(const ScopeOwner&) = delete;

 protected:
  ScopeOwner() = default;
};

// The client that made a request, of which only the server knows more (server::Caller).
struct RequestCaller {};

// The work that the calling thread does, and for whom.
//
// Carried beside the call stack, for the few functions that are too far down to be passed a
// request. Comparable to folly::RequestContext. Call::Run sets it for the steps of a handler, and
// ParallelFor carries it to the threads that help; everything else replaces one part for a while.
struct RequestScope {
  // For what waits for bytes of another machine: decoding a value whose part of the file is not
  // here yet.
  RequestContext* context = nullptr;
  RequestNotes* notes = nullptr;
  const RequestCaller* caller = nullptr;  // null for calls inside the process, too
  ScopeOwner* owner = nullptr;
  bool limits_memory = false;  // whether allocations fail at the limit of base/memory_guard.h
  // Where Adopt keeps the owner for the following steps of a request; null outside of steps.
  std::shared_ptr<ScopeOwner>* adopted = nullptr;

  // The scope of the calling thread; empty if it works for nothing in particular.
  static const RequestScope& Current();

  // This scope with one part replaced.
  RequestScope WithContext(RequestContext* part) const {
    return Changed(&RequestScope::context, part);
  }
  RequestScope WithNotes(RequestNotes* part) const { return Changed(&RequestScope::notes, part); }
  RequestScope WithCaller(const RequestCaller* part) const {
    return Changed(&RequestScope::caller, part);
  }
  RequestScope WithOwner(ScopeOwner* part) const { return Changed(&RequestScope::owner, part); }
  RequestScope WithoutMemoryLimit() const { return Changed(&RequestScope::limits_memory, false); }
  // For one of several steps of a request, possibly on different threads, whose owner is kept in
  // `adopted` between them.
  RequestScope WithStep(std::shared_ptr<ScopeOwner>& part) const {
    return WithOwner(part.get()).Changed(&RequestScope::adopted, &part);
  }
  // For threads that help this one: without a place for what they would adopt.
  RequestScope ForHelpers() const { return Changed(&RequestScope::adopted, nullptr); }

  // From now on this step and the following ones work for `owner`. No effect outside of steps.
  static void Adopt(const std::shared_ptr<ScopeOwner>& owner);

  class Guard;

 private:
  template <typename Part>
  RequestScope Changed(Part RequestScope::*member, std::type_identity_t<Part> part) const {
    RequestScope scope = *this;
    scope.*member = part;
    return scope;
  }
};

namespace internal {
inline constinit thread_local RequestScope current_scope;
}  // namespace internal

inline const RequestScope& RequestScope::Current() { return internal::current_scope; }

inline void RequestScope::Adopt(const std::shared_ptr<ScopeOwner>& owner) {
  RequestScope& current = internal::current_scope;
  if (current.adopted == nullptr) return;
  current.owner = owner.get();
  *current.adopted = owner;
}

// Makes the thread work for `scope`, whose parts must outlive the guard. Nests.
class RequestScope::Guard {
 public:
  explicit Guard(const RequestScope& scope) : before_(internal::current_scope) {
    if (scope.limits_memory && !before_.limits_memory) RequestAllocations::Begin();
    internal::current_scope = scope;
  }
  ~Guard() { internal::current_scope = before_; }
  Guard(const Guard&) = delete;
  Guard& operator=(const Guard&) = delete;

 private:
  const RequestScope before_;
};

// While it exists, the memory limit makes no allocation of the thread fail. For the little that
// must not: to report that memory has run out, and to leave shared state consistent.
class RequestMemoryExemption {
 public:
  RequestMemoryExemption() : guard_(RequestScope::Current().WithoutMemoryLimit()) {}

 private:
  const RequestScope::Guard guard_;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_BASE_REQUEST_SCOPE_H_
