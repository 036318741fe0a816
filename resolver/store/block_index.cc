#include "resolver/store/block_index.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include <cerrno>
#include <cstring>
#include <ctime>

#include "base/status.h"
#include "base/status_macros.h"
#include "resolver/access/url.h"
#include "resolver/store/disk_io.h"

namespace stagedoor {
namespace {

constexpr char kMagic[8] = {'S', 'D', 'C', 'A', 'C', 'H', 'E', '1'};
constexpr size_t kMaxText = 64 << 10;
// How often an index that is evicted or created by somebody else at the same time is tried again.
constexpr int kMaxAttempts = 8;

struct Header {
  char magic[8];
  uint32_t header_bytes;
  uint32_t block_bytes;
  uint64_t object_size;
  uint32_t path_size;
  uint32_t version_size;
  uint64_t checksum;  // of the header with a checksum of 0, and the texts
};
static_assert(sizeof(Header) == 40);

uint64_t ChecksumOf(Header header, std::string_view texts) {
  header.checksum = 0;
  const uint64_t seed = XXH3_64bits(&header, sizeof(header));
  return XXH3_64bits_withSeed(texts.data(), texts.size(), seed);
}

std::string EncodeHeader(const CachedObject& object) {
  const std::string texts = object.path + object.version;
  Header header{};
  std::memcpy(header.magic, kMagic, sizeof(kMagic));
  header.header_bytes = static_cast<uint32_t>((sizeof(Header) + texts.size() + 7) / 8 * 8);
  header.block_bytes = kBlockBytes;
  header.object_size = object.size;
  header.path_size = static_cast<uint32_t>(object.path.size());
  header.version_size = static_cast<uint32_t>(object.version.size());
  header.checksum = ChecksumOf(header, texts);
  std::string out(header.header_bytes, '\0');
  std::memcpy(out.data(), &header, sizeof(header));
  std::memcpy(out.data() + sizeof(header), texts.data(), texts.size());
  return out;
}

// Reads the header, and sets where the checksums begin.
absl::StatusOr<CachedObject> ReadHeader(int fd, const std::string& path, uint64_t* entries_at) {
  const auto damaged = [&] { return DataLossError("cache file ", Quoted(path), " is damaged"); };
  Header header;
  SD_ASSIGN_OR_RETURN(const size_t count,
                      ReadAt(fd, 0, std::as_writable_bytes(std::span(&header, 1))));
  if (count < sizeof(header) || std::memcmp(header.magic, kMagic, sizeof(kMagic)) != 0 ||
      header.block_bytes != kBlockBytes || header.path_size > kMaxText ||
      header.version_size > kMaxText) {
    return damaged();
  }
  std::string texts(size_t{header.path_size} + header.version_size, '\0');
  SD_ASSIGN_OR_RETURN(const size_t text_count,
                      ReadAt(fd, sizeof(header), std::as_writable_bytes(std::span(texts))));
  CachedObject object{texts.substr(0, header.path_size), texts.substr(header.path_size),
                      header.object_size};
  struct stat info;
  if (fstat(fd, &info) != 0) return DiskError(errno, Concat("read ", Quoted(path)));
  const bool complete = text_count == texts.size() &&
                        header.checksum == ChecksumOf(header, texts) &&
                        header.header_bytes == (sizeof(Header) + texts.size() + 7) / 8 * 8 &&
                        static_cast<uint64_t>(info.st_size) ==
                            header.header_bytes + object.block_count() * sizeof(uint64_t);
  if (!complete) return damaged();
  *entries_at = header.header_bytes;
  return object;
}

// Creates a complete index file, unless there is one by now.
absl::Status Create(const std::string& path, const CachedObject& object) {
  if (object.path.size() > kMaxText || object.version.size() > kMaxText) {
    return InvalidArgumentError("the name of ", Quoted(UrlForMessage(object.path), 80),
                                " is too long");
  }
  const std::string temporary = Concat(path, ".", getpid(), ".", gettid(), ".tmp");
  const UniqueFd fd(open(temporary.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
  if (fd.get() < 0) return DiskError(errno, Concat("create ", Quoted(temporary)));
  const std::string header = EncodeHeader(object);
  absl::Status status = WriteAt(fd.get(), 0, std::as_bytes(std::span(header)));
  const uint64_t size = header.size() + object.block_count() * sizeof(uint64_t);
  if (status.ok() && ftruncate(fd.get(), static_cast<off_t>(size)) != 0) {
    status = DiskError(errno, Concat("create ", Quoted(temporary)));
  }
  if (status.ok() && link(temporary.c_str(), path.c_str()) != 0 && errno != EEXIST) {
    status = DiskError(errno, Concat("create ", Quoted(path)));
  }
  unlink(temporary.c_str());
  return status;
}

}  // namespace

uint64_t BlockIndex::Checksum(std::span<const std::byte> block) {
  const uint64_t hash = XXH3_64bits(block.data(), block.size());
  return hash == 0 ? 1 : hash;
}

absl::StatusOr<std::unique_ptr<BlockIndex>> BlockIndex::Open(const std::string& path) {
  for (int attempt = 1; attempt <= kMaxAttempts; ++attempt) {
    UniqueFd fd(open(path.c_str(), O_RDWR | O_CLOEXEC));
    if (fd.get() < 0) return DiskError(errno, Concat("open ", Quoted(path)));
    while (flock(fd.get(), LOCK_SH) != 0) {
      if (errno != EINTR) return DiskError(errno, Concat("lock ", Quoted(path)));
    }
    struct stat info;
    if (fstat(fd.get(), &info) != 0) return DiskError(errno, Concat("open ", Quoted(path)));
    if (info.st_nlink == 0) continue;  // evicted before it was locked
    uint64_t entries_at = 0;
    SD_ASSIGN_OR_RETURN(CachedObject object, ReadHeader(fd.get(), path, &entries_at));
    return std::unique_ptr<BlockIndex>(
        new BlockIndex(std::move(fd), std::move(object), entries_at));
  }
  return UnavailableError("cache file ", Quoted(path), " keeps being replaced");
}

absl::StatusOr<std::unique_ptr<BlockIndex>> BlockIndex::OpenOrCreate(const std::string& path,
                                                                     const CachedObject& object) {
  for (int attempt = 1; attempt <= kMaxAttempts; ++attempt) {
    absl::StatusOr<std::unique_ptr<BlockIndex>> index = Open(path);
    if (index.ok() && (*index)->object() != object) {
      return DataLossError("cache file ", Quoted(path), " is that of another object");
    }
    if (index.status().code() != absl::StatusCode::kNotFound) return index;
    SD_RETURN_IF_ERROR(Create(path, object));
  }
  return UnavailableError("cache file ", Quoted(path), " keeps being evicted");
}

absl::StatusOr<std::vector<uint64_t>> BlockIndex::Read(uint64_t first, uint64_t count) const {
  std::vector<uint64_t> checksums(count, 0);
  const std::span<std::byte> out = std::as_writable_bytes(std::span(checksums));
  SD_RETURN_IF_ERROR(ReadAt(fd_.get(), entries_at_ + first * sizeof(uint64_t), out).status());
  return checksums;
}

absl::Status BlockIndex::Write(uint64_t first, std::span<const uint64_t> checksums) const {
  return WriteAt(fd_.get(), entries_at_ + first * sizeof(uint64_t), std::as_bytes(checksums));
}

void BlockIndex::Touch() const {
  // Finer than the kernel's own time stamps, so that the order of uses is kept.
  timespec now[2];
  clock_gettime(CLOCK_REALTIME, &now[0]);
  now[1] = now[0];
  (void)futimens(fd_.get(), now);
}

}  // namespace stagedoor
