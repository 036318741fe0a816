#include "scene/frame/frame_id.h"

#include <algorithm>

namespace stagedoor {
namespace {

constexpr uint64_t kStep = 0x9e3779b97f4a7c15;

// The finalizer of SplitMix64: each bit of the result depends on all bits of `x`.
constexpr uint64_t Scramble(uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

// Up to 8 bytes as a number, the first one in the lowest bits.
uint64_t WordOf(std::string_view bytes) {
  uint64_t word = 0;
  for (size_t i = 0; i < bytes.size(); ++i) {
    word |= uint64_t{static_cast<unsigned char>(bytes[i])} << (8 * i);
  }
  return word;
}

}  // namespace

uint64_t ExtendHash(uint64_t hash, uint64_t by) { return Scramble(Scramble(hash + kStep) ^ by); }

uint64_t HashOfChild(uint64_t parent, std::string_view name) {
  uint64_t hash = Scramble(parent + kStep) ^ name.size();
  for (; name.size() > 8; name.remove_prefix(8)) {
    hash = Scramble((hash ^ WordOf(name.substr(0, 8))) + kStep);
  }
  return Scramble((hash ^ WordOf(name)) + kStep);
}

uint64_t HashOfPath(std::string_view path) {
  uint64_t hash = kRootHash;
  while (path.size() > 1) {
    path.remove_prefix(1);  // the slash
    const size_t end = std::min(path.find('/'), path.size());
    hash = HashOfChild(hash, path.substr(0, end));
    path.remove_prefix(end);
  }
  return hash;
}

FrameId FrameIds::Make(FrameObject kind, uint64_t hash) {
  FrameId id = ExtendHash(hash, static_cast<uint64_t>(kind));
  while (id <= kAllLights || !Insert(id)) id = Scramble(id + kStep);
  return id;
}

// False if the id is in use.
bool FrameIds::Insert(FrameId id) {
  if (2 * (size_ + 1) > slots_.size()) Grow();
  const size_t mask = slots_.size() - 1;
  size_t i = id & mask;
  for (; slots_[i] != 0; i = (i + 1) & mask) {
    if (slots_[i] == id) return false;
  }
  slots_[i] = id;
  ++size_;
  return true;
}

void FrameIds::Grow() {
  std::vector<FrameId> old(slots_.empty() ? 64 : 2 * slots_.size());
  old.swap(slots_);
  size_ = 0;
  for (const FrameId id : old) {
    if (id != 0) Insert(id);
  }
}

}  // namespace stagedoor
