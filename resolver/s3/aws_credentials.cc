#include "resolver/s3/aws_credentials.h"

#include <algorithm>
#include <map>
#include <utility>

#include "base/status.h"
#include "base/status_macros.h"
#include "nlohmann/json.hpp"

namespace stagedoor {
namespace {

using Json = nlohmann::json;

std::string_view Trimmed(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r\n";
  const size_t first = text.find_first_not_of(kSpace);
  if (first == std::string_view::npos) return "";
  return text.substr(first, text.find_last_not_of(kSpace) - first + 1);
}

constexpr size_t kMaxKeyBytes = 8192;

// Keys are sent in header fields.
bool IsSendable(std::string_view key) {
  return key.size() <= kMaxKeyBytes &&
         std::all_of(key.begin(), key.end(), [](char c) { return c > 0x20 && c < 0x7f; });
}

// The name of the profile that "[profile x]" or "[x]" begins, or empty text.
std::string_view SectionName(std::string_view line) {
  if (!line.starts_with('[') || !line.ends_with(']')) return "";
  std::string_view name = Trimmed(line.substr(1, line.size() - 2));
  if (name.starts_with("profile ")) name = Trimmed(name.substr(8));
  return name;
}

// Keeps the texts of a flat JSON object, whose other values must not be objects or lists.
class FlatObjectHandler final : public nlohmann::json_sax<Json> {
 public:
  const std::map<std::string, std::string>& values() const { return values_; }

  bool start_object(std::size_t) override { return !std::exchange(in_object_, true); }
  bool end_object() override { return true; }
  bool key(string_t& key) override {
    key_ = std::move(key);
    return true;
  }
  bool string(string_t& value) override {
    if (!in_object_) return false;
    values_[key_] = std::move(value);
    return true;
  }
  bool null() override { return in_object_; }
  bool boolean(bool) override { return in_object_; }
  bool number_integer(number_integer_t) override { return in_object_; }
  bool number_unsigned(number_unsigned_t) override { return in_object_; }
  bool number_float(number_float_t, const string_t&) override { return in_object_; }
  bool binary(binary_t&) override { return false; }
  bool start_array(std::size_t) override { return false; }
  bool end_array() override { return false; }
  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception&) override {
    return false;
  }

 private:
  bool in_object_ = false;
  std::string key_;
  std::map<std::string, std::string> values_;
};

}  // namespace

absl::Status CheckKeys(const AwsCredentials& keys) {
  if (keys.access_key_id.empty() || keys.secret_access_key.empty()) {
    return InvalidArgumentError("the access key ID or the secret access key is missing");
  }
  if (!IsSendable(keys.access_key_id) || !IsSendable(keys.secret_access_key) ||
      !IsSendable(keys.session_token)) {
    return InvalidArgumentError("a key has a space, a special character, or is too long");
  }
  return absl::OkStatus();
}

absl::StatusOr<AwsCredentials> ParseCredentialsFile(std::string_view text,
                                                    std::string_view profile) {
  AwsCredentials keys;
  bool found = false;
  bool inside = false;
  while (!text.empty()) {
    const std::string_view whole_line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(whole_line.size() + 1, text.size()));
    const std::string_view line = Trimmed(whole_line);
    if (line.empty() || line.front() == '#' || line.front() == ';') continue;
    if (line.front() == '[') {
      inside = SectionName(line) == profile;
      found |= inside;
      continue;
    }
    const size_t equals = line.find('=');
    if (!inside || equals == std::string_view::npos) continue;
    const std::string_view name = Trimmed(line.substr(0, equals));
    const std::string value(Trimmed(line.substr(equals + 1)));
    if (name == "aws_access_key_id") keys.access_key_id = value;
    if (name == "aws_secret_access_key") keys.secret_access_key = value;
    if (name == "aws_session_token") keys.session_token = value;
  }
  if (!found) return NotFoundError("it does not have the profile ", Quoted(profile));
  SD_RETURN_IF_ERROR(Annotate(CheckKeys(keys), Concat("in the profile ", Quoted(profile))));
  return keys;
}

