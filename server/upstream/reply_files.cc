#include "server/upstream/reply_files.h"

#include <fcntl.h>
#include <sys/file.h>
#include <xxhash.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <utility>

#include "absl/strings/escaping.h"
#include "base/status.h"
#include "base/status_macros.h"

namespace stagedoor::server {
namespace {

namespace fs = std::filesystem;

constexpr char kMagicOfReply[8] = {'S', 'D', 'R', 'E', 'P', 'L', 'Y', '1'};
constexpr size_t kKeyBytes = 32;
constexpr std::string_view kTemporary = ".new";
// Files are in directories of the first digits of their names.
constexpr size_t kFolderDigits = 2;

// The beginning of a file. The lengths of the messages follow, and then the messages. Files are
// read by the machine that has written them.
struct FileHead {
  char magic[sizeof(kMagicOfReply)];
  char key[kKeyBytes];
  uint64_t count = 0;     // of messages
  uint64_t checksum = 0;  // of all that follows
};
static_assert(sizeof(FileHead) == sizeof(kMagicOfReply) + kKeyBytes + 16);

absl::Status DamagedFile(const std::string& path) {
  return DataLossError("the reply file ", Quoted(path), " is damaged");
}

std::string ErrnoText() { return std::strerror(errno); }

std::string BodyOf(const std::vector<grpc::ByteBuffer>& messages) {
  std::string body;
  for (const grpc::ByteBuffer& message : messages) {
    const uint64_t length = message.Length();
    body.append(reinterpret_cast<const char*>(&length), sizeof(length));
  }
  for (const grpc::ByteBuffer& message : messages) {
    std::vector<grpc::Slice> slices;
    message.Dump(&slices).ok();
    for (const grpc::Slice& slice : slices) {
      body.append(reinterpret_cast<const char*>(slice.begin()), slice.size());
    }
  }
  return body;
}

// The messages of a body, whose counts are checked against its size.
absl::StatusOr<std::vector<grpc::ByteBuffer>> MessagesOf(std::string_view body, uint64_t count,
                                                         const std::string& path) {
  if (count > body.size() / sizeof(uint64_t)) return DamagedFile(path);
  std::string_view rest = body.substr(count * sizeof(uint64_t));
  std::vector<grpc::ByteBuffer> messages;
  for (uint64_t i = 0; i < count; ++i) {
    uint64_t length = 0;
    std::memcpy(&length, body.data() + i * sizeof(length), sizeof(length));
    if (length > rest.size()) return DamagedFile(path);
    const grpc::Slice slice(rest.data(), static_cast<size_t>(length));
    messages.emplace_back(&slice, 1);
    rest.remove_prefix(static_cast<size_t>(length));
  }
  if (!rest.empty()) return DamagedFile(path);
  return messages;
}

}  // namespace

absl::StatusOr<std::unique_ptr<ReplyFiles>> ReplyFiles::Open(const std::string& directory,
                                                             size_t max_bytes) {
  std::error_code error;
  fs::create_directories(directory, error);
  const std::string lock_path = Concat(directory, "/lock");
  UniqueFd lock(::open(lock_path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  if (!lock.ok()) {
    return UnavailableError("cannot keep replies in ", Quoted(directory), ": ", ErrnoText());
  }
  if (::flock(lock.get(), LOCK_EX | LOCK_NB) != 0) {
    return UnavailableError("cannot keep replies in ", Quoted(directory),
                            ": another daemon uses it");
  }
  std::unique_ptr<ReplyFiles> files(new ReplyFiles(directory, max_bytes, std::move(lock)));
  SD_RETURN_IF_ERROR(files->Scan());
  return files;
}

absl::Status ReplyFiles::Scan() {
  struct Found {
    fs::file_time_type used;
    std::string key;
    uint64_t bytes;
  };
  std::vector<Found> found;
  std::error_code error;
  for (fs::recursive_directory_iterator it(directory_, error), end; it != end && !error;
       it.increment(error)) {
    std::error_code gone;
    const fs::path& path = it->path();
    if (it.depth() == 0 && path.filename().string().size() != kFolderDigits) {
      it.disable_recursion_pending();
      continue;
    }
    if (path.extension() == kTemporary) fs::remove(path, gone);
    const std::string key = absl::HexStringToBytes(path.filename().string());
    if (key.size() != kKeyBytes || path.filename().string().size() != 2 * kKeyBytes) continue;
    const uint64_t bytes = fs::file_size(path, gone);
    const fs::file_time_type used = fs::last_write_time(path, gone);
    if (!gone) found.push_back({used, key, bytes});
  }
  if (error) {
    return UnavailableError("cannot read the replies in ", Quoted(directory_), ": ",
                            error.message());
  }
  std::sort(found.begin(), found.end(),
            [](const Found& a, const Found& b) { return a.used < b.used; });
  for (const Found& file : found) Add(file.key, file.bytes);
  return absl::OkStatus();
}

std::string ReplyFiles::PathOf(const std::string& key) const {
  const std::string name = absl::BytesToHexString(key);
  return Concat(directory_, "/", name.substr(0, kFolderDigits), "/", name);
}

bool ReplyFiles::Has(const std::string& key) const {
  MutexLock lock(mu_);
  return files_.Find(key) != files_.end();
}

void ReplyFiles::Add(const std::string& key, uint64_t bytes) {
  std::vector<std::string> evicted;
  {
    MutexLock lock(mu_);
    if (files_.Find(key) != files_.end()) return;
    files_.Add(key, bytes);
    bytes_ += bytes;
    while (bytes_ > max_bytes_ && files_.size() > 1) {
      const auto oldest = files_.oldest();
      bytes_ -= oldest->value;
      evicted.push_back(PathOf(oldest->key));
      files_.Erase(oldest);
    }
  }
  std::error_code ignored;
  for (const std::string& path : evicted) fs::remove(path, ignored);
}

void ReplyFiles::Remove(const std::string& key) {
  {
    MutexLock lock(mu_);
    const auto file = files_.Find(key);
    if (file == files_.end()) return;
    bytes_ -= file->value;
    files_.Erase(file);
  }
  std::error_code ignored;
  fs::remove(PathOf(key), ignored);
}

absl::StatusOr<std::vector<grpc::ByteBuffer>> ReplyFiles::Read(const std::string& key) {
  uint64_t bytes = 0;
  {
    MutexLock lock(mu_);
    const auto file = files_.Find(key);
    if (file == files_.end()) return NotFoundError("no reply is kept under this key");
    files_.Touch(file);
    bytes = file->value;
  }
  const std::string path = PathOf(key);
  std::error_code ignored;
  fs::last_write_time(path, fs::file_time_type::clock::now(), ignored);
  std::string content(static_cast<size_t>(bytes), '\0');
  std::ifstream in(path, std::ios::binary);
  FileHead head;
  const bool read = bytes >= sizeof(head) && in.read(content.data(), in ? content.size() : 0) &&
                    in.gcount() == static_cast<std::streamsize>(content.size());
  const auto damaged = [&] {
    Remove(key);
    return DamagedFile(path);
  };
  if (!read) return damaged();
  std::memcpy(&head, content.data(), sizeof(head));
  const std::string_view body = std::string_view(content).substr(sizeof(head));
  if (std::memcmp(head.magic, kMagicOfReply, sizeof(head.magic)) != 0 ||
      std::memcmp(head.key, key.data(), kKeyBytes) != 0 ||
      head.checksum != XXH3_64bits_withSeed(body.data(), body.size(), head.count)) {
    return damaged();
  }
  auto messages = MessagesOf(body, head.count, path);
  if (!messages.ok()) Remove(key);
  return messages;
}

absl::Status ReplyFiles::Write(const std::string& key,
                               const std::vector<grpc::ByteBuffer>& messages) {
  size_t bytes = 0;
  for (const grpc::ByteBuffer& message : messages) bytes += message.Length();
  if (key.size() != kKeyBytes || bytes > max_bytes_ / 4 || Has(key)) return absl::OkStatus();
  const std::string body = BodyOf(messages);
  FileHead head;
  std::memcpy(head.magic, kMagicOfReply, sizeof(head.magic));
  std::memcpy(head.key, key.data(), kKeyBytes);
  head.count = messages.size();
  head.checksum = XXH3_64bits_withSeed(body.data(), body.size(), head.count);
  uint64_t number = 0;
  {
    MutexLock lock(mu_);
    number = ++temporary_;
  }
  const std::string path = PathOf(key);
  const std::string temporary = Concat(path, "-", number, kTemporary);
  std::error_code error;
  fs::create_directories(fs::path(path).parent_path(), error);
  std::ofstream out(temporary, std::ios::binary);
  out.write(reinterpret_cast<const char*>(&head), sizeof(head));
  out.write(body.data(), static_cast<std::streamsize>(body.size()));
  out.close();
  if (out.good()) fs::rename(temporary, path, error);
  if (!out.good() || error) {
    std::error_code ignored;
    fs::remove(temporary, ignored);
    return UnavailableError("cannot write the reply file ", Quoted(path), ": ",
                            error ? error.message() : ErrnoText());
  }
  Add(key, sizeof(head) + body.size());
  return absl::OkStatus();
}

size_t ReplyFiles::bytes() const {
  MutexLock lock(mu_);
  return static_cast<size_t>(bytes_);
}

size_t ReplyFiles::size() const {
  MutexLock lock(mu_);
  return files_.size();
}

}  // namespace stagedoor::server
