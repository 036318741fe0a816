#include "resolver/file/file_change_source.h"

#include <linux/magic.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cstring>
#include <deque>

#include "base/out_of_memory.h"
#include "base/status.h"
#include "resolver/resolver.h"

namespace stagedoor {
namespace {

constexpr uint32_t kStructure = IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO;
constexpr uint32_t kContent = IN_MODIFY | IN_CLOSE_WRITE | IN_ATTRIB;
constexpr uint32_t kSelf = IN_DELETE_SELF | IN_MOVE_SELF | IN_UNMOUNT | IN_IGNORED;
constexpr int kMaxLinks = 40;  // as in the kernel

// Whether other machines can change files there without an event here.
bool IsRemote(const std::string& directory) {
  constexpr uint32_t kRemote[] = {NFS_SUPER_MAGIC, SMB_SUPER_MAGIC,  AFS_SUPER_MAGIC,
                                  AFS_FS_MAGIC,    CODA_SUPER_MAGIC, V9FS_MAGIC,
                                  0xFF534D42,   // CIFS
                                  0xFE534D42,   // SMB2
                                  0x65735546,   // FUSE
                                  0x00C36400,   // Ceph
                                  0x0BD00BD0,   // Lustre
                                  0x47504653,   // GPFS
                                  0x01161970,   // GFS2
                                  0x7461636F,   // OCFS2
                                  0x19830326,   // BeeGFS
                                  0xAAD7AAEA,   // PanFS
                                  0xBEEFDEAD,   // StorNext
                                  0xBACBACBC,   // VMware shared folders
                                  0x786F4256};  // VirtualBox shared folders
  struct statfs info;
  if (statfs(directory.c_str(), &info) != 0) return false;
  for (const uint32_t type : kRemote) {
    if (static_cast<uint32_t>(info.f_type) == type) return true;
  }
  return false;
}

// Puts the components of a path before those in `todo`.
void Prepend(std::string_view path, std::deque<std::string>* todo) {
  std::vector<std::string> parts;
  while (!path.empty()) {
    const size_t slash = std::min(path.find('/'), path.size());
    if (slash > 0) parts.emplace_back(path.substr(0, slash));
    path.remove_prefix(std::min(slash + 1, path.size()));
  }
  todo->insert(todo->begin(), parts.begin(), parts.end());
}

std::string PathBelow(const std::string& directory, const std::string& name) {
  return directory == "/" ? Concat("/", name) : Concat(directory, "/", name);
}

// Empty if `path` is not a symbolic link.
std::string ReadLink(const std::string& path) {
  std::array<char, PATH_MAX> target;
  const ssize_t length = readlink(path.c_str(), target.data(), target.size());
  return length <= 0 ? std::string() : std::string(target.data(), static_cast<size_t>(length));
}

}  // namespace

FileChangeSource::FileChangeSource(FileChangeOptions options)
    : options_(options),
      events_(inotify_init1(IN_NONBLOCK | IN_CLOEXEC)),
      stop_(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)) {}

FileChangeSource::~FileChangeSource() {
  if (!thread_.joinable()) return;
  eventfd_write(stop_.get(), 1);
  thread_.join();
}

void FileChangeSource::Start(Callback callback) {
  callback_ = std::move(callback);
  if (events_.get() < 0 || stop_.get() < 0) return;
  thread_ = std::thread([this] { Run(); });
}

void FileChangeSource::AddProblem(std::string_view why) {
  std::string problem = Concat("changes of some files are noticed by polling, because ", why);
  if (reported_problems_.insert(problem).second) problems_.push_back(std::move(problem));
}

