#include "server/access/key_set_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "base/status.h"
#include "base/status_macros.h"

namespace stagedoor::server {
namespace {

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return fd_; }

 private:
  const int fd_;
};

absl::Status CannotRead(const std::string& path, int error) {
  const absl::StatusCode code =
      error == ENOENT ? absl::StatusCode::kNotFound : absl::StatusCode::kPermissionDenied;
  return MakeStatus(code,
                    Concat("cannot read the key set ", Quoted(path), ": ", std::strerror(error)));
}

// At most `limit` bytes of a file.
absl::StatusOr<std::string> ReadUpTo(int fd, size_t limit, const std::string& path) {
  std::string text(limit, '\0');
  size_t size = 0;
  while (size < limit) {
    const ssize_t count = ::read(fd, text.data() + size, limit - size);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return CannotRead(path, errno);
    if (count == 0) break;
    size += static_cast<size_t>(count);
  }
  text.resize(size);
  return text;
}

int64_t Nanoseconds(const timespec& time) {
  return int64_t{time.tv_sec} * 1'000'000'000 + int64_t{time.tv_nsec};
}

}  // namespace

absl::StatusOr<std::unique_ptr<KeySetFile>> KeySetFile::Open(std::string path, Time now,
                                                             Warn warn) {
  std::unique_ptr<KeySetFile> file(new KeySetFile(std::move(path), std::move(warn)));
  SD_ASSIGN_OR_RETURN(Content content, file->Read(std::nullopt));
  SD_RETURN_IF_ERROR(content.problem);
  MutexLock lock(file->mu_);
  file->keys_ = std::move(content.keys);
  file->stamp_ = content.stamp;
  file->checked_ = now;
  return file;
}

std::shared_ptr<const JsonWebKeySet> KeySetFile::Keys(Time now) {
  {
    MutexLock lock(mu_);
    // A clock that was set back must not end the checks.
    const bool due = now >= checked_ + kCheckInterval || now < checked_;
    if (!due || checking_) return keys_;
    checking_ = true;
    checked_ = now;
  }
  struct Done {
    ~Done() {
      MutexLock lock(file.mu_);
      file.checking_ = false;
    }
    KeySetFile& file;
  } done{*this};
  CheckFile();
  MutexLock lock(mu_);
  return keys_;
}

absl::StatusOr<KeySetFile::Content> KeySetFile::Read(const std::optional<Stamp>& known) const {
  // A named pipe would otherwise block.
  const Descriptor file(::open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat info {};
  if (file.get() < 0 || ::fstat(file.get(), &info) != 0) return CannotRead(path_, errno);
  if (!S_ISREG(info.st_mode)) {
    return FailedPreconditionError("cannot read the key set ", Quoted(path_),
                                   ": it is not a regular file");
  }
  Content content;
  content.stamp = {.device = info.st_dev,
                   .inode = info.st_ino,
                   .bytes = static_cast<uint64_t>(info.st_size),
                   .modified_ns = Nanoseconds(info.st_mtim),
                   .changed_ns = Nanoseconds(info.st_ctim)};
  if (known == content.stamp) return content;
  SD_ASSIGN_OR_RETURN(const std::string text, ReadUpTo(file.get(), kMaxKeySetBytes + 1, path_));
  absl::StatusOr<JsonWebKeySet> keys = JsonWebKeySet::Parse(text);
  if (keys.ok()) {
    content.keys = std::make_shared<const JsonWebKeySet>(*std::move(keys));
  } else {
    content.problem = Annotate(keys.status(), Quoted(path_));
  }
  return content;
}

void KeySetFile::CheckFile() {
  std::optional<Stamp> known;
  {
    MutexLock lock(mu_);
    known = stamp_;
  }
  absl::StatusOr<Content> content = Read(known);
  if (content.ok() && known == content->stamp) return;  // as good or bad as before
  const absl::Status problem = content.ok() ? content->problem : content.status();
  {
    MutexLock lock(mu_);
    stamp_.reset();  // once it can be read again, even an unchanged file is news
    if (content.ok()) stamp_ = content->stamp;
    if (problem.ok()) keys_ = std::move(content->keys);
    if (problem == std::exchange(last_warning_, problem)) return;
  }
  if (problem.ok() || !warn_) return;
  warn_(Annotate(problem, "tokens are still verified with the keys read before"));
}

}  // namespace stagedoor::server
