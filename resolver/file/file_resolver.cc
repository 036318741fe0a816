#include "resolver/file/file_resolver.h"

#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <span>
#include <utility>

#include "base/status.h"
#include "base/status_macros.h"
#include "base/unique_fd.h"
#include "resolver/access/access_scope.h"
#include "resolver/asset_path.h"
#include "resolver/directory_error.h"
#include "resolver/fail_if_outage.h"
#include "resolver/file/file_version.h"
#include "resolver/file/mapped_file.h"
#include "resolver/file/open_error.h"

namespace stagedoor {
namespace {

bool Under(std::string_view path, std::string_view root) {
  if (root == "/") return path.starts_with('/');
  return path.starts_with(root) && (path.size() == root.size() || path[root.size()] == '/');
}

// How often a file is read that changes while it is read.
constexpr int kMaxReads = 4;

// Whether the directory of a path, with links resolved, is in the scope. False if that cannot be
// found out.
bool IncludesParent(const AccessScope& scope, const std::string& path) {
  char real[PATH_MAX];
  const std::string parent = path.substr(0, std::max<size_t>(path.rfind('/'), 1));
  return realpath(parent.c_str(), real) != nullptr && scope.IncludesFile(real);
}

}  // namespace

// An open file and the result of fstat on it.
class FileResolver::OpenFile {
 public:
  OpenFile(UniqueFd fd, std::string path) : fd_(std::move(fd)), path_(std::move(path)) {}

  const std::string& path() const { return path_; }
  const struct stat& info() const { return info_; }
  size_t size() const { return static_cast<size_t>(info_.st_size); }

  // False, with errno set, on failure.
  bool Stat() { return fstat(fd_.get(), &info_) == 0; }
  bool StatWhenStable() { return stagedoor::StatWhenStable(fd_.get(), &info_); }

  // The path of the file itself, with links resolved; empty if /proc is not available.
  std::string RealPath() const {
    char buffer[PATH_MAX];
    const std::string link = Concat("/proc/self/fd/", fd_.get());
    const ssize_t length = readlink(link.c_str(), buffer, sizeof(buffer));
    return length < 0 ? std::string() : std::string(buffer, static_cast<size_t>(length));
  }

  // Sets `changed` if the file changed meanwhile.
  absl::StatusOr<std::shared_ptr<const Asset>> Read(FileVersions& versions, bool* changed) {
    std::string content(size(), '\0');
    size_t done = 0;
    while (done < content.size()) {
      const ssize_t count =
          pread(fd_.get(), content.data() + done, content.size() - done, static_cast<off_t>(done));
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) return ReadError(path_, errno);
      if (count == 0) break;
      done += static_cast<size_t>(count);
    }
    content.resize(done);  // some of the kernel's files are shorter than their stated size
    const struct stat before = info_;
    if (!Stat()) return ReadError(path_, errno);
    *changed = !SameTimes(info_, before);
    if (*changed) {
      return UnavailableError(Quoted(path_), " changed while it was being read; try again");
    }
    auto found = versions.FindRead(path_, info_, std::as_bytes(std::span(content)));
    return InMemoryAsset::FromString(path_, std::move(found.version), std::move(content));
  }

  absl::StatusOr<std::shared_ptr<const Asset>> Map(RequestContext& context,
                                                   const std::shared_ptr<FileVersions>& versions) {
    SD_ASSIGN_OR_RETURN(FileVersions::Found found,
                        versions->Find(context, fd_.get(), path_, info_));
    return MappedFile::Map(std::move(fd_), path_, info_, std::move(found), versions);
  }

  // The version of an open file that can be read.
  absl::StatusOr<AssetVersion> Version(RequestContext& context, FileVersions& versions) {
    SD_ASSIGN_OR_RETURN(FileVersions::Found found, versions.Find(context, fd_.get(), path_, info_));
    return std::move(found.version);
  }

 private:
  UniqueFd fd_;
  std::string path_;
  struct stat info_ = {};
};

absl::StatusOr<std::shared_ptr<const FileResolver>> FileResolver::Create(
    FileResolverOptions options) {
  std::vector<std::string> roots;
  for (const std::string& root : options.roots) {
    char real[PATH_MAX];
    struct stat info;
    if (!root.starts_with('/') || realpath(root.c_str(), real) == nullptr ||
        stat(real, &info) != 0 || !S_ISDIR(info.st_mode)) {
      return NotFoundError("the root ", Quoted(root), " is not the absolute path of a directory");
    }
    roots.emplace_back(real);
    roots.push_back(NormalizeAssetPath(root));
  }
  options.roots = std::move(roots);
  return std::shared_ptr<const FileResolver>(new FileResolver(std::move(options)));
}

bool FileResolver::InRoots(std::string_view path) const {
  if (options_.roots.empty()) return true;
  for (const std::string& root : options_.roots) {
    if (Under(path, root)) return true;
  }
  return false;
}

absl::Status FileResolver::Missing(const std::string& path, int error) const {
  return OpenError(path, InRoots(path) ? error : EACCES);
}

