#include "server/rpc/fair_queue.h"

#include <algorithm>

namespace stagedoor::server {
namespace {

// The cost of a turn for each class: the inverse of its weight.
constexpr std::array<uint64_t, kPriorityClassNames.size()> kTurnCosts = {1, 4, 16};

// How much more of the spare threads a share may use than a flow.
constexpr size_t kFlowsPerShare = 3;

}  // namespace

// The calls of one connection. Exists while it has waiting or running calls.
class FairQueue::Flow : public IntrusiveList<Flow>::Link {
 public:
  Flow(Share& owner, uint64_t name) : share(owner), key(name) {}

  Share& share;
  const uint64_t key;
  IntrusiveList<Entry> calls;  // those that wait, the oldest first
  size_t running = 0;
};

// The flows of one client. Exists while it has any.
struct FairQueue::Share : public IntrusiveList<Share>::Link {
  explicit Share(Class& owner) : of(owner) {}

  Class& of;
  std::string_view name;      // the key in Class::shares
  IntrusiveList<Flow> ready;  // those with waiting calls
  std::map<uint64_t, Flow> flows;
  size_t waiting = 0;
  size_t running = 0;
  uint64_t turns = 0;
};

FairQueue::FairQueue(Options options) : options_(options) {}

FairQueue::~FairQueue() = default;

FairQueue::Flow& FairQueue::FlowOf(const Place& place) {
  Class& of = ClassOf(place.priority);
  auto share = of.shares.find(place.share);
  const bool is_new = share == of.shares.end();
  if (is_new) {
    share = of.shares.try_emplace(std::string(place.share), of).first;
    share->second.name = share->first;
  }
  try {
    return share->second.flows.try_emplace(place.flow, share->second, place.flow).first->second;
  } catch (...) {
    if (is_new) of.shares.erase(share);
    throw;
  }
}

bool FairQueue::Add(Entry& entry, const Place& place, Time now) {
  Flow& flow = FlowOf(place);
  Share& share = flow.share;
  if (!place.continues && share.waiting >= options_.max_waiting_per_share) {
    DropIfUnused(flow);
    return false;
  }
  entry.flow_ = &flow;
  entry.since_ = now;
  entry.turns_ = share.turns;
  entry.continues_ = place.continues;
  flow.calls.push_back(entry);
  if (!flow.linked()) share.ready.push_back(flow);
  if (!share.linked()) share.of.ready.push_back(share);
  ++share.waiting;
  ++share.of.waiting;
  ++waiting_;
  return true;
}

size_t FairQueue::Spare() const {
  const size_t overrunning = running_ - std::min(running_, options_.threads);
  return options_.max_overrunning - std::min(overrunning, options_.max_overrunning);
}

bool FairQueue::MayRun(const Share& share) const {
  return share.running < options_.threads + kFlowsPerShare * Spare();
}

bool FairQueue::MayRun(const Flow& flow) const { return flow.running < options_.threads + Spare(); }

FairQueue::Flow* FairQueue::NextFlow(const Class& of) const {
  for (Share* share = of.ready.front(); share != nullptr; share = of.ready.next(*share)) {
    if (!MayRun(*share)) continue;
    for (Flow* flow = share->ready.front(); flow != nullptr; flow = share->ready.next(*flow)) {
      if (MayRun(*flow)) return flow;
    }
  }
  return nullptr;
}

bool FairQueue::CanTake() const {
  return std::any_of(classes_.begin(), classes_.end(),
                     [this](const Class& of) { return NextFlow(of) != nullptr; });
}

FairQueue::Turn FairQueue::Take() {
  Flow* next = nullptr;
  uint64_t time = 0;
  for (Class& of : classes_) {
    if (of.waiting == 0 || (next != nullptr && of.next_turn >= time)) continue;
    Flow* const flow = NextFlow(of);
    if (flow == nullptr) continue;
    next = flow;
    time = of.next_turn;
  }
  if (next == nullptr) return {};
  return {Serve(*next), next};
}

FairQueue::Entry* FairQueue::Serve(Flow& flow) {
  Share& share = flow.share;
  Class& of = share.of;
  // A class that had no calls, or whose calls were all held back, does not make up for it.
  virtual_time_ = std::max(virtual_time_, of.next_turn);
  of.next_turn = virtual_time_ + kTurnCosts[static_cast<size_t>(&of - classes_.data())];
  Entry* const entry = flow.calls.front();
  Unlink(*entry);
  // To the end of the rounds.
  if (flow.linked()) {
    IntrusiveList<Flow>::Remove(flow);
    share.ready.push_back(flow);
  }
  if (share.linked()) {
    IntrusiveList<Share>::Remove(share);
    of.ready.push_back(share);
  }
  ++share.turns;
  ++share.running;
  ++flow.running;
  ++running_;
  return entry;
}

void FairQueue::Unlink(Entry& entry) {
  Flow& flow = *entry.flow_;
  Share& share = flow.share;
  IntrusiveList<Entry>::Remove(entry);
  entry.flow_ = nullptr;
  if (flow.calls.empty()) IntrusiveList<Flow>::Remove(flow);
  if (share.ready.empty()) IntrusiveList<Share>::Remove(share);
  --share.waiting;
  --share.of.waiting;
  --waiting_;
}

void FairQueue::Finish(Flow& flow) {
  --flow.running;
  --flow.share.running;
  --running_;
  DropIfUnused(flow);
}

bool FairQueue::Remove(Entry& entry) {
  Flow* const flow = entry.flow_;
  if (flow == nullptr) return false;
  Unlink(entry);
  DropIfUnused(*flow);
  return true;
}

void FairQueue::TakeOverdue(Time since, IntrusiveList<Entry>* overdue) {
  for (Class& of : classes_) {
    // Shares and flows may be dropped with their last call.
    for (Share *share = of.ready.front(), *next_share; share != nullptr; share = next_share) {
      next_share = of.ready.next(*share);
      IntrusiveList<Flow>& flows = share->ready;
      for (Flow *flow = flows.front(), *next_flow; flow != nullptr; flow = next_flow) {
        next_flow = flows.next(*flow);
        TakeOverdue(*flow, since, overdue);
      }
    }
  }
}

void FairQueue::TakeOverdue(Flow& flow, Time since, IntrusiveList<Entry>* overdue) {
  const uint64_t turns = flow.share.turns;
  for (Entry *entry = flow.calls.front(), *next; entry != nullptr; entry = next) {
    if (entry->since_ > since) return;
    next = flow.calls.next(*entry);
    if (entry->continues_) continue;
    entry->share_was_served_ = entry->turns_ != turns;
    Remove(*entry);
    overdue->push_back(*entry);
  }
}

void FairQueue::DropIfUnused(Flow& flow) {
  Share& share = flow.share;
  if (flow.running > 0 || !flow.calls.empty()) return;
  share.flows.erase(share.flows.find(flow.key));
  if (share.flows.empty()) share.of.shares.erase(share.of.shares.find(share.name));
}

size_t FairQueue::shares() const {
  size_t count = 0;
  for (const Class& of : classes_) count += of.shares.size();
  return count;
}

}  // namespace stagedoor::server
