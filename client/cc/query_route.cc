#include "client/cc/query_route.h"

#include <algorithm>
#include <string>
#include <utility>

namespace stagedoor {
namespace {

// Between two attempts to find a carrier of query frames.
constexpr std::chrono::seconds kBetweenLooks{1};
// After a daemon has said that it has none.
constexpr std::chrono::seconds kUntilDaemonChanges{60};

}  // namespace

QueryRoute::~QueryRoute() {
  std::shared_ptr<QueryLink> link;
  {
    MutexLock lock(mu_);
    link.swap(link_);
  }
  if (link != nullptr) link->Close();
}

std::shared_ptr<QueryLink> QueryRoute::Link(bool looks) {
  {
    MutexLock lock(mu_);
    if (link_ != nullptr && !link_->broken()) return link_;
    if (!looks || looking_ || Clock::now() < next_look_) return nullptr;
    looking_ = true;
  }
  transport_.AskCapabilities([this](const Capabilities& found) { OnCapabilities(found); });
  return nullptr;
}

void QueryRoute::OnCapabilities(const Capabilities& capabilities) {
  if (!capabilities.ok()) return EndLook(nullptr, kBetweenLooks);
  const std::string& path = capabilities->query_socket();
  if (options_.socket && !path.empty()) {
    auto link = QueryLink::Connect(path, options_.max_message_bytes);
    if (link.ok()) return EndLook(*std::move(link), kBetweenLooks);
  }
  const auto& features = capabilities->features();
  const bool has_streams =
      std::find(features.begin(), features.end(), v1::FEATURE_QUERY_CHANNELS) != features.end();
  if (options_.stream && has_streams) {
    return transport_.OpenStream([this](Carrier carrier) { OnStream(std::move(carrier)); });
  }
  EndLook(nullptr, path.empty() || !options_.socket ? kUntilDaemonChanges : kBetweenLooks);
}

void QueryRoute::OnStream(Carrier carrier) {
  if (!carrier.ok()) {
    // Otherwise the daemon, or a proxy before it, has no streams for this client.
    const bool lost = absl::IsUnavailable(carrier.status());
    return EndLook(nullptr, lost ? kBetweenLooks : kUntilDaemonChanges);
  }
  auto link = QueryLink::Over(*std::move(carrier), options_.max_message_bytes);
  EndLook(std::move(link).value_or(nullptr), kBetweenLooks);
}

void QueryRoute::EndLook(std::shared_ptr<QueryLink> link, std::chrono::seconds pause) {
  {
    MutexLock lock(mu_);
    looking_ = false;
    next_look_ = Clock::now() + pause;
    link_.swap(link);
  }
  if (link != nullptr) link->Close();  // the broken one
}

std::optional<FrameCarrier::Kind> QueryRoute::carrier() const {
  MutexLock lock(mu_);
  if (link_ == nullptr || link_->broken()) return std::nullopt;
  return link_->kind();
}

void QueryRoute::CountAnswer(FrameCarrier::Kind kind) {
  auto& count = kind == FrameCarrier::Kind::kSocket ? answered_by_socket_ : answered_by_stream_;
  count.fetch_add(1, std::memory_order_relaxed);
}

template <typename Result>
std::optional<Result> QueryRoute::Ask(const Request& request, const CallOptions& call,
                                      BlockingQuery<Result> ask) {
  if (!call.metadata.empty() || !QueryLink::Suits(request)) return std::nullopt;
  const std::shared_ptr<QueryLink> link = Link(options_.socket);
  if (link == nullptr) return std::nullopt;
  // A stream wakes one thread more than a call, and saves nothing for a query by itself.
  if (link->kind() == FrameCarrier::Kind::kStream && link->idle()) return std::nullopt;
  const Clock::time_point deadline = Clock::now() + call.timeout.value_or(options_.timeout);
  std::optional<Result> result = ((*link).*ask)(request, deadline, call.cancellation);
  if (result.has_value()) CountAnswer(link->kind());
  return result;
}

std::optional<QueryRoute::Reply> QueryRoute::Run(const Request& request, const CallOptions& call) {
  return Ask<Reply>(request, call, &QueryLink::Run);
}

QueryLink::SharedOutcome QueryRoute::RunShared(const Request& request, const CallOptions& call) {
  return Ask<absl::StatusOr<QueryLink::Answer>>(request, call, &QueryLink::RunShared);
}

bool QueryRoute::Start(const Request& request, const CallOptions& call,
                       const std::function<void(Reply)>& done) {
  if (!call.metadata.empty() || !QueryLink::Suits(request)) return false;
  const std::shared_ptr<QueryLink> link = Link(true);
  if (link == nullptr) return false;
  transport_.Begin();
  auto ended = [this, kind = link->kind(), request, call, done](QueryLink::Outcome outcome) {
    if (outcome.has_value()) {
      CountAnswer(kind);
      done(*std::move(outcome));
    } else {
      transport_.CallAsync(request, call, done);
    }
    transport_.End();
  };
  link->Start(request, Clock::now() + call.timeout.value_or(options_.timeout), call.cancellation,
              std::move(ended));
  return true;
}

}  // namespace stagedoor
