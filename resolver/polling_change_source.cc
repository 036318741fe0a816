#include "resolver/polling_change_source.h"

#include <algorithm>
#include <optional>

#include "base/out_of_memory.h"

namespace stagedoor {
namespace {

// The version to compare; empty for an asset that is missing, nothing if it cannot be determined.
std::optional<std::string> Comparable(const absl::StatusOr<AssetVersion>& version) {
  if (version.ok()) return version->token();
  switch (version.status().code()) {
    case absl::StatusCode::kNotFound:
    case absl::StatusCode::kPermissionDenied:
    case absl::StatusCode::kInvalidArgument:
      return std::string();
    default:
      return std::nullopt;
  }
}

}  // namespace

PollingChangeSource::PollingChangeSource(std::shared_ptr<const Resolver> resolver,
                                         PollingOptions options)
    : resolver_(std::move(resolver)), options_(std::move(options)) {}

PollingChangeSource::~PollingChangeSource() {
  {
    MutexLock lock(mu_);
    stopping_ = true;
    if (running_ != nullptr) running_->Cancel();
    wake_.NotifyAll();
  }
  if (thread_.joinable()) thread_.join();
}

void PollingChangeSource::Start(Callback callback) {
  callback_ = std::move(callback);
  if (options_.start_thread) thread_ = std::thread([this] { Run(); });
}

void PollingChangeSource::Schedule(const std::string& path, Asset& asset, Clock::time_point due) {
  const auto [first, last] = due_.equal_range(asset.due);
  for (auto it = first; it != last; ++it) {
    if (it->second != path) continue;
    due_.erase(it);
    break;
  }
  asset.due = due;
  due_.emplace(due, path);
}

std::vector<WatchedAsset> PollingChangeSource::Watch(std::span<const WatchedAsset> assets) {
  const Clock::time_point now = options_.now();
  MutexLock lock(mu_);
  for (const WatchedAsset& watched : assets) {
    Asset& asset = assets_[watched.path];
    if (asset.count++ == 0) {
      asset.version = watched.version;
      // Spread over the interval, so that the assets of a stage are not all due at once.
      std::uniform_int_distribution<int64_t> wait(0, options_.interval.count());
      Schedule(watched.path, asset, now + std::chrono::milliseconds(wait(random_)));
    } else if (asset.version != watched.version) {
      // One of the two callers uses an old version, so the next comparison must report a change.
      asset.version = "unknown";
      Schedule(watched.path, asset, now);
    }
  }
  wake_.NotifyAll();
  return {};
}

void PollingChangeSource::Unwatch(std::span<const std::string> paths) {
  MutexLock lock(mu_);
  for (const std::string& path : paths) {
    const auto it = assets_.find(path);
    if (it == assets_.end() || --it->second.count > 0) continue;
    const auto [first, last] = due_.equal_range(it->second.due);
    for (auto due = first; due != last; ++due) {
      if (due->second != path) continue;
      due_.erase(due);
      break;
    }
    assets_.erase(it);
  }
}

ChangeSource::Stats PollingChangeSource::GetStats() const {
  MutexLock lock(mu_);
  return {.polled = assets_.size()};
}

PollingChangeSource::Clock::time_point PollingChangeSource::NextDue() {
  if (due_.empty()) return Clock::time_point::max();
  return std::max(due_.begin()->first, allowed_);
}

PollingChangeSource::Batch PollingChangeSource::TakeDue() {
  const Clock::time_point now = options_.now();
  MutexLock lock(mu_);
  Batch batch{.paths = {}, .next = NextDue()};
  if (stopping_ || batch.next > now) return batch;
  const size_t most = std::min(options_.max_batch, options_.max_versions_per_second);
  const double milliseconds = static_cast<double>(options_.interval.count());
  while (!due_.empty() && due_.begin()->first <= now && batch.paths.size() < most) {
    const std::string path = due_.begin()->second;
    const double factor = std::uniform_real_distribution<double>(0.9, 1.1)(random_);
    const auto wait = std::chrono::milliseconds(static_cast<int64_t>(milliseconds * factor));
    // At least a tick, so that an asset is due only once even with an interval of 0.
    Schedule(path, assets_[path], now + std::max(wait, std::chrono::milliseconds(1)));
    batch.paths.push_back(path);
  }
  allowed_ = now + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(
                       static_cast<double>(batch.paths.size()) /
                       static_cast<double>(options_.max_versions_per_second)));
  return batch;
}

std::vector<absl::StatusOr<AssetVersion>> PollingChangeSource::GetVersions(
    RequestContext& context, const std::vector<std::string>& paths) {
  const auto set_running = [this](RequestContext* running) {
    MutexLock lock(mu_);
    running_ = running;
    if (stopping_ && running != nullptr) running->Cancel();
  };
  set_running(&context);
  std::vector<absl::StatusOr<AssetVersion>> versions;
  // The context must not be cancelled after its end.
  const absl::Status asked = CatchOutOfMemory([&] {
    versions = resolver_->GetVersions(context, {}, paths);
    return absl::OkStatus();
  });
  set_running(nullptr);
  if (!asked.ok()) versions.clear();
  return versions;
}

PollingChangeSource::Clock::time_point PollingChangeSource::Poll() {
  const Batch batch = TakeDue();
  if (batch.paths.empty()) return batch.next;
  RequestContext context(RequestContext::Clock::now() + options_.call_timeout);
  const auto versions = GetVersions(context, batch.paths);
  AssetChanges changes;
  Clock::time_point next;
  {
    MutexLock lock(mu_);
    for (size_t i = 0; i < std::min(versions.size(), batch.paths.size()); ++i) {
      const auto it = assets_.find(batch.paths[i]);
      std::optional<std::string> version = Comparable(versions[i]);
      if (it == assets_.end() || !version.has_value() || it->second.version == *version) continue;
      it->second.version = *std::move(version);
      changes.paths.push_back(batch.paths[i]);
    }
    next = NextDue();
  }
  if (!changes.paths.empty()) callback_(changes);
  return next;
}

void PollingChangeSource::Run() {
  for (;;) {
    Clock::time_point next = options_.now() + std::chrono::seconds(1);
    const absl::Status polled = CatchOutOfMemory([&] {
      if (lost_) callback_({.all = true, .paths = {}});
      lost_ = false;
      next = Poll();
      return absl::OkStatus();
    });
    lost_ |= !polled.ok();
    MutexLock lock(mu_);
    if (stopping_) return;
    // A new asset may be due earlier than `next`.
    if (std::min(next, NextDue()) > options_.now()) wake_.WaitUntil(mu_, std::min(next, NextDue()));
  }
}

}  // namespace stagedoor
