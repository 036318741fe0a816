#include "scene/shade/binding_table.h"

#include <algorithm>
#include <iterator>
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
    : prims_(prims),
      memory_(*memory),
      closest_(prims),
      members_({.max_bytes = kMaxMemberBytes, .shards = 4}),
      members_memory_(memory->pool()),
      budget_(*memory, max_bytes) {
  memory->Add(closest_.byte_size());
}

BindingTable::NameMemo& BindingTable::Names() {
  std::call_once(names_made_, [this] {
    names_ = std::make_unique<NameMemo>(prims_);
    memory_.Add(names_->byte_size());
  });
  return *names_;
}

const PrimBindings& BindingTable::None() {
  static const PrimBindings kNone;
  return kNone;
}

bool BindingTable::AddInherited(RequestContext& context, const Prim& prim,
                                const PrimBindings& closest) {
  // The slot is charged already. A request that is over may have missed bindings of the prim.
  return !prim.IsInstanceProxy() && !context.failed() &&
         closest_.Put(prim.data(), closest) != nullptr;
}

const PrimBindings* BindingTable::Add(RequestContext& context, const Prim& prim,
                                      std::unique_ptr<const PrimBindings>& own) {
  const size_t bytes = own->byte_size() + 2 * kHeapBlockBytes + sizeof(own);
  if (prim.IsInstanceProxy() || !budget_.Take(context, bytes)) return nullptr;
  MutexLock lock(mu_);
  owned_.emplace_back();  // which may fail, so before others can see the entry
  const PrimBindings* kept = closest_.Put(prim.data(), *own);
  if (kept == own.get()) {
    owned_.back() = std::move(own);
  } else {
    owned_.pop_back();
    budget_.Return(bytes);
  }
  return kept;
}

const std::vector<Token>& BindingTable::NamesOf(RequestContext& context, const Prim& prim,
                                                std::vector<Token>* own) {
  // Other prims are asked once, for their entries.
  const bool is_asked_again = prim.IsInstanceProxy();
  const std::vector<Token>* known = is_asked_again ? Names().Find(prim.data()) : nullptr;
  if (known != nullptr) return *known;
  own->clear();
  const auto is_binding = [](Token name) { return name.text().starts_with(kDirectBinding); };
  std::ranges::copy_if(prim.index().index->property_names(), std::back_inserter(*own), is_binding);
  // Most prims have none or one, and need no list in property order.
  if (own->size() > 1) {
    own->clear();
    std::ranges::copy_if(prim.AuthoredPropertyNames(), std::back_inserter(*own), is_binding);
  }
  const size_t bytes = sizeof(*own) + own->size() * sizeof(Token) + 2 * kHeapBlockBytes;
  if (!is_asked_again || !budget_.Take(context, bytes)) return *own;
  auto names = std::make_unique<const std::vector<Token>>(*own);
  const std::vector<Token>* kept = Names().Put(prim.data(), names);
  if (names != nullptr) budget_.Return(bytes);  // the table has not taken it
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
