#include "server/frame_memory/frame_token.h"

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstring>

#include "base/fingerprinter.h"
#include "base/status_macros.h"
#include "server/error_info.h"

namespace stagedoor::server {
namespace {

// A token: the version, the words of the key, of the snapshot and of the clips, the kind and the
// number of the time, and the checksum of all that, numbers with the least significant byte first.
// Tokens of other versions also begin with their version and end with their checksum.
constexpr uint8_t kTokenVersion = 2;
constexpr size_t kWordBytes = sizeof(uint64_t);
constexpr size_t kChecksumBytes = 4;
constexpr size_t kTokenBytes = 1 + 6 * kWordBytes + 1 + kWordBytes + kChecksumBytes;
constexpr size_t kMostTokenBytes = 100;

enum TimeKind : uint8_t { kDefaultTime = 0, kNumericTime = 1, kPreTime = 2 };

std::string ChecksumOf(std::string_view bytes) {
  Fingerprinter fingerprinter;
  fingerprinter.Add(bytes);
  return fingerprinter.FinishBytes().substr(0, kChecksumBytes);
}

void AppendWord(uint64_t word, std::string* out) {
  for (size_t i = 0; i < kWordBytes; ++i) out->push_back(static_cast<char>(word >> (8 * i)));
}

uint64_t TakeWord(std::string_view* bytes) {
  uint64_t word = 0;
  for (size_t i = 0; i < kWordBytes; ++i) {
    word |= uint64_t{static_cast<uint8_t>((*bytes)[i])} << (8 * i);
  }
  bytes->remove_prefix(kWordBytes);
  return word;
}

std::optional<TimeCode> TimeOf(uint8_t kind, double number) {
  if (std::isnan(number)) return std::nullopt;
  switch (kind) {
    case kDefaultTime:
      return TimeCode::Default();
    case kNumericTime:
      return TimeCode::At(number);
    case kPreTime:
      return TimeCode::PreTime(number);
    default:
      return std::nullopt;
  }
}

absl::Status Malformed() {
  return InvalidFieldError("base_token", "", "must be the token of a frame, or empty");
}

}  // namespace

std::string FrameToken::ToBytes() const {
  std::string bytes;
  bytes.reserve(kTokenBytes);
  bytes.push_back(static_cast<char>(kTokenVersion));
  for (const Words& words : {key, snapshot, clips}) {
    for (const uint64_t word : words) AppendWord(word, &bytes);
  }
  const TimeKind kind = time.is_default()    ? kDefaultTime
                        : time.is_pre_time() ? kPreTime
                                             : kNumericTime;
  bytes.push_back(static_cast<char>(kind));
  AppendWord(std::bit_cast<uint64_t>(time.value()), &bytes);
  return bytes += ChecksumOf(bytes);
}

absl::StatusOr<std::optional<FrameToken>> FrameToken::Parse(std::string_view bytes) {
  if (bytes.size() <= kChecksumBytes || bytes.size() > kMostTokenBytes) return Malformed();
  const std::string_view checksum = bytes.substr(bytes.size() - kChecksumBytes);
  bytes.remove_suffix(kChecksumBytes);
  if (checksum != ChecksumOf(bytes)) return Malformed();
  if (static_cast<uint8_t>(bytes[0]) != kTokenVersion) return std::nullopt;
  if (bytes.size() != kTokenBytes - kChecksumBytes) return Malformed();
  bytes.remove_prefix(1);
  FrameToken token;
  for (Words* words : {&token.key, &token.snapshot, &token.clips}) {
    for (uint64_t& word : *words) word = TakeWord(&bytes);
  }
  const auto kind = static_cast<uint8_t>(bytes[0]);
  bytes.remove_prefix(1);
  const auto time = TimeOf(kind, std::bit_cast<double>(TakeWord(&bytes)));
  if (!time) return Malformed();
  token.time = *time;
  return token;
}

FrameToken::Words FrameToken::SnapshotWords(std::string_view fingerprint) {
  Fingerprinter fingerprinter;
  fingerprinter.Add(fingerprint);
  return fingerprinter.FinishWords();
}

}  // namespace stagedoor::server
