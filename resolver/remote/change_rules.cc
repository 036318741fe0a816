#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <system_error>
#include <thread>

#include "base/status.h"
#include "resolver/asset_path.h"
#include "resolver/remote/service_rules.h"

namespace stagedoor {
namespace {

namespace fs = std::filesystem;
namespace pb = resolver::v1;

constexpr std::string_view kNotWritable = "no --writable-dir is given";

// A file that the service serves, removed at the end.
class ServedFile {
 public:
  explicit ServedFile(const ServiceCheckOptions& options)
      : name_(Concat("stagedoor_check.", ::getpid(), ".usda")),
        path_(fs::path(options.writable_directory) / name_),
        uri_(NormalizeAssetPath(Concat(options.writable_uri, "/", name_))) {}
  ~ServedFile() { Remove(); }
  ServedFile(const ServedFile&) = delete;
  ServedFile& operator=(const ServedFile&) = delete;

  // Replaces the file, at a later time than before. Returns false if it cannot be written.
  bool Write(std::string_view content) const {
    // The clock of some file systems is coarse.
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    const fs::path temporary = path_.string() + ".tmp";
    std::ofstream(temporary, std::ios::binary) << content;
    std::error_code error;
    fs::rename(temporary, path_, error);
    return !error;
  }
  void Remove() const {
    std::error_code ignored;
    fs::remove(path_, ignored);
  }

  const std::string& uri() const { return uri_; }
  std::string path() const { return path_.string(); }

 private:
  const std::string name_;
  const fs::path path_;
  const std::string uri_;
};

RuleVerdict ChangesHaveOtherVersions(const RuleInput& input) {
  if (input.options.writable_directory.empty()) return Skipped(kNotWritable);
  const ServedFile file(input.options);
  SD_FAIL_IF(!file.Write("one"), "cannot write ", Quoted(file.path()));
  std::string version;
  for (const char* content : {"one", "three", "seven"}) {  // the last two have the same size
    SD_FAIL_IF(!file.Write(content), "cannot write ", Quoted(file.path()));
    const auto info = input.service.GetVersionOf(file.uri());
    SD_FAIL_IF(!info.ok(), "GetVersions of ", Quoted(file.uri()), ", which is ",
               Quoted(file.path()), ": ", Outcome(info.status()));
    SD_FAIL_IF(info->version.token() == version, "the version of ", Quoted(file.uri()),
               " is still ", Quoted(version), " after the file was replaced");
    if (!version.empty()) {
      const auto old = input.service.Read(file.uri(), {{0, 100}}, {.version = version});
      SD_FAIL_IF(old.status.code() != absl::StatusCode::kFailedPrecondition,
                 "Read of the version before answers ", Outcome(old.status),
                 " instead of FAILED_PRECONDITION");
    }
    version = info->version.token();
    const auto reading = input.service.Read(file.uri(), {{0, 100}}, {.version = version});
    SD_FAIL_IF(!reading.status.ok(), Outcome(reading.status));
    SD_FAIL_IF(reading.bytes != content, "Read of ", Quoted(file.uri()), " gives ",
               Quoted(reading.bytes), " instead of ", Quoted(content));
  }
  return {};
}

RuleVerdict RemovedAssetsAreNotFound(const RuleInput& input) {
  if (input.options.writable_directory.empty()) return Skipped(kNotWritable);
  const ServedFile file(input.options);
  SD_FAIL_IF(!file.Write("one"), "cannot write ", Quoted(file.path()));
  const auto before = input.service.ResolveOf(file.uri());
  SD_FAIL_IF(!before.ok(), "Resolve of ", Quoted(file.uri()), ": ", Outcome(before.status()));
  file.Remove();
  for (const absl::Status& status :
       {input.service.ResolveOf(file.uri()).status(), input.service.GetVersionOf(*before).status(),
        input.service.Read(*before, {{0, 1}}).status}) {
    SD_FAIL_IF(status.code() != absl::StatusCode::kNotFound, "after ", Quoted(file.path()),
               " was removed, a call answers ", Outcome(status), " instead of NOT_FOUND");
  }
  return {};
}

// A call of Watch, cancelled when it is destroyed.
class Watching {
 public:
  Watching(const CheckedService& service, const std::string& prefix) {
    service.Prepare(&call_);
    pb::WatchRequest request;
    request.add_prefixes(prefix);
    stream_ = service.connection()->stub().Watch(&call_, request);
  }
  ~Watching() {
    if (finished_) return;
    call_.TryCancel();
    pb::WatchResponse message;
    while (stream_->Read(&message)) continue;
    stream_->Finish();
  }
  Watching(const Watching&) = delete;
  Watching& operator=(const Watching&) = delete;

  // Waits for the first message.
  RuleVerdict Begin() {
    pb::WatchResponse message;
    if (stream_->Read(&message)) {
      SD_FAIL_IF(!message.has_started(), "the first message of Watch is not `started`");
      return {};
    }
    const absl::Status ended = Finish();
    if (ended.code() == absl::StatusCode::kUnimplemented) {
      return Skipped("the service does not support Watch");
    }
    return Failed("Watch ends without a message: ", Outcome(ended));
  }
  // Waits for the report of a change.
  RuleVerdict Await(const std::string& path) {
    pb::WatchResponse message;
    while (stream_->Read(&message)) {
      const auto& changed = message.changed().resolved_paths();
      if (message.has_everything() ||
          std::find(changed.begin(), changed.end(), path) != changed.end()) {
        return {};
      }
    }
    return Failed("Watch has not reported that ", Quoted(path),
                  " was changed: ", Outcome(Finish()));
  }

 private:
  absl::Status Finish() {
    finished_ = true;
    return ToStatus(stream_->Finish());
  }

  grpc::ClientContext call_;
  std::unique_ptr<grpc::ClientReader<pb::WatchResponse>> stream_;
  bool finished_ = false;
};

RuleVerdict WatchBeginsAndEnds(const RuleInput& input) {
  const std::string prefix(AssetDirectory(input.assets.front().resolved_path));
  for (int i = 0; i < 20; ++i) {
    Watching watching(input.service, prefix);
    RuleVerdict verdict = watching.Begin();
    if (verdict.verdict != CheckedRule::Verdict::kOk) return verdict;
  }
  return StillAnswers(input, "20 cancelled watches");
}

RuleVerdict WatchReportsChanges(const RuleInput& input) {
  if (input.options.writable_directory.empty()) return Skipped(kNotWritable);
  const ServedFile file(input.options);
  SD_FAIL_IF(!file.Write("one"), "cannot write ", Quoted(file.path()));
  Watching watching(input.service, std::string(AssetDirectory(file.uri())));
  RuleVerdict verdict = watching.Begin();
  if (verdict.verdict != CheckedRule::Verdict::kOk) return verdict;
  SD_FAIL_IF(!file.Write("three"), "cannot write ", Quoted(file.path()));
  verdict = watching.Await(file.uri());
  if (verdict.verdict != CheckedRule::Verdict::kOk) return verdict;
  file.Remove();
  return watching.Await(file.uri());
}

constexpr ServiceRule kChangeRules[] = {
    {"a changed asset has another version", ChangesHaveOtherVersions},
    {"a removed asset is NOT_FOUND", RemovedAssetsAreNotFound},
    {"Watch begins at once and can be cancelled", WatchBeginsAndEnds},
    {"Watch reports changes", WatchReportsChanges},
};

}  // namespace

std::span<const ServiceRule> ChangeRules() { return kChangeRules; }

}  // namespace stagedoor