absl::StatusOr<AwsCredentials> ParseCredentialsJson(std::string_view text) {
  FlatObjectHandler handler;
  if (!Json::sax_parse(text, &handler)) {
    return InvalidArgumentError("the answer is not a JSON object of texts");
  }
  const auto value = [&handler](const std::string& name) {
    const auto found = handler.values().find(name);
    return found == handler.values().end() ? std::string() : found->second;
  };
  AwsCredentials keys{value("AccessKeyId"), value("SecretAccessKey"), value("Token"), {}};
  SD_RETURN_IF_ERROR(CheckKeys(keys));
  if (const std::string expiration = value("Expiration"); !expiration.empty()) {
    keys.expiration = ParseIsoTime(expiration);
    if (!keys.expiration) return InvalidArgumentError("the expiration is not a time in UTC");
  }
  return keys;
}

absl::StatusOr<AwsCredentials> ParseStsAnswer(std::string_view text) {
  const size_t begin = text.find("<Credentials>");
  if (begin == std::string_view::npos) {
    return InvalidArgumentError("the answer is not one of AssumeRoleWithWebIdentity");
  }
  const std::string_view inside = text.substr(begin);
  AwsCredentials keys{std::string(AwsXmlElement(inside, "AccessKeyId")),
                      std::string(AwsXmlElement(inside, "SecretAccessKey")),
                      std::string(AwsXmlElement(inside, "SessionToken")),
                      {}};
  SD_RETURN_IF_ERROR(CheckKeys(keys));
  keys.expiration = ParseIsoTime(AwsXmlElement(inside, "Expiration"));
  if (!keys.expiration) return InvalidArgumentError("the expiration is not a time in UTC");
  return keys;
}

std::optional<std::chrono::sys_seconds> ParseIsoTime(std::string_view text) {
  if (text.size() < 20 || text.size() > 40 || text[4] != '-' || text[7] != '-' || text[10] != 'T' ||
      text[13] != ':' || text[16] != ':' || text.back() != 'Z') {
    return std::nullopt;
  }
  const std::string_view fraction = text.substr(19, text.size() - 20);
  if (!fraction.empty() && (fraction.front() != '.' || fraction.size() == 1 ||
                            fraction.find_first_not_of("0123456789", 1) != fraction.npos)) {
    return std::nullopt;
  }
  bool numbers = true;
  const auto number = [text, &numbers](size_t at, size_t size) {
    const std::string_view digits = text.substr(at, size);
    numbers &= digits.find_first_not_of("0123456789") == digits.npos;
    return ParseNumber<unsigned>(digits).value_or(0);
  };
  const unsigned hour = number(11, 2);
  const unsigned minute = number(14, 2);
  const unsigned second = number(17, 2);
  const std::chrono::year_month_day date(std::chrono::year(static_cast<int>(number(0, 4))),
                                         std::chrono::month(number(5, 2)),
                                         std::chrono::day(number(8, 2)));
  if (!numbers || !date.ok() || hour > 23 || minute > 59 || second > 60) return std::nullopt;
  return std::chrono::sys_days(date) + std::chrono::hours(hour) + std::chrono::minutes(minute) +
         std::chrono::seconds(second);
}

std::string_view AwsXmlElement(std::string_view document, std::string_view name) {
  const std::string begin = Concat("<", name, ">"), end = Concat("</", name, ">");
  const size_t at = document.find(begin);
  if (at == std::string_view::npos) return "";
  const std::string_view rest = document.substr(at + begin.size());
  const size_t size = rest.find(end);
  return size <= kMaxKeyBytes ? rest.substr(0, size) : "";
}

std::string_view S3ErrorElement(std::string_view document, std::string_view name) {
  const size_t error = document.find("<Error");
  if (error == std::string_view::npos) return "";
  const std::string begin = Concat("<", name, ">");
  const size_t at = document.find(begin, error);
  if (at == std::string_view::npos) return "";
  // Only the beginning of a long document is there.
  const std::string_view rest = document.substr(at + begin.size());
  const std::string_view text =
      rest.substr(0, std::min<size_t>(rest.find(Concat("</", name, ">")), 100));
  const bool plain = std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-';
  });
  return plain && text.size() <= 64 ? text : "";
}

std::string_view S3ErrorCode(std::string_view document) {
  const std::string_view code = S3ErrorElement(document, "Code");
  return code.find('-') == std::string_view::npos ? code : "";
}

}  // namespace stagedoor
