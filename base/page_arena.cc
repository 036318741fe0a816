#include "base/page_arena.h"

#include <sys/mman.h>

#include <algorithm>
#include <new>

namespace stagedoor {
namespace {

size_t RoundUp(size_t bytes, size_t unit) { return (bytes + unit - 1) / unit * unit; }

}  // namespace

void PageArena::AddBlock(size_t bytes) {
  const size_t size = std::max(kBlock, RoundUp(bytes, kPage));
  blocks_.reserve(blocks_.size() + 1);  // first, so that no failure loses the pages
  void* const pages =
      ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (pages == MAP_FAILED) throw std::bad_alloc();
  blocks_.push_back({static_cast<std::byte*>(pages), size});
  used_ = charged_ = 0;
}

void* PageArena::do_allocate(size_t bytes, size_t alignment) {
  MutexLock lock(mu_);
  size_t at = RoundUp(used_, alignment);
  if (blocks_.empty() || at + bytes > blocks_.back().size) {
    AddBlock(bytes);
    at = 0;
  }
  used_ = at + bytes;
  if (used_ > charged_) {
    const size_t pages = RoundUp(used_, kPage);
    charge_.Add(pages - charged_);
    charged_ = pages;
  }
  return blocks_.back().begin + at;
}

void PageArena::Clear() {
  MutexLock lock(mu_);
  for (const Block& block : blocks_) ::munmap(block.begin, block.size);
  std::vector<Block>().swap(blocks_);
  used_ = charged_ = 0;
  charge_.Release();
}

}  // namespace stagedoor
