#include "server/sharing/warm_up.h"

#include <spdlog/spdlog.h>

#include <new>
#include <string>
#include <utility>

#include "base/request_scope.h"
#include "base/status.h"
#include "scene/stage/stage.h"
#include "server/access/caller.h"
#include "server/error_info.h"
#include "server/rpc/request_message.h"
#include "server/sharing/session_sharing.h"
#include "server/stages/stage_cache.h"

namespace stagedoor::server {
namespace {

constexpr std::string_view kLate = "the time for it was over";
constexpr std::string_view kNoRoom = "the budget for stages has no room for more";
constexpr std::string_view kStopped = "the daemon stops";

// Whether another stage may be opened. Clients that open stages meanwhile find the rest.
bool HasRoom(const StageBudget& budget) {
  return !budget.pressed() && budget.used() <= budget.limit() / 4 * 3;
}

// Says why a stage could not be opened without what its recipe may contain: a message may have
// search paths, pins or URLs of the resolver context.
std::string Describe(const absl::Status& status) {
  return Concat(absl::StatusCodeToString(status.code()), " (", ReasonName(GetReason(status)), ")");
}

}  // namespace

struct WarmUp::Stage {
  Stage(RequestContext::Clock::time_point deadline, const RequestLimits& limits)
      : context(deadline, limits) {}

  std::string root_layer;
  Caller caller;
  RequestContext context;
  std::shared_ptr<ScopeOwner> works_for;
  ResponseStreamPtr<v1::WarmStageResponse> stream;
};

class WarmUp::CurrentWork {
 public:
  CurrentWork(WarmUp& warm_up, RequestContext& context) : warm_up_(warm_up) {
    MutexLock lock(warm_up_.mu_);
    warm_up_.context_ = &context;
    if (!warm_up_.running_) context.Cancel();
  }
  ~CurrentWork() {
    MutexLock lock(warm_up_.mu_);
    warm_up_.context_ = nullptr;
  }
  CurrentWork(const CurrentWork&) = delete;
  CurrentWork& operator=(const CurrentWork&) = delete;

 private:
  WarmUp& warm_up_;
};

WarmUp::WarmUp(SessionSharing& sharing, StageCache& stages, WarmStage warm_stage,
               Executor& executor, Options options)
    : sharing_(sharing),
      stages_(stages),
      warm_stage_(std::move(warm_stage)),
      options_(std::move(options)) {
  tasks_.emplace(executor);
}

WarmUp::~WarmUp() {
  Stop();
  tasks_.reset();
}

void WarmUp::Start() {
  {
    MutexLock lock(mu_);
    running_ = true;
    started_ = options_.now();
  }
  tasks_->Schedule([this] { Step(); });
}

void WarmUp::EndIfLate() {
  bool late = false;
  {
    MutexLock lock(mu_);
    late = running_ && options_.now() - started_ >= options_.timeout;
  }
  if (late) End(kLate);
}

void WarmUp::Stop() { End(kStopped); }

WarmUp::Stats WarmUp::GetStats() const {
  MutexLock lock(mu_);
  return stats_;
}

bool WarmUp::running() const {
  MutexLock lock(mu_);
  return running_;
}

RequestContext::Clock::time_point WarmUp::Deadline() const {
  MutexLock lock(mu_);
  return RequestContext::Clock::now() + (started_ + options_.timeout - options_.now());
}

void WarmUp::Step() {
  try {
    if (running()) Run();
  } catch (const std::bad_alloc&) {
    End("memory is short");
  }
  if (running()) return tasks_->Schedule([this] { Step(); });
  stage_ = nullptr;
  held_.clear();
  recipes_ = {};
  stages_.Trim();
}

void WarmUp::Run() {
  EndIfLate();
  if (!running()) return;
  if (!has_recipes_) return ReadRecipes();
  if (stage_ != nullptr) return Continue();
  if (next_ == recipes_.size()) return End("");
  if (!HasRoom(stages_.budget())) return End(kNoRoom);
  Begin(recipes_[next_++]);
}

void WarmUp::ReadRecipes() {
  has_recipes_ = true;
  RequestContext context(Deadline(), options_.limits);
  const CurrentWork work(*this, context);
  auto recipes = sharing_.HottestRecipes(context, options_.max_stages);
  if (!recipes.ok()) {
    spdlog::warn("cannot find out which stages to warm: {}", Message(recipes.status()));
    return;
  }
  recipes_ = *std::move(recipes);
  MutexLock lock(mu_);
  total_ = recipes_.size();
}

std::optional<WarmUp::Scope> WarmUp::FindScope(const Recipe& recipe) const {
  for (const Scope& scope : options_.scopes) {
    if (recipe.access_scope() == (scope == nullptr ? "" : scope->fingerprint())) return scope;
  }
  return std::nullopt;
}

void WarmUp::Begin(const Recipe& recipe) {
  std::optional<Scope> scope = FindScope(recipe);
  if (!scope.has_value()) return Count(&Stats::skipped);
  stage_ = std::make_unique<Stage>(Deadline(), options_.limits);
  stage_->root_layer = recipe.recipe().root_layer();
  stage_->caller.identity.name.clear();  // as for calls inside the process
  auto grants = std::make_shared<Grants>();
  grants->assets = *std::move(scope);
  stage_->caller.grants = std::move(grants);
  RequestMessage<v1::WarmStageRequest> request;
  *request->mutable_source()->mutable_open() = recipe.recipe();
  auto stream = warm_stage_(stage_->context, *request);
  if (!stream.ok()) return Finish(stream.status());
  stage_->stream = *std::move(stream);
}

void WarmUp::Continue() {
  absl::StatusOr<bool> more = false;
  {
    const CurrentWork work(*this, stage_->context);
    const RequestScope::Guard guard(
        RequestScope::Current().WithCaller(&stage_->caller).WithStep(stage_->works_for));
    v1::WarmStageResponse response;
    more = stage_->stream->Next(stage_->context, &response);
  }
  if (!more.ok() || stage_->stream->AtEnd()) Finish(more.status());
}

void WarmUp::Finish(const absl::Status& status) {
  std::unique_ptr<Stage> stage = std::move(stage_);
  if (status.ok()) {
    Count(&Stats::warmed);
    held_.push_back(std::move(stage));
  } else if (stage->context.cancelled() || stage->context.deadline() <= Clock::now()) {
    End(kLate);
  } else if (GetReason(status) == v1::ERROR_REASON_BUDGET_EXHAUSTED) {
    End(kNoRoom);
  } else {
    spdlog::warn("cannot warm the stage of {}: {}", Quoted(stage->root_layer), Describe(status));
    Count(&Stats::failed);
  }
}

void WarmUp::Count(uint64_t Stats::*result) {
  MutexLock lock(mu_);
  if (running_) ++(stats_.*result);
}

void WarmUp::End(std::string_view why) {
  Stats stats;
  size_t total = 0;
  std::chrono::duration<double> time{0};
  {
    MutexLock lock(mu_);
    if (!running_) return;
    running_ = false;
    stats_.skipped = total_ - stats_.warmed - stats_.failed;
    if (context_ != nullptr) context_->Cancel();
    stats = stats_;
    total = total_;
    time = options_.now() - started_;
  }
  spdlog::info("warmed {} of {} stages in {:.1f} s{}{}", stats.warmed, total, time.count(),
               why.empty() ? "" : ": ", why);
  options_.ended();
}

}  // namespace stagedoor::server
