#include "resolver/store/block_file.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "base/cancellable_wait.h"
#include "base/status.h"
#include "base/status_macros.h"
#include "resolver/access/url.h"
#include "resolver/fail_if_outage.h"
#include "resolver/store/disk_io.h"

namespace stagedoor {
namespace {

constexpr uint64_t kMostAhead = (1 << 20) / kBlockBytes;

// How often what is missing is requested of a store whose servers disagree about the version.
constexpr int kMaxDisputes = 6;

// How many blocks are fetched at once at most: 64 MiB.
constexpr uint64_t kMostAtOnce = 4096;

}  // namespace

// Writes what arrives to the data file, and knows which blocks are complete.
class BlockFile::Receiver {
 public:
  Receiver(const BlockFile& file, const std::vector<Run>& runs) : file_(file) {
    for (const Run& run : runs) {
      const uint64_t begin = run.begin * kBlockBytes;
      const uint64_t end = std::min(run.end * kBlockBytes, file.object().size);
      ranges_.push_back({begin, end - begin});
      received_.push_back(begin);
    }
  }

  const std::vector<ByteRange>& ranges() const { return ranges_; }

  absl::Status Write(uint64_t offset, std::span<const std::byte> bytes) {
    const auto after =
        std::upper_bound(ranges_.begin(), ranges_.end(), offset,
                         [](uint64_t at, const ByteRange& range) { return at < range.offset; });
    const size_t i = static_cast<size_t>(after - ranges_.begin()) - 1;
    if (after == ranges_.begin() || offset != received_[i] ||
        bytes.size() > ranges_[i].end() - offset) {
      return InternalError("bytes at offset ", offset, " of ",
                           Quoted(UrlForMessage(file_.object().path)), " were not asked for");
    }
    SD_RETURN_IF_ERROR(file_.WriteMakingRoom(
        bytes.size(), [&] { return WriteAt(file_.parts_.data.get(), offset, bytes); }));
    received_[i] += bytes.size();
    return absl::OkStatus();
  }

  // The blocks that have arrived completely.
  std::vector<Run> Complete() const {
    std::vector<Run> runs;
    for (size_t i = 0; i < ranges_.size(); ++i) {
      const bool all = received_[i] == ranges_[i].end();
      const uint64_t end = (received_[i] + (all ? kBlockBytes - 1 : 0)) / kBlockBytes;
      const uint64_t begin = ranges_[i].offset / kBlockBytes;
      if (end > begin) runs.push_back({begin, end});
    }
    return runs;
  }
  bool all() const {
    for (size_t i = 0; i < ranges_.size(); ++i) {
      if (received_[i] != ranges_[i].end()) return false;
    }
    return true;
  }

