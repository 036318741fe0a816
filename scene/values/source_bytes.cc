#include "scene/values/source_bytes.h"

#include <algorithm>
#include <utility>

#include "base/status.h"
#include "base/status_macros.h"

namespace stagedoor {
namespace {

// Sets `to` to the maximum of itself and `moment`, atomically.
void Raise(std::atomic<uint64_t>& to, uint64_t moment) {
  uint64_t known = to.load(std::memory_order_relaxed);
  while (known < moment && !to.compare_exchange_weak(known, moment, std::memory_order_acq_rel)) {
  }
}

}  // namespace

SourceBytes::SourceBytes(std::string name, std::function<absl::Status()> check,
                         std::shared_ptr<const void> pin, SourceWatch* watch, const Origin& origin)
    : AssetArrayOwner(origin),
      name_(std::move(name)),
      check_(std::move(check)),
      pin_(std::move(pin)),
      watch_(watch) {
  if (watch_ != nullptr) watch_->Add(this);
}

SourceBytes::~SourceBytes() {
  if (watch_ != nullptr) watch_->Remove(this);
}

absl::Status SourceBytes::Check() const {
  absl::Status status = check_();
  if (!status.ok() && !changed_.exchange(true, std::memory_order_acq_rel) && watch_ != nullptr) {
    watch_->changes_.fetch_add(1, std::memory_order_acq_rel);
  }
  return status;
}

void SourceBytes::NoteUse() const {
  if (watch_ == nullptr) return;
  const uint64_t now = watch_->clock_.load(std::memory_order_acquire);
  if (last_use_.load(std::memory_order_relaxed) < now) Raise(last_use_, now);
  if (watch_->last_use_.load(std::memory_order_relaxed) < now) Raise(watch_->last_use_, now);
}

void SourceWatch::Add(const SourceBytes* source) {
  WriterMutexLock lock(mu_);
  sources_.insert(source);
}

void SourceWatch::Remove(const SourceBytes* source) {
  WriterMutexLock lock(mu_);
  sources_.erase(source);
}

void SourceWatch::CheckAllUsed(uint64_t moment) const {
  if (last_use_.load(std::memory_order_acquire) < moment) return;
  ReaderMutexLock lock(mu_);
  for (const SourceBytes* source : sources_) {
    if (source->last_use_.load(std::memory_order_acquire) >= moment) (void)source->Check();
  }
}

absl::Status SourceWatch::CheckNamed(const std::unordered_set<std::string>& names,
                                     bool known) const {
  ReaderMutexLock lock(mu_);
  for (const SourceBytes* source : sources_) {
    if (known && !source->changed()) continue;
    if (names.contains(source->name_)) SD_RETURN_IF_ERROR(source->Check());
  }
  return absl::OkStatus();
}

absl::Status SourceWatch::CheckUsed(uint64_t moment, bool known) const {
  if (last_use_.load(std::memory_order_acquire) < moment) return absl::OkStatus();
  ReaderMutexLock lock(mu_);
  for (const SourceBytes* source : sources_) {
    if (known && !source->changed()) continue;
    if (source->last_use_.load(std::memory_order_acquire) >= moment) {
      SD_RETURN_IF_ERROR(source->Check());
    }
  }
  return absl::OkStatus();
}

std::string SourceName(const std::string& path, const std::string& version) {
  return Concat(path, '\0', version);
}

const SourceBytes* SourceOf(const ArrayBase& array) {
  return array.owner() ? dynamic_cast<const SourceBytes*>(array.owner().get()) : nullptr;
}

const SourceBytes* SourceOf(const Value& value) {
  const ArrayBase* array = value.array();
  return array ? SourceOf(*array) : nullptr;
}

absl::Status CheckKnownChanges(const Value& value) {
  const SourceBytes* source = SourceOf(value);
  return source && source->changed() ? source->Check() : absl::OkStatus();
}

absl::Status CheckUnchanged(const Value& value) {
  const SourceBytes* source = SourceOf(value);
  return source ? source->Check() : absl::OkStatus();
}

void SourceSet::Add(const Value& value) {
  const SourceBytes* source = SourceOf(value);
  if (source == nullptr) return;
  // Searched backwards, because consecutive values mostly come from the same file.
  const auto same = [&](const auto& known) { return known.get() == source; };
  if (std::find_if(sources_.rbegin(), sources_.rend(), same) != sources_.rend()) return;
  sources_.push_back(RefPtr<const SourceBytes>::Share(source));
}

absl::Status SourceSet::Check() const {
  absl::Status first;
  for (const auto& source : sources_) first.Update(source->Check());
  return first;
}

}  // namespace stagedoor
