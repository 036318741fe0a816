#ifndef STAGEDOOR_SERVER_LOG_CRASH_REPORT_H_
#define STAGEDOOR_SERVER_LOG_CRASH_REPORT_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "server/log/log_fields.h"

namespace stagedoor::server {

// One line of the log in a buffer of fixed size, for signal handlers: everything is
// async-signal-safe. Text beyond the buffer is dropped.
class CrashLine {
 public:
  explicit CrashLine(LogFormat format);

  // Adds to the message. What is not printable ASCII is replaced by '?'.
  CrashLine& Add(std::string_view text);
  CrashLine& AddDecimal(uint64_t number);
  CrashLine& AddHex(uint64_t number);  // with 0x

  // Writes the line to `fd`.
  void WriteTo(int fd);

 private:
  void Put(std::string_view raw);

  const LogFormat format_;
  std::array<char, 1400> bytes_;
  size_t size_ = 0;
};

// Adds the address of a stack frame, its offset in its binary, and the name of its function.
// `is_return` tells whether it is the address behind a call.
void AddFrame(uintptr_t address, bool is_return, CrashLine& line);

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_LOG_CRASH_REPORT_H_
