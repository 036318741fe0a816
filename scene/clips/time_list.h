#ifndef STAGEDOOR_SCENE_CLIPS_TIME_LIST_H_
#define STAGEDOOR_SCENE_CLIPS_TIME_LIST_H_

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "base/request_context.h"
#include "base/reservation.h"

namespace stagedoor {

// Collects sample times, possibly with duplicates. Internal to scene/clips.
//
// A curve that goes back and forth lists the samples of a file once for each of its segments, so
// the memory and work are charged to the request. For one thread.
class TimeList {
 public:
  explicit TimeList(RequestContext& context) : context_(context), reserved_(context) {}

  void Add(double time) {
    if (times_.size() == room_ && !Grow()) return;
    times_.push_back(time);
  }
  // Whether the list is incomplete, because of the memory limit or the end of the request.
  bool over() const { return over_; }
  std::vector<double> Take() { return std::move(times_); }

 private:
  bool Grow() {
    const size_t more = std::max<size_t>(1024, room_);
    over_ = over_ || !context_.Spend(more / 64).ok() ||
            !reserved_.Grow(more * sizeof(double), "sample times").ok();
    if (over_) return false;
    room_ += more;
    times_.reserve(room_);
    return true;
  }

  RequestContext& context_;
  Reservation reserved_;
  std::vector<double> times_;
  size_t room_ = 0;
  bool over_ = false;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_CLIPS_TIME_LIST_H_
