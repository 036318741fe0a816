#include "scene/usdc/crate_placement.h"

#include <algorithm>
#include <random>

#include "base/hash.h"
#include "base/status.h"

namespace stagedoor {
namespace {

uint64_t Aligned(uint64_t offset, bool aligned) {
  return aligned ? (offset + 7) & ~uint64_t{7} : offset;
}

}  // namespace

CrateRecorder::CrateRecorder(std::string* file) : file_(file), end_(file->size()) { DrawKeys(); }

CrateRecorder::CrateRecorder(CrateLog* log) : log_(log) { DrawKeys(); }

void CrateRecorder::DrawKeys() {
  std::random_device random;
  for (uint64_t& key : keys_) key = (uint64_t{random()} << 32 | random()) | 1;
}

void CrateRecorder::Take(std::string_view bytes, Digest* digest) const {
  if (bytes.empty()) bytes = "";  // not null, which must not be copied from
  const auto take = [&](uint64_t x, uint64_t y) {
    digest->a = MultiplyAndFold(digest->a ^ x ^ keys_[0], y ^ keys_[1]);
    digest->b = MultiplyAndFold(digest->b ^ y ^ keys_[2], x ^ keys_[3]);
  };
  for (; bytes.size() >= 16; bytes.remove_prefix(16)) {
    take(LoadWord(bytes.data()), LoadWord(bytes.data() + 8));
  }
  const size_t first = std::min<size_t>(bytes.size(), 8);
  take(LoadWord(bytes.data(), first), LoadWord(bytes.data() + first, bytes.size() - first));
  take(bytes.size(), 0x9e3779b97f4a7c15);
}

CrateValueRep CrateRecorder::Place(CrateType type, uint64_t flags, std::string_view head,
                                   std::string_view bulk, bool aligned) {
  Digest digest{CrateValueRep(type, flags, 0).bits(), head.size() + bulk.size()};
  Take(head, &digest);
  Take(bulk, &digest);
  const uint64_t offset = Aligned(end_, aligned);
  const CrateValueRep rep(type, flags, offset);
  const auto [it, fresh] = places_.try_emplace(digest, rep);
  if (log_ != nullptr) {
    log_->reps.push_back(it->second);
    log_->fresh.push_back(fresh);
  }
  if (!fresh) return it->second;
  end_ = offset + head.size() + bulk.size();
  if (end_ > CrateValueRep::kPayloadMask && status_.ok()) {
    status_ = ResourceExhaustedError("layer is too large for a crate file");
  }
  if (file_ != nullptr) {
    file_->resize(offset);
    file_->append(head).append(bulk);
  }
  return rep;
}

size_t CrateRecorder::byte_size() const {
  constexpr size_t kNode = sizeof(Digest) + sizeof(CrateValueRep) + 2 * sizeof(void*) + 16;
  return places_.size() * kNode + places_.bucket_count() * sizeof(void*) +
         (log_ ? log_->size() * sizeof(CrateValueRep) : 0);
}

CrateValueRep CrateReplay::Place(CrateType type, uint64_t flags, std::string_view head,
                                 std::string_view bulk, bool aligned) {
  const uint64_t offset = Aligned(end_, aligned);
  const CrateValueRep expected(type, flags, offset);
  if (next_ == log_.size()) consistent_ = false;
  if (!consistent_) return expected;
  const CrateValueRep rep = log_.reps[next_];
  const bool fresh = log_.fresh[next_++];
  consistent_ = fresh ? rep == expected : rep.kind() == expected.kind();
  if (!fresh || !consistent_) return rep;
  text_.append(bulk_).append(offset - end_, '\0').append(head);
  bulk_ = keeps_ ? bulk : std::string_view();
  if (!keeps_) text_.append(bulk);
  end_ = offset + head.size() + bulk.size();
  return rep;
}

}  // namespace stagedoor
