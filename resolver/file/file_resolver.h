#ifndef STAGEDOOR_RESOLVER_FILE_FILE_RESOLVER_H_
#define STAGEDOOR_RESOLVER_FILE_FILE_RESOLVER_H_

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "resolver/file/file_versions.h"
#include "resolver/resolver.h"

namespace stagedoor {

struct FileResolverOptions {
  // Directories that may be read, including everything below them. If empty, all files that the
  // process may read.
  std::vector<std::string> roots;
  // The absolute directory of relative identifiers. If empty, these are not found.
  std::string working_directory;
  // Files smaller than this many bytes are read into memory, others are mapped.
  size_t map_threshold = 64 << 10;
  FileVersionOptions versions = {};
};

// Resolves files of the local file system. The resolved path is the normalized absolute path. With
// ContextResolver, corresponds to OpenUSD's ArDefaultResolver.
//
// Roots: the file that was actually opened, after symbolic links and "..", must be in a root, else
// PERMISSION_DENIED. The same holds for a missing file by its name, so that clients cannot find out
// what exists outside. What is not in the AccessScope of the resolver context, by its name or after
// symbolic links, is NOT_FOUND as if it were missing. Only regular files are opened, never
// directories, pipes or devices.
//
// A file that cannot be read for another reason than that it is missing or forbidden (an I/O error,
// no free descriptor, a server that does not answer) is UNAVAILABLE, which ends the request
// (FailIfOutage): what was composed without it would be wrong. GetVersion only returns the error,
// since what was known before may still hold.
//
// Files that change while in use: a small file is a private copy. A large one is mapped
// (MappedRegion). If it is replaced by a rename, the mapping keeps the old content. If it is
// truncated or overwritten in place, reading it is safe, but Asset::Check returns DATA_LOSS. See
// docs/decisions/mapped-files.md. Thread-safe.
class FileResolver final : public Resolver {
 public:
  // NOT_FOUND if a root is not the absolute path of a directory.
  static absl::StatusOr<std::shared_ptr<const FileResolver>> Create(FileResolverOptions options);

  std::string CreateIdentifier(RequestContext& context, const ResolverContext& resolver_context,
                               std::string_view asset_path, std::string_view anchor) const override;
  absl::StatusOr<std::string> Resolve(RequestContext& context,
                                      const ResolverContext& resolver_context,
                                      std::string_view identifier) const override;
  absl::StatusOr<std::shared_ptr<const Asset>> OpenAsset(
      RequestContext& context, const ResolverContext& resolver_context,
      std::string_view resolved_path) const override;
  absl::StatusOr<AssetVersion> GetVersion(RequestContext& context,
                                          const ResolverContext& resolver_context,
                                          std::string_view resolved_path) const override;

 private:
  class OpenFile;

  explicit FileResolver(FileResolverOptions options)
      : options_(std::move(options)),
        versions_(std::make_shared<FileVersions>(options_.versions)) {}

  // Opens the file with `flags`, then checks the roots, the scope, which may be null, and the file
  // type.
  absl::StatusOr<OpenFile> Open(const std::string& path, int flags, const AccessScope* scope) const;
  absl::StatusOr<std::shared_ptr<const Asset>> OpenContent(RequestContext& context,
                                                           const std::string& path,
                                                           const AccessScope* scope) const;
  bool InRoots(std::string_view path) const;
  absl::Status Missing(const std::string& path, int error) const;

  FileResolverOptions options_;  // the roots both as given and with links resolved
  const std::shared_ptr<FileVersions> versions_;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_RESOLVER_FILE_FILE_RESOLVER_H_
