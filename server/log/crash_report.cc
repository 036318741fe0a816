#include "server/log/crash_report.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>

#include "absl/debugging/symbolize.h"

namespace stagedoor::server {
namespace {

constexpr size_t kEndBytes = 3;  // for the end of a line of JSON
constexpr int kPatienceMilliseconds = 100;

std::string_view BaseName(std::string_view path) { return path.substr(path.rfind('/') + 1); }

}  // namespace

CrashLine::CrashLine(LogFormat format) : format_(format) {
  char time[kUtcTimeBytes];
  WriteUtcTime(std::chrono::system_clock::now(), time);
  const std::string_view when(time, kUtcTimeBytes);
  if (format_ == LogFormat::kJson) {
    Put("{\"time\":\"");
    Put(when);
    Put("\",\"level\":\"critical\",\"message\":\"crash: ");
  } else {
    Put("[");
    Put(when.substr(0, 10));
    Put(" ");
    Put(when.substr(11));
    Put("] [critical] crash: ");
  }
}

CrashLine& CrashLine::Add(std::string_view text) {
  for (const char c : text) {
    const bool escaped = format_ == LogFormat::kJson && (c == '"' || c == '\\');
    if (escaped) Put("\\");
    const char shown = c >= 0x20 && c < 0x7f ? c : '?';
    Put({&shown, 1});
  }
  return *this;
}

CrashLine& CrashLine::AddDecimal(uint64_t number) {
  char digits[20];
  size_t begin = sizeof(digits);
  do {
    digits[--begin] = static_cast<char>('0' + number % 10);
    number /= 10;
  } while (number != 0);
  return Add({digits + begin, sizeof(digits) - begin});
}

CrashLine& CrashLine::AddHex(uint64_t number) {
  char digits[16];
  size_t begin = sizeof(digits);
  do {
    digits[--begin] = "0123456789abcdef"[number % 16];
    number /= 16;
  } while (number != 0);
  return Add("0x").Add({digits + begin, sizeof(digits) - begin});
}

void CrashLine::Put(std::string_view raw) {
  if (raw.size() > bytes_.size() - kEndBytes - size_) return;
  std::copy(raw.begin(), raw.end(), bytes_.begin() + size_);
  size_ += raw.size();
}

void CrashLine::WriteTo(int fd) {
  const std::string_view end = format_ == LogFormat::kJson ? "\"}\n" : "\n";
  std::copy(end.begin(), end.end(), bytes_.begin() + size_);
  std::string_view left(bytes_.data(), size_ + end.size());
  while (!left.empty()) {
    const ssize_t written = ::write(fd, left.data(), left.size());
    if (written > 0) {
      left.remove_prefix(static_cast<size_t>(written));
    } else if (written < 0 && errno == EAGAIN) {
      pollfd ready{.fd = fd, .events = POLLOUT, .revents = 0};
      if (::poll(&ready, 1, kPatienceMilliseconds) <= 0) return;
    } else if (written == 0 || errno != EINTR) {
      return;
    }
  }
}

void AddFrame(uintptr_t address, bool is_return, CrashLine& line) {
  // The call itself, since the address behind it may belong to another function.
  const auto* const code = reinterpret_cast<void*>(address - (is_return ? 1 : 0));
  line.AddHex(address);
  dl_find_object object;
  if (::_dl_find_object(const_cast<void*>(code), &object) == 0) {
    const link_map& binary = *object.dlfo_link_map;
    const std::string_view name = BaseName(binary.l_name);
    line.Add(" ").Add(name.empty() ? program_invocation_short_name : name);
    line.Add("+").AddHex(reinterpret_cast<uintptr_t>(code) - binary.l_addr);
  }
  char name[700];
  line.Add(" ").Add(absl::Symbolize(code, name, sizeof(name)) ? name : "(unknown function)");
}

}  // namespace stagedoor::server
