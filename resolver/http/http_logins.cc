#include "resolver/http/http_logins.h"

#include <algorithm>
#include <array>
#include <utility>

#include "absl/strings/escaping.h"
#include "base/status.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "resolver/access/secret_file.h"

namespace stagedoor {
namespace {

constexpr std::string_view kSpace = " \t\r\n";

void SkipSpace(std::string_view* text) {
  text->remove_prefix(std::min(text->find_first_not_of(kSpace), text->size()));
}

// Skips comments, each of which goes on to the end of its line. They stand where a keyword may.
void SkipComments(std::string_view* text) {
  for (SkipSpace(text); text->starts_with('#'); SkipSpace(text)) {
    text->remove_prefix(std::min(text->find('\n'), text->size()));
  }
}

// The next word of a netrc file, which may be quoted; nothing at its end.
std::optional<std::string> NextWord(std::string_view* text) {
  SkipSpace(text);
  if (text->empty()) return std::nullopt;
  std::string word;
  const bool quoted = text->front() == '"';
  size_t at = quoted ? 1 : 0;
  for (; at < text->size(); ++at) {
    char c = (*text)[at];
    if (quoted ? c == '"' : kSpace.find(c) != kSpace.npos) break;
    if (quoted && c == '\\' && at + 1 < text->size()) c = (*text)[++at];
    word += c;
  }
  text->remove_prefix(std::min(at + (quoted ? 1 : 0), text->size()));
  return word;
}

bool IsFieldName(std::string_view name) {
  constexpr std::string_view kMarks = "!#$%&'*+-.^_`|~";
  return !name.empty() && std::all_of(name.begin(), name.end(), [&](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           kMarks.find(c) != kMarks.npos;
  });
}

// Fields that say what is asked for, rather than who asks.
bool IsReserved(std::string_view name) {
  static constexpr std::array<std::string_view, 10> kNames = {
      "host", "range",   "connection", "content-length", "transfer-encoding",
      "te",   "upgrade", "trailer",    "expect",         "accept-encoding"};
  const std::string lower = AsciiLower(name);
  return lower.starts_with("if-") || std::find(kNames.begin(), kNames.end(), lower) != kNames.end();
}

absl::StatusOr<HttpHeader> ParseField(std::string_view line) {
  const size_t colon = line.find(':');
  const std::string_view name = line.substr(0, colon);
  if (colon == line.npos || !IsFieldName(name) || IsReserved(name)) {
    return PermissionDeniedError(
        "its first line is not a header field such as 'X-Api-Key: SECRET'");
  }
  std::string_view value = line.substr(colon + 1);
  value.remove_prefix(std::min(value.find_first_not_of(' '), value.size()));
  return HttpHeader{std::string(name), std::string(value)};
}

HttpHeader BasicLogin(const NetrcEntry& entry) {
  return {"Authorization", "Basic " + absl::Base64Escape(Concat(entry.login, ":", entry.password))};
}

}  // namespace

std::optional<NetrcEntry> FindInNetrc(std::string_view text, std::string_view host) {
  std::optional<NetrcEntry> by_default;
  NetrcEntry entry;
  enum { kOther, kHost, kDefault } in = kOther;
  const auto end_entry = [&] {
    if (in == kDefault && !by_default) by_default = entry;
    entry = {};
  };
  for (;;) {
    SkipComments(&text);
    const std::optional<std::string> word = NextWord(&text);
    if (!word) break;
    if (*word == "machine" || *word == "default") {
      if (in == kHost) return entry;
      end_entry();
      in = kDefault;
      if (*word == "default") continue;
      in = AsciiLower(NextWord(&text).value_or("")) == host ? kHost : kOther;
    } else if (*word == "login") {
      entry.login = NextWord(&text).value_or("");
    } else if (*word == "password") {
      entry.password = NextWord(&text).value_or("");
    } else if (*word == "account") {
      NextWord(&text);
    } else if (*word == "macdef") {
      // A macro ends with an empty line.
      const size_t end = text.find("\n\n");
      text.remove_prefix(std::min(end, text.size()));
    }
  }
  if (in == kHost) return entry;
  end_entry();
  return by_default;
}

absl::StatusOr<HttpLogins> HttpLogins::Parse(std::span<const std::string> rules) {
  static constexpr std::pair<std::string_view, Kind> kKinds[] = {
      {"=bearer:", Kind::kBearer}, {"=header:", Kind::kHeader}, {"=netrc:", Kind::kNetrc}};
  HttpLogins logins;
  for (const std::string& text : rules) {
    Rule rule;
    size_t at = std::string::npos;
    for (const auto& [mark, kind] : kKinds) {
      const size_t found = text.find(mark);
      if (found >= at) continue;
      at = found;
      rule.kind = kind;
      rule.file = text.substr(found + mark.size());
    }
    const std::string prefix = text.substr(0, at);
    if (at == std::string::npos || rule.file.empty() || prefix.starts_with("s3:")) {
      return InvalidArgumentError(
          Quoted(UrlForMessage(prefix)),
          " is not PREFIX=bearer:FILE, PREFIX=header:FILE or PREFIX=netrc:FILE, with a URL of http "
          "or https");
    }
    SD_ASSIGN_OR_RETURN(rule.prefix, UrlAllowList::Parse(std::span(&prefix, 1)));
    logins.rules_.push_back(std::move(rule));
  }
  return logins;
}

absl::StatusOr<HttpHeader> HttpLogins::ReadLogin(const Rule& rule, const Url& url) {
  if (rule.kind == Kind::kNetrc) {
    SD_ASSIGN_OR_RETURN(const std::string text, ReadSecretFile(rule.file));
    const std::optional<NetrcEntry> entry = FindInNetrc(text, url.host);
    if (entry) return BasicLogin(*entry);
    return PermissionDeniedError("it has no entry for the host ", Quoted(url.host));
  }
  SD_ASSIGN_OR_RETURN(const std::string line, ReadSecretLine(rule.file));
  if (rule.kind == Kind::kHeader) return ParseField(line);
  if (line.find(' ') != line.npos) return PermissionDeniedError("its first line is not a token");
  return HttpHeader{"Authorization", "Bearer " + line};
}

absl::StatusOr<std::optional<HttpHeader>> HttpLogins::HeaderFor(const Url& url) const {
  for (const Rule& rule : rules_) {
    if (!rule.prefix.Allows(url)) continue;
    absl::StatusOr<HttpHeader> header = ReadLogin(rule, url);
    if (header.ok()) return *std::move(header);
    return FailedPreconditionError("cannot log in with the file ", Quoted(rule.file),
                                   " (--http-login): ", Message(header.status()));
  }
  return std::optional<HttpHeader>();
}

}  // namespace stagedoor
