#ifndef STAGEDOOR_SERVER_SHARING_WARM_UP_H_
#define STAGEDOOR_SERVER_SHARING_WARM_UP_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/executor.h"
#include "base/mutex.h"
#include "base/request_context.h"
#include "base/task_group.h"
#include "resolver/access/access_scope.h"
#include "server/rpc/response_stream.h"
#include "server/store/session_records.pb.h"
#include "stagedoor/v1/stages.pb.h"

namespace stagedoor::server {

class SessionSharing;
class StageCache;

// Opens the stages that the clients of all replicas use most, and compiles their attributes, so
// that a replica that has just started need not do so while clients wait. One stage after the
// other, in pieces between which other work of the executor takes its turns.
//
// It ends early, without an error, when its time is over, when the stages take three quarters of
// their memory budget, so that clients find room without waiting, and when it is stopped. It never
// drops a stage for another.
//
// Thread-safe.
class WarmUp {
 public:
  using Clock = std::chrono::steady_clock;
  using Scope = std::shared_ptr<const AccessScope>;

  struct Options {
    size_t max_stages = 16;
    std::chrono::milliseconds timeout{60000};
    RequestLimits limits = {};  // of each stage
    // The assets that roles may read; null for all. A stage that was opened for callers of another
    // scope is skipped: see RecipeRecord.
    std::vector<Scope> scopes = {nullptr};
    // Called once, on any thread, when the warm-up has ended for whatever reason.
    std::function<void()> ended;
    std::function<Clock::time_point()> now = Clock::now;
  };

  // Starts to warm a stage: WarmStage of StagesService.
  using WarmStage = std::function<absl::StatusOr<ResponseStreamPtr<v1::WarmStageResponse>>(
      RequestContext&, const v1::WarmStageRequest&)>;

  // The others must outlive the object.
  WarmUp(SessionSharing& sharing, StageCache& stages, WarmStage warm_stage, Executor& executor,
         Options options);
  // Stops, and waits until the work in progress has ended.
  ~WarmUp();

  // To be called once. Does not wait.
  void Start();
  // Ends the warm-up if its time is over, even if its work hangs; then the work is cancelled. To be
  // called about every second.
  void EndIfLate();
  // Ends the warm-up. Does not wait until the work in progress has ended.
  void Stop();

  struct Stats {
    uint64_t warmed = 0;
    uint64_t failed = 0;   // could not be opened
    uint64_t skipped = 0;  // of another scope, or the warm-up ended before
  };
  Stats GetStats() const;

 private:
  using Recipe = store::v1::RecipeRecord;
  struct Stage;       // that is being warmed, or was
  class CurrentWork;  // registers a context, so that the work can be cancelled

  bool running() const;
  // Does a piece of work, and schedules the next.
  void Step();
  void Run();
  void ReadRecipes();
  void Begin(const Recipe& recipe);
  void Continue();
  void Finish(const absl::Status& status);
  // The scope to open a recipe with. Nothing if no role has it.
  std::optional<Scope> FindScope(const Recipe& recipe) const;
  // The deadline for work that begins now.
  RequestContext::Clock::time_point Deadline() const;
  void Count(uint64_t Stats::*result);
  // Logs how it went, and why it ended early if it did. No effect if the warm-up does not run.
  void End(std::string_view why);

  SessionSharing& sharing_;
  StageCache& stages_;
  const WarmStage warm_stage_;
  const Options options_;

  // Used by the steps, which follow each other.
  bool has_recipes_ = false;
  std::vector<Recipe> recipes_;
  size_t next_ = 0;               // in recipes_
  std::unique_ptr<Stage> stage_;  // null between stages
  // Those that were warmed: what is in use is not dropped to make room for others.
  std::vector<std::unique_ptr<Stage>> held_;

  mutable Mutex mu_;
  bool running_ ABSL_GUARDED_BY(mu_) = false;
  Clock::time_point started_ ABSL_GUARDED_BY(mu_);
  size_t total_ ABSL_GUARDED_BY(mu_) = 0;  // the stages to be warmed
  Stats stats_ ABSL_GUARDED_BY(mu_);
  RequestContext* context_ ABSL_GUARDED_BY(mu_) = nullptr;  // of the work in progress
  std::optional<TaskGroup> tasks_;
};

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_SHARING_WARM_UP_H_