absl::StatusOr<FileResolver::OpenFile> FileResolver::Open(const std::string& path, int flags,
                                                          const AccessScope* scope) const {
  const bool hidden = scope != nullptr && !scope->IncludesName(path);
  if (hidden || !path.starts_with('/')) return OpenError(path, ENOENT);
  // O_NONBLOCK, because opening a pipe must not wait for its writer.
  UniqueFd fd(open(path.c_str(), flags | O_CLOEXEC | O_NOCTTY | O_NONBLOCK));
  if (fd.get() < 0) {
    const int error = errno;
    const bool answered = IsMissingFile(error) || IsForbiddenFile(error);
    if (!answered && InRoots(path)) return OpenError(path, error);
    // Whether a directory elsewhere may be searched is a secret too.
    if (scope != nullptr && !IncludesParent(*scope, path)) return OpenError(path, ENOENT);
    return Missing(path, error);
  }
  OpenFile file(std::move(fd), path);
  if (!file.Stat()) return Missing(path, errno);
  if (scope != nullptr && !scope->IncludesFile(file.RealPath())) return OpenError(path, ENOENT);
  if (!options_.roots.empty() && !InRoots(file.RealPath())) return OpenError(path, EACCES);
  if (S_ISREG(file.info().st_mode)) return file;
  absl::Status refused = NotFoundError(Quoted(path), " is not a regular file");
  return S_ISDIR(file.info().st_mode) ? AsDirectory(std::move(refused), path) : refused;
}

std::string FileResolver::CreateIdentifier(RequestContext& context,
                                           const ResolverContext& resolver_context,
                                           std::string_view asset_path,
                                           std::string_view anchor) const {
  return CreateDefaultIdentifier(*this, context, resolver_context, asset_path, anchor);
}

absl::StatusOr<std::string> FileResolver::Resolve(RequestContext& context,
                                                  const ResolverContext& resolver_context,
                                                  std::string_view identifier) const {
  SD_RETURN_IF_ERROR(context.Check());
  SD_RETURN_IF_ERROR(CheckAssetPath(identifier));
  std::string path = NormalizeAssetPath(identifier);
  if (!path.starts_with('/')) {
    if (options_.working_directory.empty() || !UriScheme(path).empty()) {
      return NotFoundError("file not found: ", Quoted(identifier));
    }
    path = NormalizeAssetPath(Concat(options_.working_directory, "/", path));
  }
  const absl::Status found = Open(path, O_PATH, resolver_context.access()).status();
  if (!found.ok()) return FailIfOutage(context, found);
  return path;
}

absl::StatusOr<std::shared_ptr<const Asset>> FileResolver::OpenAsset(
    RequestContext& context, const ResolverContext& resolver_context,
    std::string_view resolved_path) const {
  SD_RETURN_IF_ERROR(context.Check());
  SD_RETURN_IF_ERROR(CheckAssetPath(resolved_path));
  const std::string path = NormalizeAssetPath(resolved_path);
  auto asset = OpenContent(context, path, resolver_context.access());
  if (!asset.ok()) return FailIfOutage(context, asset.status());
  return asset;
}

absl::StatusOr<std::shared_ptr<const Asset>> FileResolver::OpenContent(
    RequestContext& context, const std::string& path, const AccessScope* scope) const {
  bool may_map = true;
  for (int attempt = 1;; ++attempt) {
    SD_ASSIGN_OR_RETURN(OpenFile file, Open(path, O_RDONLY, scope));
    if (!file.StatWhenStable()) return Missing(path, errno);
    if (may_map && file.size() > 0 && file.size() >= options_.map_threshold) {
      auto mapped = file.Map(context, versions_);
      may_map = mapped.status().code() != absl::StatusCode::kUnimplemented;
      if (may_map) return mapped;
      continue;
    }
    bool changed = false;
    auto asset = file.Read(*versions_, &changed);
    if (!changed || attempt == kMaxReads) return asset;
  }
}

absl::StatusOr<AssetVersion> FileResolver::GetVersion(RequestContext& context,
                                                      const ResolverContext& resolver_context,
                                                      std::string_view resolved_path) const {
  SD_RETURN_IF_ERROR(context.Check());
  SD_RETURN_IF_ERROR(CheckAssetPath(resolved_path));
  const std::string path = NormalizeAssetPath(resolved_path);
  struct stat info;
  // A shortcut where neither roots nor a scope are to be checked; stages ask for hundreds of
  // versions.
  if (options_.roots.empty() && resolver_context.access() == nullptr && path.starts_with('/') &&
      stat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode)) {
    if (auto known = versions_->Known(path, info)) return *std::move(known);
  }
  {
    SD_ASSIGN_OR_RETURN(const OpenFile file, Open(path, O_PATH, resolver_context.access()));
    if (auto known = versions_->Known(path, file.info())) return *std::move(known);
  }
  SD_ASSIGN_OR_RETURN(OpenFile file, Open(path, O_RDONLY, resolver_context.access()));
  return file.Version(context, *versions_);
}

}  // namespace stagedoor