int FileChangeSource::WatchDirectory(const std::string& directory, bool content) {
  const uint32_t mask = kStructure | (content ? kContent : 0) | IN_DELETE_SELF | IN_MOVE_SELF |
                        IN_ONLYDIR | IN_EXCL_UNLINK | IN_MASK_ADD;
  // The descriptor of the directory that is there now, which may have been watched already.
  const int descriptor = inotify_add_watch(events_.get(), directory.c_str(), mask);
  if (descriptor < 0) {
    const int error = errno;
    if (error == ENOSPC || error == ENOMEM) {
      AddProblem("the kernel allows no more watches; raise fs.inotify.max_user_watches");
    }
    errno = error;
    return -1;
  }
  const auto known = directories_.find(descriptor);
  if (known != directories_.end()) {
    known->second.watches_content |= content;
    return descriptor;
  }
  const bool full = directories_.size() >= options_.max_directories;
  if (full || IsRemote(directory)) {
    inotify_rm_watch(events_.get(), descriptor);
    if (full) {
      AddProblem(Concat("they are in more than ", options_.max_directories, " directories"));
    }
    errno = EREMOTE;
    return -1;
  }
  directories_[descriptor].watches_content = content;
  return descriptor;
}

// Each directory is watched before it is looked at, so that no change is missed in between.
bool FileChangeSource::Walk(const std::string& path, std::vector<Step>* steps) {
  std::deque<std::string> todo;
  Prepend(path, &todo);
  std::string directory = "/";
  for (int links = 0; !todo.empty();) {
    const std::string name = std::move(todo.front());
    todo.pop_front();
    if (name == ".") continue;
    if (name == "..") {
      directory = directory.substr(0, std::max<size_t>(directory.rfind('/'), 1));
      continue;
    }
    const bool last = todo.empty();
    const int descriptor = WatchDirectory(directory, last);
    // A directory that must not be listed is passed without a watch, unless it holds the file.
    const int error = descriptor < 0 ? errno : 0;
    if (descriptor >= 0) {
      steps->push_back({descriptor, name});
      directories_[descriptor].paths[name].insert(path);
    } else if (error == ENOENT || error == ENOTDIR) {
      return true;  // it was removed at this moment, which the watch of its parent reports
    } else if (error != EACCES || last) {
      return false;
    }
    const std::string next = PathBelow(directory, name);
    struct stat info;
    if (lstat(next.c_str(), &info) != 0) return true;
    if (S_ISLNK(info.st_mode)) {
      const std::string target = ReadLink(next);
      if (target.empty() || ++links > kMaxLinks) return true;
      if (target.front() == '/') directory.assign(1, '/');
      Prepend(target, &todo);
    } else if (S_ISDIR(info.st_mode)) {
      directory = next;
    } else {
      return true;
    }
  }
  return true;
}

void FileChangeSource::SetSteps(const std::string& path, File& file, std::vector<Step> steps) {
  const std::vector<Step> before = std::exchange(file.steps, std::move(steps));
  for (const Step& step : before) {
    const auto kept = [&](const Step& other) {
      return other.directory == step.directory && other.name == step.name;
    };
    if (std::any_of(file.steps.begin(), file.steps.end(), kept)) continue;
    const auto directory = directories_.find(step.directory);
    if (directory == directories_.end()) continue;
    auto& paths = directory->second.paths;
    const auto at = paths.find(step.name);
    if (at == paths.end()) continue;
    at->second.erase(path);
    if (!at->second.empty()) continue;
    paths.erase(at);
    if (!paths.empty()) continue;
    inotify_rm_watch(events_.get(), step.directory);
    directories_.erase(directory);
  }
}

std::vector<WatchedAsset> FileChangeSource::Watch(std::span<const WatchedAsset> assets) {
  std::vector<WatchedAsset> refused;
  MutexLock lock(mu_);
  if (!thread_.joinable()) {
    AddProblem("the system has no inotify instance left; raise fs.inotify.max_user_instances");
    return {assets.begin(), assets.end()};
  }
  for (const WatchedAsset& asset : assets) {
    if (!asset.path.starts_with('/') || !CheckAssetPath(asset.path).ok()) {
      refused.push_back(asset);
      continue;
    }
    File& file = files_[asset.path];
    if (file.count > 0) {
      ++file.count;
      continue;
    }
    std::vector<Step> steps;
    const bool watched = Walk(asset.path, &steps);
    SetSteps(asset.path, file, std::move(steps));
    if (watched) {
      ++file.count;
    } else {
      SetSteps(asset.path, file, {});
      files_.erase(asset.path);
      refused.push_back(asset);
    }
  }
  return refused;
}

