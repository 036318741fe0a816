#include "server/log/log_writer.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <thread>
#include <utility>

#include "base/mutex.h"
#include "base/status.h"

namespace stagedoor::server {
namespace {

constexpr std::chrono::milliseconds kLastPatience{500};

// Writes `text`, waiting even if the descriptor is non-blocking. False if it cannot be written.
// Sets `*torn` if a line was written in part.
bool WriteAll(int fd, std::string_view text, bool* torn) {
  while (!text.empty()) {
    const ssize_t written = ::write(fd, text.data(), text.size());
    if (written > 0) {
      text.remove_prefix(static_cast<size_t>(written));
      *torn = !text.empty();
    } else if (written < 0 && errno == EAGAIN) {
      pollfd ready{.fd = fd, .events = POLLOUT, .revents = 0};
      ::poll(&ready, 1, -1);
    } else if (written == 0 || errno != EINTR) {
      return false;
    }
  }
  return true;
}

}  // namespace

class LogWriter::State {
 public:
  explicit State(int fd) : fd_(fd), latest_fd_(fd) {}
  ~State() { CloseOwned(); }

  int latest_fd() const { return latest_fd_.load(std::memory_order_acquire); }

  void Switch(int fd) {
    MutexLock lock(mu_);
    if (next_fd_ >= 0) ::close(next_fd_);
    next_fd_ = fd;
    latest_fd_.store(fd, std::memory_order_release);
    wake_.NotifyAll();
  }

  void Add(std::string_view line) {
    MutexLock lock(mu_);
    if (pending_.size() + line.size() > kMaxPendingBytes) {
      ++lost_;
      return;
    }
    pending_.append(line);
    ++pending_lines_;
    ++added_;
    wake_.NotifyAll();
  }

  bool WaitUntilDone(std::chrono::steady_clock::time_point deadline) {
    MutexLock lock(mu_);
    const uint64_t wanted = added_;
    while (done_ < wanted) {
      if (!done_changed_.WaitUntil(mu_, deadline)) return done_ >= wanted;
    }
    return true;
  }

  void Stop() {
    MutexLock lock(mu_);
    stopping_ = true;
    wake_.NotifyAll();
  }

  void Run() {
    MutexLock lock(mu_);
    for (;;) {
      while (pending_.empty() && next_fd_ < 0 && !stopping_) wake_.Wait(mu_);
      TakeDescriptor();
      if (pending_.empty() && stopping_) return;
      WritePending();
    }
  }

 private:
  void TakeDescriptor() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_) {
    if (next_fd_ < 0) return;
    CloseOwned();
    fd_ = next_fd_;
    next_fd_ = -1;
    owned_ = true;
    torn_ = false;
  }

  void CloseOwned() {
    if (owned_) ::close(fd_);
  }

  void WritePending() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_) {
    std::string text = torn_ ? "\n" : "";
    if (lost_ != 0) text.append(Concat("[log] ", lost_, " messages were lost\n"));
    text.append(pending_);
    pending_.clear();
    const uint64_t lines = std::exchange(pending_lines_, 0), lost = std::exchange(lost_, 0);
    mu_.Unlock();
    const bool written = WriteAll(fd_, text, &torn_);
    mu_.Lock();
    if (!written) lost_ += lines + lost;
    done_ += lines;
    done_changed_.NotifyAll();
  }

  // Used by the writing thread only.
  int fd_;
  bool owned_ = false;
  bool torn_ = false;

  std::atomic<int> latest_fd_;

  Mutex mu_;
  CondVar wake_;
  CondVar done_changed_;
  std::string pending_ ABSL_GUARDED_BY(mu_);
  uint64_t pending_lines_ ABSL_GUARDED_BY(mu_) = 0;
  uint64_t added_ ABSL_GUARDED_BY(mu_) = 0;
  uint64_t done_ ABSL_GUARDED_BY(mu_) = 0;  // lines written, or lost after they were queued
  uint64_t lost_ ABSL_GUARDED_BY(mu_) = 0;
  int next_fd_ ABSL_GUARDED_BY(mu_) = -1;
  bool stopping_ ABSL_GUARDED_BY(mu_) = false;
};

LogWriter::LogWriter(int fd) : state_(std::make_shared<State>(fd)) {
  std::thread([state = state_] { state->Run(); }).detach();
}

LogWriter::~LogWriter() {
  Flush(kLastPatience);
  state_->Stop();
}

absl::Status LogWriter::Open(const std::string& path) {
  // Non-blocking, so that a named pipe without a reader is an error instead of a wait.
  const int fd =
      ::open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0644);
  if (fd < 0) {
    return PermissionDeniedError("cannot write the log file ", Quoted(path), ": ",
                                 std::strerror(errno));
  }
  state_->Switch(fd);
  return absl::OkStatus();
}

int LogWriter::descriptor() const { return state_->latest_fd(); }

void LogWriter::Write(std::string_view line) { state_->Add(line); }

bool LogWriter::Flush(std::chrono::milliseconds timeout) {
  return state_->WaitUntilDone(std::chrono::steady_clock::now() + timeout);
}

}  // namespace stagedoor::server
