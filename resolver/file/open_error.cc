#include "resolver/file/open_error.h"

#include <cerrno>

#include "base/status.h"

namespace stagedoor {

absl::Status OpenError(const std::string& path, int error) {
  switch (error) {
    case EACCES:
    case EPERM:
      return PermissionDeniedError(
          Quoted(path),
          " cannot be read: permission denied; check --allow-root and the permissions of the file");
    case EMFILE:
    case ENFILE:
    case ENOMEM:
      return ResourceExhaustedError("cannot open ", Quoted(path), " (errno ", error, ")");
    case EIO:
    case ESTALE:
    case EINTR:
      return UnavailableError("cannot open ", Quoted(path), " (errno ", error, ")");
    default:
      return NotFoundError("file not found: ", Quoted(path));
  }
}

}  // namespace stagedoor
