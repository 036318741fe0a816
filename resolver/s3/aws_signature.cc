#include "resolver/s3/aws_signature.h"

#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/sha.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <map>
#include <new>
#include <vector>

#include "absl/strings/escaping.h"
#include "base/strings.h"

namespace stagedoor {
namespace {

constexpr std::string_view kAlgorithm = "AWS4-HMAC-SHA256";

std::string Sha256(std::string_view text) {
  std::string digest(SHA256_DIGEST_LENGTH, '\0');
  if (EVP_Digest(text.data(), text.size(), reinterpret_cast<unsigned char*>(digest.data()), nullptr,
                 EVP_sha256(), nullptr) != 1) {
    throw std::bad_alloc();
  }
  return digest;
}

std::string HmacSha256(std::string_view key, std::string_view text) {
  std::string digest(SHA256_DIGEST_LENGTH, '\0');
  if (HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()),
           reinterpret_cast<const unsigned char*>(text.data()), text.size(),
           reinterpret_cast<unsigned char*>(digest.data()), nullptr) == nullptr) {
    throw std::bad_alloc();
  }
  return digest;
}

// "20130524T000000Z"
std::string BasicTime(std::chrono::sys_seconds time) {
  const auto day = std::chrono::floor<std::chrono::days>(time);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss clock(time - day);
  std::array<char, 64> text;
  std::snprintf(text.data(), text.size(), "%04d%02u%02uT%02d%02d%02dZ",
                static_cast<int>(date.year()), static_cast<unsigned>(date.month()),
                static_cast<unsigned>(date.day()), static_cast<int>(clock.hours().count()),
                static_cast<int>(clock.minutes().count()),
                static_cast<int>(clock.seconds().count()));
  return text.data();
}

std::string CanonicalQuery(std::string_view query) {
  std::vector<std::string> parts;
  if (query.starts_with('?')) query.remove_prefix(1);
  while (!query.empty()) {
    const std::string_view part = query.substr(0, query.find('&'));
    query.remove_prefix(std::min(part.size() + 1, query.size()));
    parts.push_back(part.find('=') == part.npos ? Concat(part, "=") : std::string(part));
  }
  std::sort(parts.begin(), parts.end());
  return Join(parts, "&");
}

std::string Lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return text;
}

}  // namespace

void SignForS3(const AwsCredentials& keys, std::string_view region, std::chrono::sys_seconds now,
               HttpRequest* request) {
  const std::string time = BasicTime(now);
  const std::string scope = Concat(time.substr(0, 8), "/", region, "/s3/aws4_request");
  const std::string body_hash = absl::BytesToHexString(Sha256(""));
  request->credentials = {{"x-amz-content-sha256", body_hash}, {"x-amz-date", time}};
  if (!keys.session_token.empty()) {
    request->credentials.push_back({"x-amz-security-token", keys.session_token});
  }

  std::map<std::string, std::string> fields = {{"host", request->url.HostHeader()}};
  for (const auto* headers : {&request->headers, &request->credentials}) {
    for (const HttpHeader& header : *headers) fields[Lower(header.name)] = header.value;
  }
  std::string lines;
  std::vector<std::string> names;
  for (const auto& [name, value] : fields) {
    lines += Concat(name, ":", value, "\n");
    names.push_back(name);
  }
  const std::string signed_names = Join(names, ";");
  const std::string canonical =
      Concat(request->head_only ? "HEAD" : "GET", "\n", request->url.path, "\n",
             CanonicalQuery(request->url.query), "\n", lines, "\n", signed_names, "\n", body_hash);
  const std::string to_sign =
      Concat(kAlgorithm, "\n", time, "\n", scope, "\n", absl::BytesToHexString(Sha256(canonical)));

  std::string key = HmacSha256(Concat("AWS4", keys.secret_access_key), time.substr(0, 8));
  for (const std::string_view part :
       {region, std::string_view("s3"), std::string_view("aws4_request")}) {
    key = HmacSha256(key, part);
  }
  request->credentials.push_back(
      {"Authorization", Concat(kAlgorithm, " Credential=", keys.access_key_id, "/", scope,
                               ",SignedHeaders=", signed_names,
                               ",Signature=", absl::BytesToHexString(HmacSha256(key, to_sign)))});
}

std::string EncodeForAws(std::string_view text, bool keep_slash) {
  constexpr char kDigits[] = "0123456789ABCDEF";
  std::string out;
  for (const char c : text) {
    if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
        c == '.' || c == '_' || c == '~' || (c == '/' && keep_slash)) {
      out += c;
    } else {
      out += '%';
      out += kDigits[static_cast<uint8_t>(c) >> 4];
      out += kDigits[static_cast<uint8_t>(c) & 15];
    }
  }
  return out;
}

}  // namespace stagedoor
