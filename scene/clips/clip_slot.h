// ClipSlot: where one clip set keeps its hold on one clip layer while the layer is open.
//
// Readers pin what is in the slot with one atomic addition, without locks or look-ups; the cache
// takes it out only while nobody pins it. Thread-safe.
#ifndef STAGEDOOR_SCENE_CLIPS_CLIP_SLOT_H_
#define STAGEDOOR_SCENE_CLIPS_CLIP_SLOT_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <utility>

namespace stagedoor {

class ClipSlot {
 public:
  // What a set knows of an open clip layer; destroyed when the layer is evicted.
  class View {
   public:
    virtual ~View() = default;

   private:
    friend class ClipCache;
    std::unique_ptr<View> next_;  // of views on their way out
  };

  ClipSlot() = default;
  ClipSlot(const ClipSlot&) = delete;
  ClipSlot& operator=(const ClipSlot&) = delete;
  ~ClipSlot() { delete view_.load(std::memory_order_relaxed); }

  // The view, pinned until Unpin(); null if there is none. `clock` is remembered as its last use.
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
  // For who holds a pin.
  View* pinned_view() const { return view_.load(std::memory_order_acquire); }
  void Unpin() { state_.fetch_sub(kOnePin, std::memory_order_release); }

 private:
  friend class ClipCache;
  // The state: pins in the low bits, whether it is closed to new pins, reads above.
  static constexpr int kReadShift = 21;
  static constexpr uint64_t kOnePin = 1;
  static constexpr uint64_t kClosed = uint64_t{1} << (kReadShift - 1);
  static constexpr uint64_t kOneRead = uint64_t{1} << kReadShift;
  static constexpr uint64_t kPins = kClosed - 1;

  // What follows is for the cache, under its lock.
  bool TryClose() {
    uint64_t state = state_.load(std::memory_order_relaxed);
    if (state & (kPins | kClosed)) return false;
    return state_.compare_exchange_strong(state, state | kClosed, std::memory_order_acq_rel);
  }
  // Closed although it is pinned: those pins stay, new ones have to ask the cache.
  void Close() { state_.fetch_or(kClosed, std::memory_order_acq_rel); }
  void Reopen() { state_.fetch_sub(kClosed, std::memory_order_release); }
  std::unique_ptr<View> Take() {
    return std::unique_ptr<View>(view_.exchange(nullptr, std::memory_order_acq_rel));
  }
  void Put(std::unique_ptr<View> view) { view_.store(view.release(), std::memory_order_release); }
  bool filled() const { return view_.load(std::memory_order_relaxed) != nullptr; }
  // May be one less for a moment for each reader that finds the slot closed, hence signed.
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
  void* entry_ = nullptr;  // the cache's
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_CLIPS_CLIP_SLOT_H_
