#include <ctime>
#include <string>

#include "base/status.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "client/cli/commands.h"
#include "client/cli/exit_status.h"
#include "resolver/access/url.h"
#include "resolver/store/cache_directory.h"

namespace stagedoor {
namespace {

std::string UseTimeText(const timespec& time) {
  tm utc;
  char text[32] = "";
  if (gmtime_r(&time.tv_sec, &utc) != nullptr) {
    std::strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &utc);
  }
  return text;
}

// Files that only say which version of an object was current have no index, and are not listed.
bool HasBlocks(const absl::StatusOr<CacheDirectory::Details>& details) {
  return details.status().code() != absl::StatusCode::kNotFound;
}

absl::Status List(const CacheDirectory& directory, Output& output) {
  SD_ASSIGN_OR_RETURN(const CacheDirectory::Listing listing, directory.List());
  size_t objects = 0;
  for (const CacheDirectory::Entry& entry : listing.entries) {
    const auto details = directory.Describe(entry);
    if (!HasBlocks(details)) continue;
    ++objects;
    if (!details.ok()) {
      output.Line(Concat("damaged: ", entry.name));
      continue;
    }
    output.Line(Concat(UrlForMessage(details->object.path), ": ", details->present_bytes, " of ",
                       details->object.size, " bytes, last used ", UseTimeText(entry.last_use)));
  }
  output.Line(Concat(objects, " objects, ", listing.disk_bytes, " bytes on disk"));
  return absl::OkStatus();
}

absl::Status Verify(const CacheDirectory& directory, Output& output) {
  SD_ASSIGN_OR_RETURN(const CacheDirectory::Listing listing, directory.List());
  size_t objects = 0;
  size_t broken = 0;
  uint64_t bytes = 0;
  uint64_t damaged = 0;
  for (const CacheDirectory::Entry& entry : listing.entries) {
    const auto details = directory.Verify(entry);
    if (!HasBlocks(details)) continue;
    ++objects;
    if (!details.ok()) {
      output.Line(Concat("damaged: ", entry.name, ": ", Message(details.status())));
      ++broken;
      continue;
    }
    bytes += details->present_bytes;
    damaged += details->damaged_bytes;
    if (details->damaged_bytes == 0) continue;
    output.Line(Concat("damaged: ", UrlForMessage(details->object.path), ": ",
                       details->damaged_bytes, " bytes, which were removed"));
    ++broken;
  }
  output.Line(Concat(objects, " objects, ", bytes, " bytes, ", damaged, " damaged"));
  if (broken == 0) return absl::OkStatus();
  return DataLossError(broken, " objects were damaged; what they lack will be fetched again");
}

absl::Status Evict(const CacheDirectory& directory, uint64_t max_bytes, Output& output) {
  uint64_t evicted = 0;
  SD_ASSIGN_OR_RETURN(const uint64_t left, directory.EvictTo(max_bytes, &evicted));
  output.Line(Concat(evicted, " objects evicted, ", left, " bytes left"));
  return absl::OkStatus();
}

}  // namespace

absl::Status RunCache(const CommandLine& line, Output& output) {
  const std::string& action = line.arguments()[0];
  SD_ASSIGN_OR_RETURN(const CacheDirectory directory, CacheDirectory::Open(line.arguments()[1]));
  if (action == "ls") return List(directory, output);
  if (action == "verify") return Verify(directory, output);
  if (action != "evict") {
    return UsageError(
        Concat("the cache can be asked to ls, verify or evict, not to ", Quoted(action)));
  }
  SD_ASSIGN_OR_RETURN(const auto max_bytes, line.NumberOption("max-bytes"));
  if (max_bytes.has_value() && !(*max_bytes >= 0 && *max_bytes < 1e18)) {
    return UsageError("--max-bytes must be a number of bytes");
  }
  return Evict(directory, static_cast<uint64_t>(max_bytes.value_or(0)), output);
}

}  // namespace stagedoor
