#include "server/frames/sent_values.h"

#include <string_view>

#include "base/heap_costs.h"
#include "base/status_macros.h"

namespace stagedoor::server {
namespace {

// Once so many values are known, all are forgotten: those of old geometry cannot be referred to.
constexpr size_t kMostKnown = size_t{1} << 16;

}  // namespace

absl::StatusOr<std::optional<SentValues::Key>> SentValues::KeyOf(RequestContext& context,
                                                                 const FramePart& value) const {
  KeyedHasher first(keys_[0]);
  KeyedHasher second(keys_[1]);
  SD_ASSIGN_OR_RETURN(const bool has_identity,
                      value.VisitIdentity(context, [&](std::string_view bytes) {
                        first.Add(bytes);
                        second.Add(bytes);
                      }));
  if (!has_identity) return std::nullopt;
  return Key{first.Finish(), second.Finish()};
}

FrameId SentValues::Find(const Key& key) const {
  const auto found = sent_.find(key);
  const bool is_near =
      found != sent_.end() && number_ - found->second.number <= kMostGeometryBetween;
  return is_near ? found->second.geometry : 0;
}

absl::Status SentValues::Add(const Key& key) {
  if (sent_.size() >= kMostKnown) {
    sent_.clear();
    reserved_.Release();
  }
  SD_RETURN_IF_ERROR(reserved_.Grow(kNodeBytes + sizeof(Key) + sizeof(Sent), "values of a frame"));
  sent_[key] = {geometry_, number_};
  return absl::OkStatus();
}

}  // namespace stagedoor::server
