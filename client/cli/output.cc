#include "client/cli/output.h"

#include <cerrno>
#include <cstring>

#include "base/status.h"
#include "base/strings.h"

namespace stagedoor {
namespace {

constexpr size_t kFlushBytes = 64 << 10;

}  // namespace

std::string ProblemCounts::Text() const {
  std::string text;
  const auto add = [&](size_t count, std::string_view one) {
    if (count == 0) return;
    text.append(Concat(text.empty() ? "" : ", ", count, " ", one, count == 1 ? "" : "s"));
  };
  add(errors, "error");
  add(warnings, "warning");
  add(missing, "missing file");
  return text;
}

void Output::Write(std::string_view text) {
  if (!status_.ok()) return;
  pending_.append(text);
  if (pending_.size() >= kFlushBytes) Flush().IgnoreError();
}

absl::Status Output::Flush() {
  std::string_view left = pending_;
  while (status_.ok() && !left.empty()) {
    started_ = true;
    const ssize_t written = ::write(fd_, left.data(), left.size());
    if (written > 0) {
      left.remove_prefix(static_cast<size_t>(written));
    } else if (written == 0 || errno != EINTR) {
      reader_gone_ = written < 0 && errno == EPIPE;
      status_ = FailedPreconditionError("cannot write to standard output: ", std::strerror(errno));
    }
  }
  pending_.clear();
  return status_;
}

}  // namespace stagedoor
