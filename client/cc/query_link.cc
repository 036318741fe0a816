#include "client/cc/query_link.h"

#include <algorithm>
#include <chrono>

#include "base/status.h"
#include "base/status_macros.h"
#include "client/cc/item_error.h"
#include "client/cc/shared_arrays.h"
#include "client/cc/socket_carrier.h"

namespace stagedoor {
namespace {

// A request above this is asked over gRPC. The daemon's limit for a message is four times as much,
// and a message may name the paths and bind them.
constexpr size_t kMaxRequestBytes = size_t{64} << 10;
constexpr std::chrono::milliseconds kLongestRead = FrameCarrier::kLongestRead;
// The queries of so many callbacks are sent together.
constexpr int kCallbacksPerMessage = 32;
constexpr std::chrono::seconds kPatience{1};  // for the window of a new connection

// Whether the daemon says that it cannot answer now. The retries of a gRPC call are right then.
bool IsBusy(const absl::Status& status) {
  return absl::IsUnavailable(status) || absl::IsResourceExhausted(status);
}

bool IsCancelled(const std::shared_ptr<Cancellation>& cancellation) {
  return cancellation != nullptr && cancellation->cancelled();
}

// An answer with the arrays that are in shared memory copied into it.
QueryLink::Outcome WithArrays(QueryLink::SharedOutcome outcome) {
  if (!outcome.has_value()) return std::nullopt;
  if (!outcome->ok()) return outcome->status();
  QueryLink::Answer& answer = **outcome;
  if (answer.arrays != nullptr) answer.arrays->CopyInto(&answer.values);
  return std::move(answer.values);
}

absl::Status WasCancelled() { return CancelledError("the call was cancelled"); }

absl::Status IsOverdue() { return DeadlineExceededError("the deadline of the call has passed"); }

}  // namespace

absl::StatusOr<std::shared_ptr<QueryLink>> QueryLink::Connect(const std::string& path,
                                                              size_t max_message_bytes) {
  SD_ASSIGN_OR_RETURN(auto carrier, SocketCarrier::Connect(path));
  auto link = Over(std::move(carrier), max_message_bytes);
  if (!link.ok()) return UnavailableError(path, " is not the query socket of a daemon");
  return link;
}

absl::StatusOr<std::shared_ptr<QueryLink>> QueryLink::Over(std::unique_ptr<FrameCarrier> carrier,
                                                           size_t max_message_bytes) {
  std::shared_ptr<QueryLink> link(new QueryLink(std::move(carrier), max_message_bytes));
  if (!link->Begin()) return UnavailableError("no daemon has announced a window");
  return link;
}

bool QueryLink::Begin() {
  const Clock::time_point deadline = Clock::now() + kPatience;
  MutexLock lock(mu_);
  while (window_ == 0 && !broken_ && Clock::now() < deadline) ReadAndDeliver(deadline);
  return window_ > 0 && !broken_;
}

bool QueryLink::Suits(const Request& request) {
  return request.path_set().empty() && request.ByteSizeLong() <= kMaxRequestBytes;
}

bool QueryLink::broken() const {
  MutexLock lock(mu_);
  return broken_;
}

bool QueryLink::idle() const {
  MutexLock lock(mu_);
  return queries_.empty();
}

QueryLink::QueryPtr QueryLink::Send(const Request& request, Clock::time_point deadline,
                                    Callback done, uint64_t* id) {
  MutexLock lock(mu_);
  if (broken_ || queries_.size() >= window_) return nullptr;
  auto query = std::make_shared<Query>();
  query->deadline = deadline;
  query->done = std::move(done);
  *id = ++last_id_;
  v1::ClientFrames frames;
  numbers_.AddQuery(request, *id, &frames);
  const auto left =
      std::max<std::chrono::nanoseconds>(deadline - Clock::now(), std::chrono::nanoseconds(0));
  auto* timeout =
      frames.mutable_frames(frames.frames_size() - 1)->mutable_query()->mutable_timeout();
  timeout->set_seconds(left.count() / 1000000000);
  timeout->set_nanos(static_cast<int32_t>(left.count() % 1000000000));
  AddMessage(frames);
  queries_.emplace(*id, query);
  if (query->done != nullptr) ++asynchronous_;
  // Queries of a callback are sent after those behind it have run.
  if (std::this_thread::get_id() != thread_.get_id()) SendPending();
  return query;
}

void QueryLink::AddMessage(const v1::ClientFrames& frames) {
  const auto length = static_cast<uint32_t>(frames.ByteSizeLong());
  unsent_.append(reinterpret_cast<const char*>(&length), sizeof(length));
  const size_t place = unsent_.size();
  unsent_.resize(place + length);
  frames.SerializeWithCachedSizesToArray(reinterpret_cast<uint8_t*>(unsent_.data() + place));
}

void QueryLink::SendPending() {
  if (!unsent_.empty()) unsent_.erase(0, carrier_->Send(unsent_));
}

QueryLink::Outcome QueryLink::Run(const Request& request, Clock::time_point deadline,
                                  const std::shared_ptr<Cancellation>& cancellation) {
  return WithArrays(RunShared(request, deadline, cancellation));
}

QueryLink::SharedOutcome QueryLink::RunShared(const Request& request, Clock::time_point deadline,
                                              const std::shared_ptr<Cancellation>& cancellation) {
  if (IsCancelled(cancellation)) return WasCancelled();
  uint64_t id = 0;
  const QueryPtr query = Send(request, deadline, nullptr, &id);
  if (query == nullptr) return std::nullopt;
  std::optional<CancellationHook> hook;
  if (cancellation != nullptr) {
    hook.emplace(cancellation, [weak = weak_from_this(), id] {
      if (const auto link = weak.lock()) link->Abandon(id, WasCancelled());
    });
  }
  MutexLock lock(mu_);
  while (!query->ended) {
    if (Clock::now() >= deadline) {
      AbandonLocked(id, IsOverdue());
    } else if (!reading_ && asynchronous_ == 0) {
      ReadAndDeliver(deadline);
      if (query->ended || asynchronous_ > 0) PassReading();
    } else {
      const auto place = blocked_.insert(blocked_.end(), query);
      query->changed.WaitUntil(mu_, deadline);
      blocked_.erase(place);
    }
  }
  return std::move(query->outcome);
}

void QueryLink::Start(const Request& request, Clock::time_point deadline,
                      const std::shared_ptr<Cancellation>& cancellation, const Callback& done) {
  if (IsCancelled(cancellation)) return done(WasCancelled());
  uint64_t id = 0;
  const QueryPtr query = Send(request, deadline, done, &id);
  if (query == nullptr) return done(std::nullopt);
  {
    MutexLock lock(mu_);
    if (!thread_.joinable() && !closing_) {
      thread_ = std::thread([this] { RunThread(); });
    }
    thread_wakes_.NotifyOne();
  }
  if (cancellation == nullptr) return;
  // Destroyed with the query, by this thread or the one that ends it.
  auto hook = std::make_unique<CancellationHook>(cancellation, [weak = weak_from_this(), id] {
    if (const auto link = weak.lock()) link->Abandon(id, WasCancelled());
  });
  MutexLock lock(mu_);
  if (!query->ended) query->hook = std::move(hook);
}

bool QueryLink::Read(Clock::time_point deadline, bool can_send, std::vector<Received>* frames) {
  if (!carrier_->Read(deadline, can_send, reader_, segments_)) return false;
  for (;;) {
    const auto frame = reader_.Next();
    if (!frame.ok()) return false;
    if (!frame->has_value()) return true;
    if (!Take(**frame, frames)) return false;
  }
}

bool QueryLink::Take(std::string_view content, std::vector<Received>* frames) {
  Received& received = frames->emplace_back();
  v1::ServerFrame& frame = received.frame;
  if (!frame.ParseFromArray(content.data(), static_cast<int>(content.size()))) return false;
  if (frame.has_new_segment()) return segments_.Map(frame.new_segment()).ok();
  if (frame.has_end_segment()) segments_.Unmap(frame.end_segment().segment_id());
  if (!frame.has_answer()) return true;
  std::vector<SharedArrays::Array> arrays;
  if (!segments_.FindAll(frame.answer().values(), &arrays).ok()) return false;
  if (arrays.empty()) return true;
  received.arrays = std::make_shared<const SharedArrays>(
      std::move(arrays), [weak = weak_from_this()](const std::vector<v1::SharedSegment>& places) {
        if (const auto link = weak.lock()) link->ReleaseArrays(places);
      });
  return true;
}

void QueryLink::ReadAndDeliver(Clock::time_point deadline) {
  reading_ = true;
  const bool can_send = !unsent_.empty();
  mu_.Unlock();
  std::vector<Received> frames;
  const bool whole = Read(deadline, can_send, &frames);
  mu_.Lock();
  reading_ = false;
  for (Received& received : frames) Deliver(received);
  if (!whole) Break();
  SendPending();
  mu_.Unlock();
  frames.clear();  // arrays of queries that have ended meanwhile are released, which takes the lock
  mu_.Lock();
}

bool QueryLink::IsOfOtherDaemon(const v1::ItemStatus& error) const {
  if (kind() == FrameCarrier::Kind::kSocket) return false;
  return error.reason() == v1::ERROR_REASON_STAGE_NOT_FOUND ||
         error.code() == static_cast<int32_t>(absl::StatusCode::kUnauthenticated);
}

void QueryLink::Deliver(Received& received) {
  v1::ServerFrame& frame = received.frame;
  if (frame.has_window()) {
    window_ = frame.window().queries();
  } else if (frame.has_goodbye()) {
    Break();
  } else if (frame.has_answer()) {
    v1::Answer& answer = *frame.mutable_answer();
    if (!answer.has_error()) {
      return End(answer.request_id(), Answer{std::move(*answer.mutable_values()), received.arrays});
    }
    absl::Status error = ItemError(answer.error());
    const bool elsewhere = IsOfOtherDaemon(answer.error());
    if (IsBusy(error) || elsewhere) {
      End(answer.request_id(), std::nullopt);
    } else {
      End(answer.request_id(), std::move(error));
    }
    if (elsewhere) Break();
  }
}

void QueryLink::End(uint64_t id, SharedOutcome outcome) {
  const auto found = queries_.find(id);
  if (found == queries_.end()) return;  // it was abandoned
  const QueryPtr query = std::move(found->second);
  queries_.erase(found);
  query->ended = true;
  if (query->done == nullptr) {
    query->outcome = std::move(outcome);
    query->changed.NotifyOne();
    return;
  }
  --asynchronous_;
  ended_.emplace_back(std::move(query->done), std::move(outcome));
  thread_wakes_.NotifyOne();
}

void QueryLink::Abandon(uint64_t id, absl::Status status) {
  MutexLock lock(mu_);
  AbandonLocked(id, std::move(status));
}

void QueryLink::AbandonLocked(uint64_t id, absl::Status status) {
  if (queries_.count(id) == 0) return;
  v1::ClientFrames frames;
  frames.add_frames()->mutable_cancel()->set_request_id(id);
  AddMessage(frames);
  SendPending();
  End(id, std::move(status));
}

void QueryLink::ReleaseArrays(const std::vector<v1::SharedSegment>& arrays) {
  MutexLock lock(mu_);
  if (broken_) return;
  v1::ClientFrames frames;
  v1::ReleaseArrays* release = frames.add_frames()->mutable_release();
  release->mutable_arrays()->Assign(arrays.begin(), arrays.end());
  AddMessage(frames);
  // Otherwise they are sent with the next query, or after the next answer.
  if (queries_.empty()) SendPending();
}

void QueryLink::AbandonOverdue() {
  const Clock::time_point now = Clock::now();
  std::vector<uint64_t> overdue;
  for (const auto& [id, query] : queries_) {
    if (query->done != nullptr && query->deadline <= now) overdue.push_back(id);
  }
  for (const uint64_t id : overdue) {
    AbandonLocked(id, IsOverdue());
  }
}

void QueryLink::Break() {
  broken_ = true;
  carrier_->Shutdown();
  while (!queries_.empty()) End(queries_.begin()->first, std::nullopt);
}

void QueryLink::PassReading() {
  if (asynchronous_ > 0) return thread_wakes_.NotifyOne();
  if (!blocked_.empty()) blocked_.front()->changed.NotifyOne();
}

void QueryLink::RunCallbacks() {
  for (int left = kCallbacksPerMessage; !ended_.empty(); --left) {
    auto [done, outcome] = std::move(ended_.front());
    ended_.pop_front();
    mu_.Unlock();
    done(WithArrays(std::move(outcome)));
    done = nullptr;
    mu_.Lock();
    if (left > 1) continue;
    SendPending();
    left = kCallbacksPerMessage + 1;
  }
  SendPending();
}

void QueryLink::RunThread() {
  Clock::time_point next_look = Clock::now() + kLongestRead;
  MutexLock lock(mu_);
  for (;;) {
    RunCallbacks();
    if (Clock::now() >= next_look) {
      AbandonOverdue();
      next_look = Clock::now() + kLongestRead;
    }
    if (!ended_.empty()) continue;
    if (closing_ && queries_.empty()) return;
    if (asynchronous_ > 0 && !reading_) {
      ReadAndDeliver(next_look);
    } else if (asynchronous_ > 0) {
      thread_wakes_.WaitUntil(mu_, next_look);
    } else {
      if (!reading_) PassReading();
      thread_wakes_.Wait(mu_);
    }
  }
}

void QueryLink::Close() {
  std::thread thread;
  {
    MutexLock lock(mu_);
    closing_ = true;
    Break();
    thread_wakes_.NotifyOne();
    thread.swap(thread_);
  }
  if (thread.joinable()) thread.join();
}

}  // namespace stagedoor
