#ifndef STAGEDOOR_RESOLVER_FILE_FILE_CHANGE_SOURCE_H_
#define STAGEDOOR_RESOLVER_FILE_FILE_CHANGE_SOURCE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/mutex.h"
#include "base/unique_fd.h"
#include "resolver/change_source.h"

namespace stagedoor {

struct FileChangeOptions {
  // The most directories to watch. The kernel has a limit too, for all processes of a user
  // (fs.inotify.max_user_watches).
  size_t max_directories = 100000;
};

// Notices changes of local files by inotify.
//
// Watches directories instead of files: every directory on the way from the root to a file, with
// symbolic links followed, so that a file that is replaced by a rename, deleted, created later or
// reached through a link that now leads elsewhere is noticed too. Writes through a mapping of a
// file cause no events, here as everywhere.
//
// Refuses what inotify cannot see: paths that are not absolute, files on network file systems,
// which other machines change, and everything beyond the limits, which includes all files if the
// system has no inotify instance left. Has one thread of its own.
class FileChangeSource final : public ChangeSource {
 public:
  explicit FileChangeSource(FileChangeOptions options = {});
  ~FileChangeSource() override;

  void Start(Callback callback) override;
  std::vector<WatchedAsset> Watch(std::span<const WatchedAsset> assets) override;
  void Unwatch(std::span<const std::string> paths) override;
  Stats GetStats() const override;
  std::vector<std::string> TakeProblems() override;

 private:
  // A name in a watched directory, at which the way to a file passes.
  struct Step {
    int directory;  // watch descriptor
    std::string name;
  };
  struct File {
    size_t count = 0;  // of Watch
    std::vector<Step> steps;
  };
  struct Directory {
    bool watches_content = false;
    std::unordered_map<std::string, std::set<std::string>> paths;  // of files, by name
  };
  // The changes that the events of one read report.
  struct Found {
    bool all = false;
    std::set<std::string> changed;
    std::set<std::string> moved;  // files whose steps have to be determined again
  };

  // Watches the directories on the way to `path`. False if that is not possible.
  bool Walk(const std::string& path, std::vector<Step>* steps) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  // The watch descriptor of a directory; -1 with errno set if it cannot be watched.
  int WatchDirectory(const std::string& directory, bool content) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  // Registers the steps and removes those that the file had before.
  void SetSteps(const std::string& path, File& file, std::vector<Step> steps)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  // Adds a problem once. `why` completes "changes of ... files are noticed by polling, because".
  void AddProblem(std::string_view why) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  void Interpret(int directory, uint32_t mask, const char* name, Found* found)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  // Reads the events that are there and reports what they mean.
  void ReadEvents();
  void Run();

  bool lost_ = false;  // whether memory was too short for a report; used by one thread
  const FileChangeOptions options_;
  const UniqueFd events_;
  const UniqueFd stop_;  // an eventfd
  Callback callback_;    // set before the thread starts

  mutable Mutex mu_;
  std::unordered_map<std::string, File> files_ ABSL_GUARDED_BY(mu_);
  std::unordered_map<int, Directory> directories_ ABSL_GUARDED_BY(mu_);  // by watch descriptor
  std::set<std::string> reported_problems_ ABSL_GUARDED_BY(mu_);
  std::vector<std::string> problems_ ABSL_GUARDED_BY(mu_);
  std::thread thread_;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_RESOLVER_FILE_FILE_CHANGE_SOURCE_H_
