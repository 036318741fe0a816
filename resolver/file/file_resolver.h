#ifndef STAGEDOOR_RESOLVER_FILE_FILE_RESOLVER_H_
#define STAGEDOOR_RESOLVER_FILE_FILE_RESOLVER_H_

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "resolver/resolver.h"

namespace stagedoor {

struct FileResolverOptions {
  // Directories that may be read, with all below them. Empty: everything the process may read.
  std::vector<std::string> roots;
  // Where relative identifiers are looked for (absolute). Empty: nowhere.
  std::string working_directory;
  // Files below this many bytes are read into memory, others are mapped.
  size_t map_threshold = 64 << 10;
};

// Files of the local file system; the resolved path is the normalized absolute path.
//
// Roots: the file that was really opened must lie in a root, after symbolic links and "..", else
// PERMISSION_DENIED; so must a missing one by its name, so that nobody learns what exists outside.
// Only regular files are opened, never directories, pipes or devices.
//
// Changes under our feet: a small file is a private copy. A big one is mapped (MappedRegion):
// replaced by rename, the mapping keeps the old content; cut or overwritten in place, reading it is
// safe but Asset::Check says DATA_LOSS. See docs/decisions/mapped-files.md. Thread-safe.
class FileResolver final : public Resolver {
 public:
  // NOT_FOUND if a root is no directory.
  static absl::StatusOr<std::shared_ptr<const FileResolver>> Create(FileResolverOptions options);

  std::string CreateIdentifier(RequestContext& context, std::string_view asset_path,
                               std::string_view anchor) const override;
  absl::StatusOr<std::string> Resolve(RequestContext& context,
                                      std::string_view identifier) const override;
  absl::StatusOr<std::shared_ptr<const Asset>> OpenAsset(
      RequestContext& context, std::string_view resolved_path) const override;
  absl::StatusOr<AssetVersion> GetVersion(RequestContext& context,
                                          std::string_view resolved_path) const override;

 private:
  class OpenFile;

  explicit FileResolver(FileResolverOptions options) : options_(std::move(options)) {}

  // Opens with `flags`, then checks roots and file type.
  absl::StatusOr<OpenFile> Open(const std::string& path, int flags) const;
  bool InRoots(std::string_view path) const;
  absl::Status Missing(const std::string& path, int error) const;

  FileResolverOptions options_;  // roots: as given and with links resolved
};

}  // namespace stagedoor

#endif  // STAGEDOOR_RESOLVER_FILE_FILE_RESOLVER_H_
