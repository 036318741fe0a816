#include "resolver/store/testing/fake_store.h"

#include <algorithm>

#include "base/status.h"
#include "base/status_macros.h"

namespace stagedoor {

void FakeStore::Put(const std::string& path, std::string content) {
  MutexLock lock(mu_);
  const std::string version = Concat("version ", ++last_);
  current_[path] = version;
  contents_[version] = std::move(content);
}

void FakeStore::Remove(const std::string& path) {
  MutexLock lock(mu_);
  current_.erase(path);
}

absl::StatusOr<ObjectInfo> FakeStore::Find(const std::string& path) const {
  if (misconfigured) return FailedPreconditionError("cannot read ", Quoted(path));
  if (unavailable) return UnavailableError("no answer about ", Quoted(path));
  const auto it = current_.find(path);
  if (it == current_.end()) return NotFoundError("no object ", Quoted(path));
  const uint64_t size = contents_.at(it->second).size();
  const std::string version = by_time ? Concat("size ", size) : it->second;
  return ObjectInfo{
      .version = AssetVersion(version), .size = size, .handle = it->second, .by_time = by_time};
}

absl::StatusOr<ObjectStore::Opened> FakeStore::Open(RequestContext& context,
                                                    const std::string& path,
                                                    const ObjectInfo* known,
                                                    size_t head_bytes) const {
  SD_RETURN_IF_ERROR(context.Check());
  ++opens;
  const auto look = [&]() -> absl::StatusOr<Opened> {
    MutexLock lock(mu_);
    Opened opened;
    SD_ASSIGN_OR_RETURN(opened.info, Find(path));
    if (known != nullptr && known->version == opened.info.version) return opened;
    opened.head = contents_.at(opened.info.handle).substr(0, head_bytes);
    bytes += opened.head.size();
    return opened;
  };
  absl::StatusOr<Opened> opened = look();
  if (const auto hook = on_open) hook();
  return opened;
}

std::vector<absl::StatusOr<ObjectInfo>> FakeStore::GetInfo(
    RequestContext&, std::span<const std::string> paths) const {
  MutexLock lock(mu_);
  std::vector<absl::StatusOr<ObjectInfo>> answers;
  for (const std::string& path : paths) {
    ++infos;
    answers.push_back(Find(path));
  }
  return answers;
}

absl::Status FakeStore::Fetch(RequestContext& context, const std::string& path,
                              const ObjectInfo& info, std::span<const ByteRange> wanted,
                              const Sink& sink) const {
  SD_RETURN_IF_ERROR(context.Check());
  ++fetches;
  ranges += static_cast<int>(wanted.size());
  if (const auto hook = on_fetch) hook();
  std::string content;
  {
    MutexLock lock(mu_);
    if (unavailable) return UnavailableError("no answer about ", Quoted(path));
    const auto it = current_.find(path);
    if (refusals > 0) {
      --refusals;
      return DataLossError(Quoted(path), " was changed");
    }
    if (!keeps_versions && (it == current_.end() || it->second != info.handle)) {
      return DataLossError(Quoted(path), " was changed");
    }
    content = contents_.at(info.handle);
  }
  uint64_t sent = 0;
  for (const ByteRange& range : wanted) {
    // In pieces that do not match blocks.
    for (uint64_t at = range.offset; at < range.end();) {
      const uint64_t size = std::min({range.end() - at, uint64_t{10000}, fails_after - sent});
      if (size == 0) return UnavailableError("the connection broke");
      SD_RETURN_IF_ERROR(sink(at, std::as_bytes(std::span(content).subspan(at, size))));
      at += size;
      sent += size;
      bytes += size;
    }
  }
  return absl::OkStatus();
}

}  // namespace stagedoor