 private:
  const BlockFile& file_;
  std::vector<ByteRange> ranges_;   // ascending
  std::vector<uint64_t> received_;  // by range: the offset up to which it has arrived
};

absl::StatusOr<std::shared_ptr<BlockFile>> BlockFile::Create(Parts parts) {
  SD_ASSIGN_OR_RETURN(std::shared_ptr<const MappedRegion> region,
                      MappedRegion::Map(parts.data.get(), parts.object.size));
  return std::shared_ptr<BlockFile>(new BlockFile(std::move(parts), std::move(region)));
}

BlockFile::BlockFile(Parts parts, std::shared_ptr<const MappedRegion> region)
    : parts_(std::move(parts)),
      region_(std::move(region)),
      present_(new std::atomic<uint64_t>[(parts_.object.block_count() + 63) / 64]()) {}

void BlockFile::MarkPresent(uint64_t block) const {
  const uint64_t bit = uint64_t{1} << (block % 64);
  const uint64_t before = present_[block / 64].fetch_or(bit, std::memory_order_acq_rel);
  if ((before & bit) == 0) present_bytes_ += parts_.object.block_size(block);
}

bool BlockFile::Has(ByteRange range) const {
  if (range.size == 0) return true;
  const uint64_t last = (range.end() - 1) / kBlockBytes;
  for (uint64_t block = range.offset / kBlockBytes; block <= last; ++block) {
    if (!IsPresent(block)) return false;
  }
  return !region_->damaged();
}

absl::Status BlockFile::Check() const {
  if (!region_->damaged()) return absl::OkStatus();
  return UnavailableError("the cache file of ", Quoted(UrlForMessage(object().path)),
                          " was truncated or cannot be read; it will be fetched again");
}

std::vector<BlockFile::Run> BlockFile::MissingRuns(std::span<const ByteRange> ranges) const {
  std::vector<Run> blocks;
  for (const ByteRange& range : ranges) {
    if (range.size == 0) continue;
    blocks.push_back({range.offset / kBlockBytes, (range.end() - 1) / kBlockBytes + 1});
  }
  std::sort(blocks.begin(), blocks.end(),
            [](const Run& a, const Run& b) { return a.begin < b.begin; });
  std::vector<Run> runs;
  uint64_t count = 0;
  uint64_t done = 0;  // blocks before this one were looked at
  for (const Run& run : blocks) {
    for (uint64_t block = std::max(run.begin, done); block < run.end; ++block) {
      if (IsPresent(block)) continue;
      if (++count > kMostAtOnce) return runs;
      if (!runs.empty() && runs.back().end == block) {
        ++runs.back().end;
      } else {
        runs.push_back({block, block + 1});
      }
    }
    done = std::max(done, run.end);
  }
  return runs;
}

bool BlockFile::ClaimBlock(uint64_t block, std::vector<Run>* mine, bool* others) const {
  if (IsPresent(block)) return false;
  if (!claimed_.insert(block).second) {
    *others = true;
    return false;
  }
  if (!mine->empty() && mine->back().end == block) {
    ++mine->back().end;
  } else {
    mine->push_back({block, block + 1});
  }
  return true;
}

std::vector<BlockFile::Run> BlockFile::Claim(const std::vector<Run>& runs, bool* others) const {
  std::vector<Run> mine;
  MutexLock lock(mu_);
  for (const Run& run : runs) {
    for (uint64_t block = run.begin; block < run.end; ++block) ClaimBlock(block, &mine, others);
  }
  if (mine.empty()) return mine;
  const bool in_order = mine.size() == 1 && next_ != 0 && mine[0].begin == next_;
  ahead_ = in_order ? std::min(kMostAhead, std::max<uint64_t>(1, 2 * ahead_)) : 0;
  bool ignored = false;
  for (uint64_t more = ahead_; more > 0; --more) {
    const uint64_t block = mine.back().end;
    if (block >= parts_.object.block_count() || !ClaimBlock(block, &mine, &ignored)) break;
  }
  next_ = mine.back().end;
  return mine;
}

void BlockFile::Unclaim(const std::vector<Run>& runs) const {
  MutexLock lock(mu_);
  for (const Run& run : runs) {
    for (uint64_t block = run.begin; block < run.end; ++block) claimed_.erase(block);
  }
  landed_.NotifyAll();
}

absl::Status BlockFile::AwaitOthers(RequestContext& context,
                                    const std::vector<Run>& missing) const {
  MutexLock lock(mu_);
  for (const Run& run : missing) {
    if (!IsPresent(run.begin) && claimed_.contains(run.begin)) {
      return CancellableWait(context, mu_, landed_);
    }
  }
  return absl::OkStatus();  // they have landed by now
}

absl::Status BlockFile::Ensure(RequestContext& context, std::span<const ByteRange> ranges) const {
  int disputes = 0;
  for (;;) {
    SD_RETURN_IF_ERROR(context.Check());
    if (absl::Status sound = Check(); !sound.ok()) return FailIfOutage(context, sound);
    const std::vector<Run> missing = MissingRuns(ranges);
    if (missing.empty()) return absl::OkStatus();
    bool others = false;
    const std::vector<Run> mine = Claim(missing, &others);
    if (!mine.empty()) {
      absl::Status loaded = absl::UnknownError("");
      try {
        loaded = Load(context, mine);
      } catch (...) {
        Unclaim(mine);
        throw;
      }
      Unclaim(mine);
      if (IsDisputed(loaded) && ++disputes < kMaxDisputes) continue;
      if (loaded.code() == absl::StatusCode::kDataLoss) return AsReplaced(std::move(loaded));
      if (!loaded.ok()) return FailIfOutage(context, loaded);
    } else if (others) {
      SD_RETURN_IF_ERROR(AwaitOthers(context, missing));
    }
  }
}

absl::Status BlockFile::Load(RequestContext& context, const std::vector<Run>& runs) const {
  const std::vector<Run> absent = parts_.index != nullptr ? FindOnDisk(runs) : runs;
  if (absent.empty()) return absl::OkStatus();
  return FetchRuns(context, absent);
}

std::vector<BlockFile::Run> BlockFile::FindOnDisk(const std::vector<Run>& runs) const {
  std::vector<Run> absent;
  for (const Run& run : runs) {
    const auto checksums = parts_.index->Read(run.begin, run.end - run.begin);
    for (uint64_t block = run.begin; block < run.end; ++block) {
      const uint64_t checksum = checksums.ok() ? (*checksums)[block - run.begin] : 0;
      const bool same = checksum != 0 && BlockIndex::Checksum(BlockBytes(block)) == checksum;
      if (same) {
        parts_.counters->found_blocks.fetch_add(1, std::memory_order_relaxed);
        MarkPresent(block);
        continue;
      }
      if (checksum != 0) parts_.counters->damaged_blocks.fetch_add(1, std::memory_order_relaxed);
      if (!absent.empty() && absent.back().end == block) {
        ++absent.back().end;
      } else {
        absent.push_back({block, block + 1});
      }
    }
  }
  return absent;
}

absl::Status BlockFile::FetchRuns(RequestContext& context, const std::vector<Run>& runs) const {
  Receiver receiver(*this, runs);
  return Receive(receiver, [&]() -> absl::Status {
    SD_RETURN_IF_ERROR(parts_.fetch(context, receiver.ranges(),
                                    [&](uint64_t offset, std::span<const std::byte> bytes) {
                                      return receiver.Write(offset, bytes);
                                    }));
    if (receiver.all()) return absl::OkStatus();
    return UnavailableError("bytes of ", Quoted(UrlForMessage(object().path)), " did not arrive");
  });
}

absl::Status BlockFile::Receive(Receiver& receiver,
                                const std::function<absl::Status()>& fetch) const {
  uint64_t reserved = 0;
  for (const ByteRange& range : receiver.ranges()) reserved += range.size;
  SD_RETURN_IF_ERROR(parts_.reserve(reserved));
  absl::Status fetched = fetch();
  const std::vector<Run> complete = receiver.Complete();
  uint64_t arrived = 0;
  for (const Run& run : complete) {
    arrived += std::min(run.end * kBlockBytes, object().size) - run.begin * kBlockBytes;
  }
  parts_.settle(reserved, arrived);
  absl::Status published = Publish(complete);
  return fetched.ok() ? published : fetched;
}

absl::Status BlockFile::WriteMakingRoom(uint64_t bytes,
                                        const std::function<absl::Status()>& write) const {
  absl::Status written = write();
  if (IsDiskFull(written) && parts_.make_room(bytes)) written = write();
  return written;
}

absl::Status BlockFile::Publish(const std::vector<Run>& written) const {
  const bool disk = parts_.index != nullptr;
  if (disk && parts_.sync && !written.empty() && fdatasync(parts_.data.get()) != 0) {
    return DiskError(errno, "sync the cache");
  }
  for (const Run& run : written) {
    if (disk) {
      std::vector<uint64_t> checksums;
      checksums.reserve(run.end - run.begin);
      for (uint64_t block = run.begin; block < run.end; ++block) {
        checksums.push_back(BlockIndex::Checksum(BlockBytes(block)));
      }
      SD_RETURN_IF_ERROR(WriteMakingRoom(checksums.size() * sizeof(uint64_t), [&] {
        return parts_.index->Write(run.begin, checksums);
      }));
    }
    for (uint64_t block = run.begin; block < run.end; ++block) MarkPresent(block);
    parts_.counters->fetched_blocks.fetch_add(run.end - run.begin, std::memory_order_relaxed);
  }
  return absl::OkStatus();
}

absl::Status BlockFile::PutHead(std::string_view head) const {
  const auto bytes = std::as_bytes(std::span(head));
  const uint64_t whole =
      head.size() == object().size ? object().block_count() : head.size() / kBlockBytes;
  const Run all{0, whole};
  bool others = false;
  const std::vector<Run> mine = Claim({all}, &others);
  if (mine.empty()) return absl::OkStatus();
  Receiver receiver(*this, mine);
  absl::Status status = Receive(receiver, [&]() -> absl::Status {
    for (const ByteRange& range : receiver.ranges()) {
      SD_RETURN_IF_ERROR(receiver.Write(range.offset, bytes.subspan(range.offset, range.size)));
    }
    return absl::OkStatus();
  });
  Unclaim(mine);
  return status;
}

}  // namespace stagedoor
