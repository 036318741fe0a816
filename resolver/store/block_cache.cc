#include "resolver/store/block_cache.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>
#include <vector>

#include "base/request_scope.h"
#include "base/status.h"
#include "base/status_macros.h"
#include "resolver/store/disk_io.h"

namespace stagedoor {
namespace {

// How long nothing is evicted after there was nothing to evict.
constexpr std::chrono::seconds kFutilePause{1};

std::string KeyOf(const CachedObject& object) {
  return Concat(object.path, std::string(1, '\0'), object.version, std::string(1, '\0'),
                object.size);
}

// Makes a file of at least the given size whose bytes are absent.
absl::Status Extend(int fd, uint64_t size, const std::string& name) {
  struct stat info;
  if (fstat(fd, &info) == 0 && static_cast<uint64_t>(info.st_size) == size) {
    return absl::OkStatus();
  }
  if (ftruncate(fd, static_cast<off_t>(size)) == 0) return absl::OkStatus();
  return DiskError(errno, Concat("extend ", Quoted(name)));
}

}  // namespace

absl::StatusOr<std::unique_ptr<BlockCache>> BlockCache::Create(BlockCacheOptions options) {
  std::optional<CacheDirectory> directory;
  uint64_t used = 0;
  if (!options.directory.empty()) {
    SD_ASSIGN_OR_RETURN(directory, CacheDirectory::Create(options.directory));
    SD_ASSIGN_OR_RETURN(const CacheDirectory::Listing listing, directory->List());
    used = listing.disk_bytes;
  }
  return std::unique_ptr<BlockCache>(
      new BlockCache(std::move(options), std::move(directory), used));
}

BlockCache::BlockCache(BlockCacheOptions options, std::optional<CacheDirectory> directory,
                       uint64_t used)
    : options_(std::move(options)), directory_(std::move(directory)), held_(used) {}

BlockCache::~BlockCache() = default;

absl::StatusOr<std::shared_ptr<const BlockFile>> BlockCache::Open(const CachedObject& object,
                                                                  const BlockFile::Fetcher& fetch) {
  const std::string key = KeyOf(object);
  const auto find = [&]() -> File {
    MutexLock lock(mu_);
    const auto it = files_.Find(key);
    if (it == files_.end()) return nullptr;
    files_.Touch(it);
    if (it->value->Check().ok()) return it->value;
    // A file that the disk has lost is fetched again. Those who use the file keep it, and fail.
    if (directory_) directory_->Discard(object);
    files_.Erase(it);
    return nullptr;
  };
  if (File known = find()) {
    if (known->index() != nullptr) known->index()->Touch();
    return known;
  }
  SD_ASSIGN_OR_RETURN(File made, Make(object, fetch));
  ++opens_;
  MutexLock lock(mu_);
  if (const auto it = files_.Find(key); it != files_.end()) return it->value;
  const RequestMemoryExemption exempt;  // a file that was made is kept in any case
  files_.Add(key, made);
  CloseIdle(options_.max_idle_files, 0);
  return made;
}

absl::StatusOr<BlockCache::File> BlockCache::Make(const CachedObject& object,
                                                  const BlockFile::Fetcher& fetch) {
  const auto make = [&]() -> absl::StatusOr<File> {
    SD_ASSIGN_OR_RETURN(BlockFile::Parts parts, OpenParts(object));
    parts.fetch = fetch;
    parts.reserve = [this](uint64_t bytes) { return Reserve(bytes); };
    parts.settle = [this](uint64_t bytes, uint64_t arrived) { Settle(bytes, arrived); };
    parts.make_room = [this](uint64_t bytes) { return MakeRoomOnDisk(bytes); };
    parts.counters = &counters_;
    return BlockFile::Create(std::move(parts));
  };
  absl::StatusOr<File> file = make();
  // A full disk and damaged files are both remedied, in any order.
  for (int remedies = 0; remedies < 2 && !file.ok(); ++remedies) {
    if (file.status().code() == absl::StatusCode::kDataLoss) {
      directory_->Discard(object);
    } else if (!IsDiskFull(file.status()) || !MakeRoomOnDisk(0)) {
      break;
    }
    file = make();
  }
  if (file.ok() || file.status().code() == absl::StatusCode::kResourceExhausted) return file;
  // Whatever is wrong with the cache, it says nothing about the object.
  return UnavailableError(Message(file.status()));
}

absl::StatusOr<BlockFile::Parts> BlockCache::OpenParts(const CachedObject& object) {
  if (!directory_) {
    UniqueFd memory(memfd_create("stagedoor-cache", MFD_CLOEXEC));
    if (memory.get() < 0) return DiskError(errno, "create a cache file in memory");
    SD_RETURN_IF_ERROR(Extend(memory.get(), object.size, object.path));
    return BlockFile::Parts{.object = object, .data = std::move(memory)};
  }
  const std::string path = directory_->DataPath(object);
  SD_ASSIGN_OR_RETURN(std::unique_ptr<BlockIndex> index,
                      BlockIndex::OpenOrCreate(directory_->IndexPath(object), object));
  index->Touch();
  UniqueFd data(open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  if (data.get() < 0) return DiskError(errno, Concat("open ", Quoted(path)));
  SD_RETURN_IF_ERROR(Extend(data.get(), object.size, path));
  return BlockFile::Parts{
      .object = object, .data = std::move(data), .index = std::move(index), .sync = options_.sync};
}

absl::Status BlockCache::Reserve(uint64_t bytes) {
  in_flight_ += bytes;
  const bool look = directory_ && unlisted_.load() > options_.max_bytes / 16;
  if (used() <= options_.max_bytes && !look) return absl::OkStatus();
  MakeRoom();
  if (used() > options_.max_bytes && Relieve()) MakeRoom();
  if (used() <= options_.max_bytes) return absl::OkStatus();
  in_flight_ -= bytes;
  return ResourceExhaustedError("the cache of remote assets has no room for ", bytes,
                                " bytes: its ", options_.max_bytes,
                                " bytes are in use (--cache-bytes)");
}

void BlockCache::MakeRoom() {
  MutexLock lock(evicting_);
  if (directory_ && unlisted_.exchange(0) > options_.max_bytes / 16) {
    const auto listing = directory_->List();
    if (listing.ok()) held_.store(listing->disk_bytes);
  }
  if (used() <= options_.max_bytes) return;
  // Some more than necessary, so that it is not necessary again soon.
  const uint64_t room = std::max(in_flight_.load(), options_.max_bytes / 8);
  EvictTo(options_.max_bytes - std::min(room, options_.max_bytes));
}

void BlockCache::SetRelief(std::function<void()> relief) {
  MutexLock lock(relief_mu_);
  relief_ = std::move(relief);
}

bool BlockCache::Relieve() {
  {
    MutexLock lock(relief_mu_);
    const auto now = std::chrono::steady_clock::now();
    if (relief_ == nullptr || now < relief_again_) return false;
    relief_again_ = now + kFutilePause;
    relief_();
  }
  MutexLock lock(evicting_);
  futile_until_ = {};
  return true;
}

void BlockCache::Settle(uint64_t bytes, uint64_t arrived) {
  in_flight_ -= bytes;
  held_ += arrived;
  unlisted_ += arrived;
}

bool BlockCache::EvictTo(uint64_t target) {
  const auto now = std::chrono::steady_clock::now();
  if (now < futile_until_) return false;
  const uint64_t before = evictions_.load();
  {
    const uint64_t held = held_.load();
    MutexLock lock(mu_);
    CloseIdle(directory_ ? 0 : SIZE_MAX, held > target ? held - target : 0);
  }
  if (directory_) {
    uint64_t evicted = 0;
    const absl::StatusOr<uint64_t> left = directory_->EvictTo(target, &evicted);
    evictions_ += evicted;
    if (left.ok()) held_.store(*left);
  }
  const bool useful = evictions_.load() != before;
  if (!useful && directory_) futile_until_ = now + kFutilePause;
  return useful;
}

bool BlockCache::MakeRoomOnDisk(uint64_t bytes) {
  if (!directory_) return false;
  MutexLock lock(evicting_);
  const auto listing = directory_->List();
  if (!listing.ok()) return false;
  const uint64_t room = std::max(bytes, listing->disk_bytes / 8);
  return EvictTo(listing->disk_bytes - std::min(room, listing->disk_bytes));
}

void BlockCache::CloseUnused() {
  MutexLock lock(mu_);
  CloseIdle(0, 0);
}

void BlockCache::CloseIdle(size_t most, uint64_t bytes) {
  size_t idle = 0;
  for (const auto& [key, file] : files_) idle += file.use_count() == 1;
  uint64_t freed = 0;
  for (auto it = files_.end(); it != files_.begin();) {
    --it;
    const bool in_memory = it->value->index() == nullptr;
    if (idle <= most && !(in_memory && freed < bytes)) break;
    if (it->value.use_count() != 1) continue;
    const uint64_t size = it->value->present_bytes();
    it = files_.Erase(it);
    --idle;
    if (!in_memory) continue;
    freed += size;
    held_ -= std::min(held_.load(), size);
    ++evictions_;
  }
}

BlockCacheStats BlockCache::Stats() const {
  MutexLock lock(mu_);
  return {.bytes = held_.load(),
          .max_bytes = options_.max_bytes,
          .fetched_blocks = counters_.fetched_blocks.load(),
          .found_blocks = counters_.found_blocks.load(),
          .damaged_blocks = counters_.damaged_blocks.load(),
          .evictions = evictions_.load(),
          .opens = opens_.load(),
          .open_files = files_.size()};
}

}  // namespace stagedoor
