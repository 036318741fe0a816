#include "server/log/log_fields.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/strings.h"

namespace stagedoor::server {
namespace {

using Json = nlohmann::ordered_json;

bool IsPlainCharacter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         std::string_view("_-./:@+,#").find(c) != std::string_view::npos;
}

// On one line, with everything outside of printable characters escaped.
std::string Dump(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string ValueAsText(const LogField& field) {
  if (const auto* number = std::get_if<int64_t>(&field.value)) return Concat(*number);
  if (const auto* number = std::get_if<double>(&field.value)) return Concat(*number);
  const auto& text = std::get<std::string>(field.value);
  if (!text.empty() && std::all_of(text.begin(), text.end(), IsPlainCharacter)) return text;
  return Dump(text);
}

void WriteDigits(unsigned number, size_t digits, char* out) {
  for (size_t i = digits; i-- > 0; number /= 10) out[i] = static_cast<char>('0' + number % 10);
}

}  // namespace

std::string FieldsAsText(std::span<const LogField> fields) {
  std::string text;
  for (const LogField& field : fields) {
    text.append(Concat(" ", field.name, "=", ValueAsText(field)));
  }
  return text;
}

std::string FormatJsonLine(std::chrono::system_clock::time_point time, std::string_view level,
                           std::string_view message, std::span<const LogField> fields) {
  std::string when(kUtcTimeBytes, ' ');
  WriteUtcTime(time, when.data());
  Json line;
  line["time"] = std::move(when);
  line["level"] = level;
  line["message"] = message;
  for (const LogField& field : fields) {
    std::visit([&](const auto& value) { line[std::string(field.name)] = value; }, field.value);
  }
  return Dump(line) + "\n";
}

void WriteUtcTime(std::chrono::system_clock::time_point time, char* out) {
  using std::chrono::days;
  using std::chrono::milliseconds;
  const auto day = std::chrono::floor<days>(time);
  const std::chrono::year_month_day date(day);
  const auto in_day = std::chrono::floor<milliseconds>(time - day).count();
  const auto seconds = static_cast<unsigned>(in_day / 1000);
  const std::string_view pattern = "0000-00-00T00:00:00.000Z";
  std::copy(pattern.begin(), pattern.end(), out);
  WriteDigits(static_cast<unsigned>(static_cast<int>(date.year())), 4, out);
  WriteDigits(static_cast<unsigned>(date.month()), 2, out + 5);
  WriteDigits(static_cast<unsigned>(date.day()), 2, out + 8);
  WriteDigits(seconds / 3600, 2, out + 11);
  WriteDigits(seconds / 60 % 60, 2, out + 14);
  WriteDigits(seconds % 60, 2, out + 17);
  WriteDigits(static_cast<unsigned>(in_day % 1000), 3, out + 20);
}

}  // namespace stagedoor::server
