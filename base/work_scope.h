#ifndef STAGEDOOR_BASE_WORK_SCOPE_H_
#define STAGEDOOR_BASE_WORK_SCOPE_H_

#include <memory>
#include <utility>

namespace stagedoor {

// What the calling thread works for: an owner of what is made on the way, where passing it to every
// function would be in everybody's way (see PathScope). Threads that help in a ParallelFor work for
// the same.
class WorkScope : public std::enable_shared_from_this<WorkScope> {
 public:
  virtual ~WorkScope() = default;
  WorkScope(const WorkScope&) = delete;
  WorkScope& operator=(const WorkScope&) = delete;

  // Null: for nothing in particular.
  static WorkScope* current() { return current_; }

  // Within it the thread works for `scope`, which may be null and outlives it.
  class Use {
   public:
    explicit Use(WorkScope* scope) : before_(std::exchange(current_, scope)) {}
    ~Use() { current_ = before_; }
    Use(const Use&) = delete;
    Use& operator=(const Use&) = delete;

   private:
    WorkScope* const before_;
  };

  // One of several steps of the same work, maybe on different threads: what the thread works for is
  // found out in one of them (Adopt), and remembered in `scope` for the next.
  class Step {
   public:
    explicit Step(std::shared_ptr<WorkScope>& scope)
        : use_(scope.get()), before_(std::exchange(step_, &scope)) {}
    ~Step() { step_ = before_; }
    Step(const Step&) = delete;
    Step& operator=(const Step&) = delete;

   private:
    const Use use_;
    std::shared_ptr<WorkScope>* const before_;
  };
  // From now on this step works for `scope`, and so do the next ones. No effect outside of steps.
  static void Adopt(const std::shared_ptr<WorkScope>& scope) {
    if (step_ == nullptr) return;
    current_ = scope.get();
    *step_ = scope;
  }

 protected:
  WorkScope() = default;

 private:
  static inline constinit thread_local WorkScope* current_ = nullptr;
  static inline constinit thread_local std::shared_ptr<WorkScope>* step_ = nullptr;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_BASE_WORK_SCOPE_H_
