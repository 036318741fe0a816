#include "resolver/file/open_error.h"

#include <cerrno>
#include <cstring>

#include "base/status.h"

namespace stagedoor {

std::string ErrorText(int error) {
  const char* name = strerrorname_np(error);
  const char* description = strerrordesc_np(error);
  if (name == nullptr || description == nullptr) return Concat("errno ", error);
  return Concat(name, " (", description, ")");
}

bool IsMissingFile(int error) {
  switch (error) {
    case ENOENT:
    case ENOTDIR:
    case ENAMETOOLONG:
    case ELOOP:
      return true;
    default:
      return false;
  }
}

bool IsForbiddenFile(int error) { return error == EACCES || error == EPERM; }

absl::Status OpenError(const std::string& path, int error) {
  if (IsMissingFile(error)) return NotFoundError("file not found: ", Quoted(path));
  if (IsForbiddenFile(error)) {
    return PermissionDeniedError(
        Quoted(path),
        " cannot be read: permission denied; check --allow-root and the permissions of the file");
  }
  // A socket, or the file of a device that does not exist.
  if (error == ENXIO || error == EISDIR) {
    return NotFoundError(Quoted(path), " is not a regular file");
  }
  return UnavailableError("cannot open ", Quoted(path), ": ", ErrorText(error));
}

absl::Status ReadError(const std::string& path, int error) {
  return UnavailableError("cannot read ", Quoted(path), ": ", ErrorText(error));
}

}  // namespace stagedoor
