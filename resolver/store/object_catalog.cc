#include "resolver/store/object_catalog.h"

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <utility>

#include "absl/strings/escaping.h"
#include "base/request_scope.h"
#include "base/status.h"
#include "resolver/store/disk_io.h"

namespace stagedoor {
namespace {

constexpr size_t kMaxFileBytes = 256 << 10;

// How often the time of the last validation is written, if nothing else has changed.
constexpr std::chrono::seconds kWriteInterval{10};

using Json = nlohmann::json;

// Texts of stores may have any bytes; JSON only has text.
std::string ToHex(std::string_view bytes) {
  return absl::BytesToHexString({bytes.data(), bytes.size()});
}

std::optional<std::string> FromHex(std::string_view hex) {
  const auto digit = [](char c) {
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
  };
  if (hex.size() % 2 != 0) return std::nullopt;
  std::string bytes;
  for (size_t i = 0; i < hex.size(); i += 2) {
    const int high = digit(hex[i]);
    const int low = digit(hex[i + 1]);
    if (high < 0 || low < 0) return std::nullopt;
    bytes += static_cast<char>(high << 4 | low);
  }
  return bytes;
}

// A text or number of an object; nothing if it is missing or of another type.
std::optional<std::string> Text(const Json& object, const char* key) {
  const auto it = object.find(key);
  if (it == object.end() || !it->is_string()) return std::nullopt;
  return FromHex(it->get_ref<const std::string&>());
}
std::optional<uint64_t> Number(const Json& object, const char* key) {
  const auto it = object.find(key);
  if (it == object.end() || !it->is_number_unsigned()) return std::nullopt;
  return it->get<uint64_t>();
}

}  // namespace

std::string ObjectCatalog::Encode(const std::string& path, const ObjectInfo& info,
                                  WallClock::time_point validated) {
  const auto seconds =
      std::chrono::duration_cast<std::chrono::seconds>(validated.time_since_epoch()).count();
  const Json json = {{"path", ToHex(path)},
                     {"version", ToHex(info.version.token())},
                     {"content", info.version.content().size()},
                     {"size", info.size},
                     {"handle", ToHex(info.handle)},
                     {"by_time", info.by_time},
                     {"sample", ToHex(info.sample)},
                     {"validated", static_cast<uint64_t>(seconds)}};
  return json.dump();
}

std::optional<ObjectCatalog::Known> ObjectCatalog::Decode(std::string_view text,
                                                          const std::string& path) {
  const Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object() || Text(json, "path") != path) return std::nullopt;
  const auto token = Text(json, "version");
  const auto handle = Text(json, "handle");
  const auto content = Number(json, "content");
  const auto size = Number(json, "size");
  const auto validated = Number(json, "validated");
  const auto sample = Text(json, "sample");
  const auto by_time = json.find("by_time");
  if (!token || !handle || !content || !size || !validated || !sample) return std::nullopt;
  if (by_time == json.end() || !by_time->is_boolean()) return std::nullopt;
  if (*content > token->size() || *validated > uint64_t{1} << 40) return std::nullopt;
  AssetVersion version(*token);
  if (*content < token->size()) {
    // The version has a local part, after a separator.
    const std::string_view whole = *token;
    version = AssetVersion(whole.substr(0, *content), whole.substr(*content + 1));
  }
  Known known{.info = {.version = std::move(version),
                       .size = *size,
                       .handle = *handle,
                       .by_time = by_time->get<bool>(),
                       .sample = *sample},
              .missing = {},
              .fresh_until = {}};
  known.validated = WallClock::time_point(std::chrono::seconds(*validated));
  return known;
}

std::optional<ObjectCatalog::Known> ObjectCatalog::Find(const std::string& path) {
  {
    MutexLock lock(mu_);
    const auto it = objects_.Find(path);
    if (it != objects_.end()) {
      objects_.Touch(it);
      return it->value;
    }
  }
  std::optional<Known> known = ReadFromDirectory(path);
  if (!known) return known;
  MutexLock lock(mu_);
  Keep(path, *known);
  return known;
}

