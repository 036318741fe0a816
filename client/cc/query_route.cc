#include "client/cc/query_route.h"

#include <utility>

namespace stagedoor {
namespace {

// Between two attempts to find a query socket.
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

std::shared_ptr<QueryLink> QueryRoute::Link() {
  {
    MutexLock lock(mu_);
    if (link_ != nullptr && !link_->broken()) return link_;
    if (looking_ || Clock::now() < next_look_) return nullptr;
    looking_ = true;
  }
  transport_.AskCapabilities([this](const Capabilities& found) { OnCapabilities(found); });
  return nullptr;
}

void QueryRoute::OnCapabilities(const Capabilities& capabilities) {
  const std::string path = capabilities.ok() ? capabilities->query_socket() : std::string();
  std::shared_ptr<QueryLink> link;
  if (!path.empty()) {
    link = QueryLink::Connect(path, max_message_bytes_).value_or(nullptr);
  }
  const bool has_none = capabilities.ok() && path.empty();
  {
    MutexLock lock(mu_);
    looking_ = false;
    next_look_ = Clock::now() + (has_none ? kUntilDaemonChanges : kBetweenLooks);
    link_.swap(link);
  }
  if (link != nullptr) link->Close();  // the broken one
}

bool QueryRoute::connected() const {
  MutexLock lock(mu_);
  return link_ != nullptr && !link_->broken();
}

template <typename Result>
std::optional<Result> QueryRoute::Ask(const Request& request, const CallOptions& call,
                                      BlockingQuery<Result> ask) {
  if (!call.metadata.empty() || !QueryLink::Suits(request)) return std::nullopt;
  const std::shared_ptr<QueryLink> link = Link();
  if (link == nullptr) return std::nullopt;
  const Clock::time_point deadline = Clock::now() + call.timeout.value_or(timeout_);
  std::optional<Result> result = ((*link).*ask)(request, deadline, call.cancellation);
  if (result.has_value()) answered_.fetch_add(1, std::memory_order_relaxed);
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
  const std::shared_ptr<QueryLink> link = Link();
  if (link == nullptr) return false;
  transport_.Begin();
  auto ended = [this, request, call, done](QueryLink::Outcome outcome) {
    if (outcome.has_value()) {
      answered_.fetch_add(1, std::memory_order_relaxed);
      done(*std::move(outcome));
    } else {
      transport_.CallAsync(request, call, done);
    }
    transport_.End();
  };
  link->Start(request, Clock::now() + call.timeout.value_or(timeout_), call.cancellation,
              std::move(ended));
  return true;
}

}  // namespace stagedoor
