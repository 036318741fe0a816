#ifndef STAGEDOOR_RESOLVER_CHANGE_SOURCE_H_
#define STAGEDOOR_RESOLVER_CHANGE_SOURCE_H_

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace stagedoor {

// Assets that may have changed since they were last reported.
struct AssetChanges {
  bool all = false;                // any asset that is watched, because reports were lost
  std::vector<std::string> paths;  // as they were passed to Watch
};

// An asset to watch, whether it exists or not.
struct WatchedAsset {
  std::string path;  // resolved path, or where the asset would be
  std::string
      version;  // AssetVersion::token() of the version in use; empty if the asset is missing

  friend bool operator==(const WatchedAsset&, const WatchedAsset&) = default;
  friend auto operator<=>(const WatchedAsset&, const WatchedAsset&) = default;
};

// Notices changes of assets. Plays the role of OpenUSD's ArNotice::ResolverChanged, but says which
// assets are concerned. A report is a hint: it may come late, twice or without a change, so its
// receiver compares versions before it acts.
//
// Implemented for local files (inotify), by polling, and for resolver services that report changes;
// ChangeSourceChain combines them. Thread-safe. Destruction waits for a running callback.
class ChangeSource {
 public:
  // Called on a thread of the source, one call at a time. Must not block, and must not call Watch
  // or Unwatch.
  using Callback = std::function<void(const AssetChanges&)>;

  struct Stats {
    size_t watched = 0;  // assets for which the system or a service reports changes
    size_t polled = 0;   // assets whose versions are compared regularly
  };

  virtual ~ChangeSource() = default;

  // Begins to report to `callback`. To be called once, before Watch.
  virtual void Start(Callback callback) = 0;

  // Watches assets. Changes after the return are reported, and so may be those since the stated
  // versions. Each asset is watched until it was unwatched as often as it was watched. May block on
  // I/O. Returns the assets that this source cannot watch.
  virtual std::vector<WatchedAsset> Watch(std::span<const WatchedAsset> assets) = 0;
  // Paths that are not watched are ignored.
  virtual void Unwatch(std::span<const std::string> paths) = 0;

  virtual Stats GetStats() const = 0;
  // Problems since the last call that the operator should know: why assets are polled instead of
  // watched.
  virtual std::vector<std::string> TakeProblems() { return {}; }
};

}  // namespace stagedoor

#endif  // STAGEDOOR_RESOLVER_CHANGE_SOURCE_H_
