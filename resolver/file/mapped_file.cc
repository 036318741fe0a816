#include "resolver/file/mapped_file.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "base/status.h"
#include "base/status_macros.h"
#include "resolver/file/file_version.h"
#include "resolver/file/open_error.h"

namespace stagedoor {
namespace {

// The upper half of the descriptors is reserved for connections and for files being opened.
bool MayKeep(int fd) {
  struct rlimit limit;
  return getrlimit(RLIMIT_NOFILE, &limit) == 0 && static_cast<rlim_t>(fd) < limit.rlim_cur / 2;
}

}  // namespace

absl::StatusOr<std::shared_ptr<const Asset>> MappedFile::Map(
    UniqueFd fd, std::string path, const struct stat& info, FileVersions::Found found,
    std::shared_ptr<FileVersions> versions) {
  auto region = MappedRegion::Map(fd.get(), static_cast<size_t>(info.st_size));
  if (!MayKeep(fd.get())) fd.Close();
  if (!region.ok()) return Annotate(region.status(), Quoted(path));
  return std::shared_ptr<const Asset>(new MappedFile(std::move(fd), std::move(path), info,
                                                     std::move(found), *std::move(region),
                                                     std::move(versions)));
}

MappedFile::MappedFile(UniqueFd fd, std::string path, const struct stat& info,
                       FileVersions::Found found, std::shared_ptr<const MappedRegion> region,
                       std::shared_ptr<FileVersions> versions)
    : fd_(std::move(fd)),
      path_(std::move(path)),
      version_(std::move(found.version)),
      hash_(std::move(found.hash)),
      region_(std::move(region)),
      then_(info),
      versions_(std::move(versions)),
      inode_time_(InodeTime(info)) {}

absl::StatusOr<size_t> MappedFile::Read(RequestContext&, uint64_t offset,
                                        std::span<std::byte> out) const {
  if (offset >= size()) return size_t{0};
  const auto from = region_->bytes().subspan(static_cast<size_t>(offset));
  const size_t count = std::min(out.size(), from.size());
  if (count != 0) std::memcpy(out.data(), from.data(), count);
  SD_RETURN_IF_ERROR(Check());
  return count;
}

absl::Status MappedFile::Check() const {
  // Everything read before this call must be read before the kernel is asked.
  std::atomic_thread_fence(std::memory_order_seq_cst);
  if (changed_.load(std::memory_order_acquire)) return Changed("was overwritten");
  if (region_->damaged()) return Damage();
  struct stat now;
  if (!StatNow(&now)) return absl::OkStatus();
  if (ContentMayDiffer(now, then_)) return Changed("was overwritten");
  if (InodeTime(now) == inode_time_.load(std::memory_order_acquire)) return absl::OkStatus();
  return Judge();
}

bool MappedFile::StatNow(struct stat* now) const {
  if (fd_.get() >= 0) return fstat(fd_.get(), now) == 0;
  return stat(path_.c_str(), now) == 0 && versions_->SameFile(*now, then_);
}

absl::Status MappedFile::Judge() const {
  if (!versions_->trust_change_time()) return absl::OkStatus();
  MutexLock lock(mu_);
  struct stat now;
  if (!StatNow(&now)) return absl::OkStatus();
  if (ContentMayDiffer(now, then_)) return Changed("was overwritten");
  if (InodeTime(now) == inode_time_.load(std::memory_order_relaxed)) return absl::OkStatus();
  // Asked first, so that a write after the comparison changes the time visibly.
  const bool settled = IsSettled(now);
  const bool same = versions_->HashAgain(region_->bytes()) == hash_;
  if (region_->damaged()) return DamageLocked();
  if (!same) return Changed("was overwritten, with its size and modification time kept,");
  if (settled) inode_time_.store(InodeTime(now), std::memory_order_release);
  return absl::OkStatus();
}

absl::Status MappedFile::Damage() const {
  MutexLock lock(mu_);
  return DamageLocked();
}

absl::Status MappedFile::DamageLocked() const {
  if (!unreadable_.ok()) return unreadable_;
  struct stat now;
  if (!StatNow(&now) || static_cast<uint64_t>(now.st_size) < size()) {
    return Changed("was truncated");
  }
  if (ContentMayDiffer(now, then_)) return Changed("was overwritten");
  versions_->AddFault(hash_);
  unreadable_ = ReadAgain();
  return unreadable_;
}

absl::Status MappedFile::ReadAgain() const {
  const UniqueFd opened(fd_.get() >= 0 ? -1 : open(path_.c_str(), O_RDONLY | O_CLOEXEC));
  const int fd = fd_.get() >= 0 ? fd_.get() : opened.get();
  char byte;
  const auto at = static_cast<off_t>(region_->damaged_at());
  // By now, it may be readable again.
  const int error = fd >= 0 && pread(fd, &byte, 1, at) == 1 ? EIO : errno;
  return UnavailableError(Message(ReadError(path_, error)), "; reload the stage");
}

absl::Status MappedFile::Changed(std::string_view how) const {
  if (!changed_.load(std::memory_order_acquire)) {
    versions_->AddFault(hash_);  // first, because it may find no memory
    changed_.store(true, std::memory_order_release);
  }
  return DataLossError(Quoted(path_), " ", how, " while in use; reload the stage");
}

}  // namespace stagedoor
