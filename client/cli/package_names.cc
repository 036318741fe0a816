#include "client/cli/package_names.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>

#include "base/status.h"
#include "base/status_macros.h"
#include "client/cli/safe_folder.h"

namespace stagedoor {
namespace {

// Signatures of the ZIP records, and their sizes without names and comments.
constexpr uint32_t kEndSignature = 0x06054b50, kMemberSignature = 0x02014b50,
                   kLocalSignature = 0x04034b50;
constexpr size_t kEndSize = 22, kMemberSize = 46, kLocalSize = 30;
constexpr size_t kMaxComment = 65535;

absl::Status NoPackage(std::string_view why) {
  return DataLossError("the daemon sent an invalid package: ", why);
}

uint32_t Number(std::string_view bytes, size_t offset, size_t size) {
  uint32_t number = 0;
  for (size_t i = 0; i < size; ++i) {
    number |= static_cast<uint32_t>(static_cast<uint8_t>(bytes[offset + i])) << (8 * i);
  }
  return number;
}

// Reads `size` bytes at `offset`; empty if the file is too short.
std::string ReadAt(int fd, uint64_t offset, size_t size) {
  std::string bytes(size, '\0');
  size_t have = 0;
  while (have < size) {
    const ssize_t n =
        ::pread(fd, bytes.data() + have, size - have, static_cast<off_t>(offset + have));
    if (n <= 0) return "";
    have += static_cast<size_t>(n);
  }
  return bytes;
}

struct Directory {
  std::string bytes;
  size_t count = 0;
};

absl::StatusOr<Directory> ReadDirectory(int fd) {
  struct stat info;
  if (::fstat(fd, &info) != 0) return NoPackage("it cannot be read");
  const auto size = static_cast<uint64_t>(info.st_size);
  const size_t tail_size = static_cast<size_t>(std::min<uint64_t>(size, kEndSize + kMaxComment));
  const std::string tail = ReadAt(fd, size - tail_size, tail_size);
  if (tail.size() < kEndSize) return NoPackage("it is too short");
  size_t end = tail.size() - kEndSize + 1;
  do {
    if (end-- == 0) return NoPackage("it has no central directory");
  } while (Number(tail, end, 4) != kEndSignature);
  Directory directory;
  directory.count = Number(tail, end + 10, 2);
  const uint64_t length = Number(tail, end + 12, 4), offset = Number(tail, end + 16, 4);
  if (offset + length > size) return NoPackage("its central directory is truncated");
  directory.bytes = ReadAt(fd, offset, static_cast<size_t>(length));
  if (directory.bytes.size() != length) return NoPackage("its central directory cannot be read");
  return directory;
}

// Checks the name in the local header, because unpackers may use either of a member's two names.
absl::Status CheckLocalName(int fd, uint64_t offset, std::string_view name) {
  const std::string header = ReadAt(fd, offset, kLocalSize);
  if (header.empty() || Number(header, 0, 4) != kLocalSignature) {
    return NoPackage("a member is not where the central directory places it");
  }
  if (Number(header, 26, 2) != name.size() ||
      ReadAt(fd, offset + kLocalSize, name.size()) != name) {
    return NoPackage("a member has another name in its local header");
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status CheckPackageNames(int fd) {
  SD_ASSIGN_OR_RETURN(const Directory directory, ReadDirectory(fd));
  std::string_view rest = directory.bytes;
  std::set<std::string, std::less<>> names;
  for (size_t i = 0; i < directory.count; ++i) {
    if (rest.size() < kMemberSize || Number(rest, 0, 4) != kMemberSignature) {
      return NoPackage("its central directory is malformed");
    }
    const size_t name_size = Number(rest, 28, 2);
    const size_t size = kMemberSize + name_size + Number(rest, 30, 2) + Number(rest, 32, 2);
    if (rest.size() < size) return NoPackage("its central directory is malformed");
    const std::string_view name = rest.substr(kMemberSize, name_size);
    SD_RETURN_IF_ERROR(CheckFileName(name));
    if (!names.emplace(name).second) {
      return PermissionDeniedError("refusing a package with two members named ", Quoted(name));
    }
    SD_RETURN_IF_ERROR(CheckLocalName(fd, Number(rest, 42, 4), name));
    rest.remove_prefix(size);
  }
  if (!rest.empty()) return NoPackage("its central directory has more entries than it declares");
  return absl::OkStatus();
}

}  // namespace stagedoor
