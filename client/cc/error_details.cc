#include "client/cc/error_details.h"

#include <google/protobuf/unknown_field_set.h>

#include <algorithm>
#include <cstdint>
#include <utility>

namespace stagedoor {
namespace {

using google::protobuf::UnknownField;
using google::protobuf::UnknownFieldSet;

// Numbers of fields.
constexpr int kStatusDetails = 3;
constexpr int kAnyTypeUrl = 1;
constexpr int kAnyValue = 2;
constexpr int kInfoReason = 1;
constexpr int kInfoDomain = 2;
constexpr int kInfoMetadata = 3;
constexpr int kEntryKey = 1;
constexpr int kEntryValue = 2;
constexpr int kRetryDelay = 1;
constexpr int kDurationSeconds = 1;
constexpr int kDurationNanos = 2;

// The fields of a message; none if its bytes cannot be decoded.
class Fields : public UnknownFieldSet {
 public:
  explicit Fields(const std::string& bytes) {
    if (!ParseFromString(bytes)) Clear();
  }
};

// The last text of a field; null if there is none.
const std::string* TextOf(const UnknownFieldSet& fields, int number) {
  const std::string* text = nullptr;
  for (int i = 0; i < fields.field_count(); ++i) {
    const UnknownField& field = fields.field(i);
    const bool matches =
        field.number() == number && field.type() == UnknownField::TYPE_LENGTH_DELIMITED;
    if (matches) text = &field.length_delimited();
  }
  return text;
}

std::string CopyOf(const UnknownFieldSet& fields, int number) {
  const std::string* text = TextOf(fields, number);
  return text == nullptr ? std::string() : *text;
}

int64_t NumberOf(const UnknownFieldSet& fields, int number) {
  int64_t value = 0;
  for (int i = 0; i < fields.field_count(); ++i) {
    const UnknownField& field = fields.field(i);
    if (field.number() == number && field.type() == UnknownField::TYPE_VARINT) {
      value = static_cast<int64_t>(field.varint());
    }
  }
  return value;
}

// Calls `visit` for the parts of a repeated field.
template <typename Visit>
void ForEach(const UnknownFieldSet& fields, int number, const Visit& visit) {
  for (int i = 0; i < fields.field_count(); ++i) {
    const UnknownField& field = fields.field(i);
    if (field.number() == number && field.type() == UnknownField::TYPE_LENGTH_DELIMITED) {
      visit(Fields(field.length_delimited()));
    }
  }
}

}  // namespace

std::vector<std::string> FindDetails(const std::string& status, std::string_view type_url) {
  std::vector<std::string> found;
  ForEach(Fields(status), kStatusDetails, [&](const UnknownFieldSet& any) {
    const std::string* type = TextOf(any, kAnyTypeUrl);
    if (type != nullptr && *type == type_url) found.push_back(CopyOf(any, kAnyValue));
  });
  return found;
}

ErrorInfo ParseErrorInfo(const std::string& bytes) {
  const Fields fields(bytes);
  ErrorInfo info;
  info.reason = CopyOf(fields, kInfoReason);
  info.domain = CopyOf(fields, kInfoDomain);
  ForEach(fields, kInfoMetadata, [&](const UnknownFieldSet& entry) {
    info.metadata[CopyOf(entry, kEntryKey)] = CopyOf(entry, kEntryValue);
  });
  return info;
}

std::string SerializeErrorInfo(const ErrorInfo& info) {
  UnknownFieldSet fields;
  fields.AddLengthDelimited(kInfoReason, info.reason);
  fields.AddLengthDelimited(kInfoDomain, info.domain);
  for (const auto& [key, value] : info.metadata) {
    UnknownFieldSet entry;
    entry.AddLengthDelimited(kEntryKey, key);
    entry.AddLengthDelimited(kEntryValue, value);
    entry.SerializeToString(fields.AddLengthDelimited(kInfoMetadata));
  }
  std::string bytes;
  fields.SerializeToString(&bytes);
  return bytes;
}

std::optional<std::chrono::milliseconds> ParseRetryDelay(const std::string& bytes) {
  constexpr int64_t kDay = 24 * 60 * 60;
  UnknownFieldSet fields;
  if (!fields.ParseFromString(bytes)) return std::nullopt;
  std::chrono::milliseconds delay{0};
  ForEach(fields, kRetryDelay, [&](const UnknownFieldSet& duration) {
    const int64_t seconds = std::clamp<int64_t>(NumberOf(duration, kDurationSeconds), -kDay, kDay);
    const int64_t nanos =
        std::clamp<int64_t>(NumberOf(duration, kDurationNanos), -999'999'999, 999'999'999);
    delay = std::chrono::milliseconds(seconds * 1000 + nanos / 1'000'000);
  });
  return delay;
}

}  // namespace stagedoor