void ObjectCatalog::Put(const std::string& path, const ObjectInfo& info, Clock::duration fresh_for,
                        uint64_t generation, Clock::time_point sampled) {
  const WallClock::time_point validated = options_.wall_now();
  bool write = false;
  {
    MutexLock lock(mu_);
    const WallClock::time_point written = LastWritten(path, info);
    write = options_.directory != nullptr && validated >= written + kWriteInterval;
    Keep(path, {.info = info,
                .missing = {},
                .fresh_until = FreshUntil(fresh_for, generation),
                .validated = validated,
                .sampled = sampled,
                .written = write ? validated : written});
  }
  if (!write) return;
  ReplaceFile(options_.directory->CatalogPath(path), Encode(path, info, validated)).IgnoreError();
}

void ObjectCatalog::PutStale(const std::string& path, Known known, Clock::duration fresh_for,
                             uint64_t generation) {
  known.stale = true;
  MutexLock lock(mu_);
  known.fresh_until = FreshUntil(fresh_for, generation);
  Keep(path, std::move(known));
}

void ObjectCatalog::PutMissing(const std::string& path, absl::Status why, Clock::duration fresh_for,
                               uint64_t generation) {
  {
    MutexLock lock(mu_);
    Keep(path, {.info = {},
                .missing = std::move(why),
                .fresh_until = FreshUntil(fresh_for, generation),
                .validated = options_.wall_now()});
  }
  if (options_.directory == nullptr) return;
  std::remove(options_.directory->CatalogPath(path).c_str());
}

ObjectCatalog::WallClock::time_point ObjectCatalog::LastWritten(const std::string& path,
                                                                const ObjectInfo& info) const {
  const auto it = objects_.Find(path);
  if (it == objects_.end()) return {};
  const Known& known = it->value;
  const bool same = known.missing.ok() && known.info.version == info.version &&
                    known.info.size == info.size && known.info.handle == info.handle &&
                    known.info.sample == info.sample;
  return same ? known.written : WallClock::time_point();
}

ObjectCatalog::Clock::time_point ObjectCatalog::FreshUntil(Clock::duration fresh_for,
                                                           uint64_t generation) const {
  return options_.now() + (generation == generation_ ? fresh_for : Clock::duration(0));
}

uint64_t ObjectCatalog::generation() const {
  MutexLock lock(mu_);
  return generation_;
}

void ObjectCatalog::Expire(const std::string& path) {
  MutexLock lock(mu_);
  ++generation_;
  const auto it = objects_.Find(path);
  if (it == objects_.end()) return;
  it->value.fresh_until = options_.now();
  it->value.sampled = kNever;
}

void ObjectCatalog::ExpireAll() {
  const Clock::time_point now = options_.now();
  MutexLock lock(mu_);
  ++generation_;
  for (auto& [path, known] : objects_) {
    known.fresh_until = std::min(known.fresh_until, now);
    known.sampled = kNever;
  }
}

void ObjectCatalog::Keep(const std::string& path, Known known) {
  const auto it = objects_.Find(path);
  if (it != objects_.end()) {
    it->value = std::move(known);
    objects_.Touch(it);
    return;
  }
  const RequestMemoryExemption exempt;  // an answer of the store is kept in any case
  objects_.Add(path, std::move(known));
  if (objects_.size() > options_.max_entries) objects_.Erase(objects_.oldest());
}

std::optional<ObjectCatalog::Known> ObjectCatalog::ReadFromDirectory(
    const std::string& path) const {
  if (options_.directory == nullptr) return std::nullopt;
  const absl::StatusOr<std::string> text =
      ReadSmallFile(options_.directory->CatalogPath(path), kMaxFileBytes);
  if (!text.ok()) return std::nullopt;
  return Decode(*text, path);
}

}  // namespace stagedoor