void FileChangeSource::Unwatch(std::span<const std::string> paths) {
  MutexLock lock(mu_);
  for (const std::string& path : paths) {
    const auto it = files_.find(path);
    if (it == files_.end() || --it->second.count > 0) continue;
    SetSteps(path, it->second, {});
    files_.erase(it);
  }
}

ChangeSource::Stats FileChangeSource::GetStats() const {
  MutexLock lock(mu_);
  return {.watched = files_.size()};
}

std::vector<std::string> FileChangeSource::TakeProblems() {
  MutexLock lock(mu_);
  return std::exchange(problems_, {});
}

void FileChangeSource::Interpret(int directory, uint32_t mask, const char* name, Found* found) {
  if ((mask & IN_Q_OVERFLOW) != 0) {
    found->all = true;
    return;
  }
  const auto it = directories_.find(directory);
  if (it == directories_.end()) return;
  auto& paths = it->second.paths;
  if ((mask & kSelf) != 0) {
    for (const auto& [_, affected] : paths) {
      found->changed.insert(affected.begin(), affected.end());
      found->moved.insert(affected.begin(), affected.end());
    }
    if ((mask & IN_IGNORED) != 0) directories_.erase(it);
    return;
  }
  const auto affected = paths.find(name);
  if (affected == paths.end()) return;
  found->changed.insert(affected->second.begin(), affected->second.end());
  if ((mask & kStructure) != 0) {
    found->moved.insert(affected->second.begin(), affected->second.end());
  }
}

void FileChangeSource::ReadEvents() {
  alignas(struct inotify_event) std::array<char, size_t{64} << 10> buffer;
  const ssize_t size = read(events_.get(), buffer.data(), buffer.size());
  if (size <= 0 && !lost_) return;
  AssetChanges changes;
  {
    MutexLock lock(mu_);
    Found found{.all = lost_};
    for (size_t at = 0; size > 0 && at + sizeof(inotify_event) <= static_cast<size_t>(size);) {
      inotify_event event;
      std::memcpy(&event, buffer.data() + at, sizeof(event));
      const char* name = event.len > 0 ? buffer.data() + at + sizeof(event) : "";
      Interpret(event.wd, event.mask, name, &found);
      at += sizeof(event) + event.len;
    }
    if (found.all) {
      for (const auto& [path, file] : files_) found.moved.insert(path);
    }
    for (const std::string& path : found.moved) {
      const auto it = files_.find(path);
      if (it == files_.end()) continue;
      std::vector<Step> steps;
      Walk(path, &steps);  // watches as much of the way as is possible
      SetSteps(path, it->second, std::move(steps));
    }
    changes.all = found.all;
    changes.paths.assign(found.changed.begin(), found.changed.end());
  }
  if (changes.all || !changes.paths.empty()) callback_(changes);
}

void FileChangeSource::Run() {
  for (;;) {
    std::array<struct pollfd, 2> wait = {{{events_.get(), POLLIN, 0}, {stop_.get(), POLLIN, 0}}};
    if (poll(wait.data(), wait.size(), lost_ ? 1000 : -1) < 0 && errno != EINTR) return;
    if (wait[1].revents != 0) return;
    if (wait[0].revents == 0 && !lost_) continue;
    const absl::Status read = CatchOutOfMemory([&] {
      ReadEvents();
      return absl::OkStatus();
    });
    lost_ = !read.ok();
  }
}

}  // namespace stagedoor
