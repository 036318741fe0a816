#include "resolver/store/cache_directory.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <map>
#include <memory>
#include <thread>

#include "base/fingerprinter.h"
#include "base/status.h"
#include "base/status_macros.h"
#include "base/unique_fd.h"
#include "resolver/store/block_index.h"
#include "resolver/store/disk_io.h"

namespace stagedoor {
namespace {

constexpr std::string_view kData = ".data";
constexpr std::string_view kIndex = ".index";
constexpr std::string_view kCatalog = ".object";
constexpr std::string_view kTemporary = ".tmp";
// A temporary file that is older was left by a process that is gone.
constexpr time_t kOldTemporary = 3600;

// How long to wait for another process that evicts: not for long, because it makes room as well.
constexpr std::chrono::milliseconds kPause{10};
constexpr int kMostPauses = 50;

// Takes the lock of the directory for one eviction; none if another process keeps it.
UniqueFd LockForEviction(const std::string& directory) {
  UniqueFd fd(open(Concat(directory, "/lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  for (int attempt = 0; fd.get() >= 0 && flock(fd.get(), LOCK_EX | LOCK_NB) != 0; ++attempt) {
    if (attempt == kMostPauses) return UniqueFd(-1);
    std::this_thread::sleep_for(kPause);
  }
  return fd;
}

std::string NameOf(const CachedObject& object) {
  Fingerprinter fingerprinter;
  fingerprinter.Add(object.path);
  fingerprinter.Add(object.version);
  fingerprinter.Add(Concat(object.size));
  return fingerprinter.Finish();
}

bool Before(const timespec& a, const timespec& b) {
  return a.tv_sec != b.tv_sec ? a.tv_sec < b.tv_sec : a.tv_nsec < b.tv_nsec;
}

struct CloseDirectory {
  void operator()(DIR* directory) const { closedir(directory); }
};

}  // namespace

absl::StatusOr<CacheDirectory> CacheDirectory::Create(const std::string& path) {
  if (mkdir(path.c_str(), 0700) != 0 && errno != EEXIST) {
    return DiskError(errno, Concat("create the cache directory ", Quoted(path)));
  }
  return Open(path);
}

absl::StatusOr<CacheDirectory> CacheDirectory::Open(const std::string& path) {
  struct stat info;
  if (stat(path.c_str(), &info) != 0) return DiskError(errno, Concat("open ", Quoted(path)));
  if (!S_ISDIR(info.st_mode)) return InvalidArgumentError(Quoted(path), " is not a directory");
  if (info.st_uid != geteuid() || (info.st_mode & (S_IWGRP | S_IWOTH)) != 0) {
    return PermissionDeniedError(
        "the cache directory ", Quoted(path),
        " must belong to the user of the daemon, and be writable by nobody "
        "else");
  }
  if (access(path.c_str(), R_OK | W_OK | X_OK) != 0) {
    return DiskError(errno, Concat("write to the cache directory ", Quoted(path)));
  }
  return CacheDirectory(path);
}

std::string CacheDirectory::DataPath(const CachedObject& object) const {
  return Concat(path_, "/", NameOf(object), kData);
}

std::string CacheDirectory::IndexPath(const CachedObject& object) const {
  return Concat(path_, "/", NameOf(object), kIndex);
}

std::string CacheDirectory::CatalogPath(std::string_view object_path) const {
  return Concat(path_, "/", FingerprintOf(object_path), kCatalog);
}

absl::StatusOr<CacheDirectory::Listing> CacheDirectory::List() const {
  const std::unique_ptr<DIR, CloseDirectory> directory(opendir(path_.c_str()));
  if (directory == nullptr) return DiskError(errno, Concat("read ", Quoted(path_)));
  Listing listing;
  std::map<std::string, Entry, std::less<>> entries;
  while (const dirent* item = readdir(directory.get())) {
    const std::string_view file = item->d_name;
    struct stat info;
    if (fstatat(dirfd(directory.get()), item->d_name, &info, 0) != 0 || !S_ISREG(info.st_mode)) {
      continue;
    }
    const uint64_t bytes = static_cast<uint64_t>(info.st_blocks) * 512;
    listing.disk_bytes += bytes;
    if (file.ends_with(kTemporary) && info.st_mtime < time(nullptr) - kOldTemporary) {
      unlinkat(dirfd(directory.get()), item->d_name, 0);
    }
    const size_t dot = file.rfind('.');
    const std::string_view extension = dot == file.npos ? "" : file.substr(dot);
    if (extension != kData && extension != kIndex && extension != kCatalog) continue;
    Entry& entry = entries[std::string(file.substr(0, dot))];
    entry.name = file.substr(0, dot);
    entry.disk_bytes += bytes;
    if (extension != kData) entry.last_use = info.st_mtim;
  }
  for (auto& [name, entry] : entries) listing.entries.push_back(std::move(entry));
  std::sort(listing.entries.begin(), listing.entries.end(),
            [](const Entry& a, const Entry& b) { return Before(a.last_use, b.last_use); });
  return listing;
}

absl::StatusOr<CacheDirectory::Details> CacheDirectory::Describe(const Entry& entry) const {
  return Examine(entry, /*read_blocks=*/false);
}

absl::StatusOr<CacheDirectory::Details> CacheDirectory::Verify(const Entry& entry) const {
  return Examine(entry, /*read_blocks=*/true);
}

absl::StatusOr<CacheDirectory::Details> CacheDirectory::Examine(const Entry& entry,
                                                                bool read_blocks) const {
  constexpr uint64_t kStep = 1024;  // blocks
  SD_ASSIGN_OR_RETURN(const std::unique_ptr<BlockIndex> index,
                      BlockIndex::Open(Concat(path_, "/", entry.name, kIndex)));
  Details details{.object = index->object()};
  const std::string data_path = Concat(path_, "/", entry.name, kData);
  const UniqueFd data(open(data_path.c_str(), O_RDONLY | O_CLOEXEC));
  if (data.get() < 0 && errno != ENOENT)
    return DiskError(errno, Concat("open ", Quoted(data_path)));
  std::vector<std::byte> block(kBlockBytes);
  for (uint64_t first = 0; first < details.object.block_count(); first += kStep) {
    const uint64_t count = std::min(kStep, details.object.block_count() - first);
    SD_ASSIGN_OR_RETURN(const std::vector<uint64_t> checksums, index->Read(first, count));
    for (uint64_t i = 0; i < count; ++i) {
      if (checksums[i] == 0) continue;
      const uint64_t size = details.object.block_size(first + i);
      details.present_bytes += size;
      if (!read_blocks) continue;
      const auto bytes = std::span(block).first(size);
      const auto read = ReadAt(data.get(), (first + i) * kBlockBytes, bytes);
      if (read.ok() && *read == size && BlockIndex::Checksum(bytes) == checksums[i]) continue;
      details.damaged_bytes += size;
      const uint64_t absent[] = {0};
      SD_RETURN_IF_ERROR(index->Write(first + i, absent));
    }
  }
  return details;
}

bool CacheDirectory::Remove(const Entry& entry) const {
  const std::string index = Concat(path_, "/", entry.name, kIndex);
  const UniqueFd fd(open(index.c_str(), O_RDWR | O_CLOEXEC));
  // Without a descriptor, whether a process uses it is unknown.
  const bool unused = fd.get() < 0 ? errno == ENOENT : flock(fd.get(), LOCK_EX | LOCK_NB) == 0;
  if (!unused) return false;
  unlink(index.c_str());
  unlink(Concat(path_, "/", entry.name, kData).c_str());
  unlink(Concat(path_, "/", entry.name, kCatalog).c_str());
  return true;
}

void CacheDirectory::Discard(const CachedObject& object) const {
  unlink(IndexPath(object).c_str());
  unlink(DataPath(object).c_str());
}

absl::StatusOr<uint64_t> CacheDirectory::EvictTo(uint64_t max_bytes, uint64_t* evicted) const {
  const UniqueFd lock = LockForEviction(path_);
  SD_ASSIGN_OR_RETURN(const Listing listing, List());
  if (lock.get() < 0) return listing.disk_bytes;
  uint64_t left = listing.disk_bytes;
  for (const Entry& entry : listing.entries) {
    if (left <= max_bytes) break;
    if (!Remove(entry)) continue;
    left -= std::min(left, entry.disk_bytes);
    ++*evicted;
  }
  return left;
}

}  // namespace stagedoor
