#ifndef STAGEDOOR_SCENE_CLIPS_CLIP_SLOT_H_
#define STAGEDOOR_SCENE_CLIPS_CLIP_SLOT_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <utility>

namespace stagedoor {

// A clip set's reference to one clip layer, filled while the layer is open.
//
// Readers pin the content of the slot with one atomic addition, without locks or look-ups; the
// cache empties it only while it is not pinned. Thread-safe.
class ClipSlot {
 public:
  // The data that a clip set keeps for an open clip layer; destroyed when the layer is evicted.
  class View {
   public:
    virtual ~View() = default;

   private:
    friend class ClipCache;
    std::unique_ptr<View> next_;  // links views that are about to be destroyed
  };

  ClipSlot() = default;
  ClipSlot(const ClipSlot&) = delete;
  ClipSlot& operator=(const ClipSlot&) = delete;
  ~ClipSlot() { delete view_.load(std::memory_order_relaxed); }

  // The view, pinned until Unpin(), with `clock` stored as its last use; null if the slot is empty
  // or closed.
  View* TryPin(uint32_t clock) {
    const uint64_t before = state_.fetch_add(kOnePin + kOneRead, std::memory_order_acquire);
    View* view = before & kClosed ? nullptr : view_.load(std::memory_order_acquire);
    if (view == nullptr) {
      state_.fetch_sub(kOnePin + kOneRead, std::memory_order_release);
      return nullptr;
    }
    if (used_.load(std::memory_order_relaxed) != clock) {
      used_.store(clock, std::memory_order_relaxed);
    }
    return view;
  }
  // The view; the caller must hold a pin.
  View* pinned_view() const { return view_.load(std::memory_order_acquire); }
  void Unpin() { state_.fetch_sub(kOnePin, std::memory_order_release); }

 private:
  friend class ClipCache;
  // Bits of the state: the number of pins, then one bit that closes the slot to new pins, then the
  // number of reads.
  static constexpr int kReadShift = 21;
  static constexpr uint64_t kOnePin = 1;
  static constexpr uint64_t kClosed = uint64_t{1} << (kReadShift - 1);
  static constexpr uint64_t kOneRead = uint64_t{1} << kReadShift;
  static constexpr uint64_t kPins = kClosed - 1;

  // The rest is for the cache, which calls it under its lock.
  // Closes the slot to new pins; false if it is pinned or closed already.
  bool TryClose() {
    uint64_t state = state_.load(std::memory_order_relaxed);
    if (state & (kPins | kClosed)) return false;
    return state_.compare_exchange_strong(state, state | kClosed, std::memory_order_acq_rel);
  }
  // Closes the slot even if it is pinned: existing pins stay valid, new ones must go to the cache.
  void Close() { state_.fetch_or(kClosed, std::memory_order_acq_rel); }
  void Reopen() { state_.fetch_sub(kClosed, std::memory_order_release); }
  std::unique_ptr<View> Take() {
    return std::unique_ptr<View>(view_.exchange(nullptr, std::memory_order_acq_rel));
  }
  void Put(std::unique_ptr<View> view) { view_.store(view.release(), std::memory_order_release); }
  bool filled() const { return view_.load(std::memory_order_relaxed) != nullptr; }
  // Briefly one too low for each reader that finds the slot closed, hence signed.
  int64_t reads() const {
    return static_cast<int64_t>(state_.load(std::memory_order_relaxed)) >> kReadShift;
  }
  int64_t TakeReads() {
    const int64_t taken = reads();
    state_.fetch_sub(static_cast<uint64_t>(taken) << kReadShift, std::memory_order_relaxed);
    return taken;
  }
  bool pinned() const { return (state_.load(std::memory_order_acquire) & kPins) != 0; }
  uint32_t used() const { return used_.load(std::memory_order_relaxed); }

  std::atomic<uint64_t> state_{0};
  std::atomic<View*> view_{nullptr};
  std::atomic<uint32_t> used_{0};
  void* entry_ = nullptr;  // a ClipCache::Entry, guarded by the cache's lock
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_CLIPS_CLIP_SLOT_H_
