#include "scene/shade/binding_table.h"

#include <utility>

#include "base/heap_costs.h"
#include "scene/shade/binding_names.h"

namespace stagedoor {
namespace {

constexpr size_t kMaxMemberBytes = size_t{64} << 20;

// A query, with the nodes of its rules. Those of an expression are not counted one by one: its text
// is part of a layer, and much longer.
size_t ByteSize(const CollectionMembershipQuery& members) {
  return sizeof(members) + kNodeBytes * (members.rules().rules().size() + 4);
}

}  // namespace

BindingTable& BindingTable::Of(const Stage& stage) {
  return stage.derived().Get<BindingTable>(stage.prim_count(), &stage.memory());
}

BindingTable::BindingTable(size_t prims, Reservation* memory, size_t max_bytes)
    : entries_(prims),
      names_(prims),
      members_({.max_bytes = kMaxMemberBytes, .shards = 4}),
      memory_(*memory),
      members_memory_(memory->pool()),
      max_bytes_(max_bytes) {
  memory_.Add(entries_.byte_size() + names_.byte_size());
}

bool BindingTable::HasRoomFor(RequestContext& context, size_t bytes) const {
  // A request that is over may have read its bindings incompletely.
  return context.Check().ok() && !memory_.over() &&
         bytes_.load(std::memory_order_relaxed) + bytes <= max_bytes_;
}

void BindingTable::Charge(size_t bytes) {
  bytes_.fetch_add(bytes, std::memory_order_relaxed);
  memory_.Add(bytes);
}

const BindingTable::Entry* BindingTable::Add(RequestContext& context, const Prim& prim,
                                             std::unique_ptr<const Entry>& entry) {
  const size_t own = entry->own ? entry->own->byte_size() + kHeapBlockBytes : 0;
  const size_t bytes = sizeof(Entry) + kHeapBlockBytes + own;
  if (prim.IsInstanceProxy() || !HasRoomFor(context, bytes)) return nullptr;
  const Entry* kept = entries_.Put(prim.data(), entry);
  if (entry == nullptr) Charge(bytes);  // the table has taken it
  return kept;
}

const std::vector<Token>& BindingTable::NamesOf(RequestContext& context, const Prim& prim,
                                                std::vector<Token>* own) {
  // Other prims are asked once, for their entries.
  const bool is_asked_again = prim.IsInstanceProxy();
  const std::vector<Token>* known = is_asked_again ? names_.Find(prim.data()) : nullptr;
  if (known != nullptr) return *known;
  own->clear();
  for (const Token name : prim.AuthoredPropertyNames()) {
    if (name.text().starts_with(kDirectBinding)) own->push_back(name);
  }
  const size_t bytes = sizeof(*own) + own->size() * sizeof(Token) + 2 * kHeapBlockBytes;
  if (!is_asked_again || !HasRoomFor(context, bytes)) return *own;
  auto names = std::make_unique<const std::vector<Token>>(*own);
  const std::vector<Token>* kept = names_.Put(prim.data(), names);
  if (names == nullptr) Charge(bytes);
  return kept != nullptr ? *kept : *own;
}

std::shared_ptr<const CollectionMembershipQuery> BindingTable::MembersOf(RequestContext& context,
                                                                         const Stage& stage,
                                                                         Path collection) {
  using Loaded = decltype(members_)::Loaded;
  const auto members = members_.GetOrLoad(context, collection, [&]() -> absl::StatusOr<Loaded> {
    const Prim owner = stage.FindPrim(collection.PrimPath());
    auto query = std::make_shared<const CollectionMembershipQuery>(
        Collection(owner, Collection::NameOf(collection)).ComputeMembershipQuery(context));
    const size_t bytes = ByteSize(*query);
    return Loaded{std::move(query), bytes};
  });
  // Requests that hold queries keep them; they are just not shared with later requests.
  if (members_memory_.over()) members_.Clear();
  members_memory_.Set(members_.bytes());
  return members.ok() ? *members : nullptr;
}

}  // namespace stagedoor
