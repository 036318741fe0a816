#include "server/access/method_groups.h"

#include <algorithm>
#include <array>
#include <utility>

namespace stagedoor::server {
namespace {

using Entry = std::pair<std::string_view, RpcGroup>;

// Services whose methods are of one group, and below the methods that are not of their service's.
constexpr std::array kServices = {
    Entry{"stagedoor.v1.StagesService", RpcGroup::kQuery},
    Entry{"stagedoor.v1.SessionsService", RpcGroup::kQuery},
    Entry{"stagedoor.v1.QueryService", RpcGroup::kQuery},
    Entry{"stagedoor.v1.GeomService", RpcGroup::kQuery},
    Entry{"stagedoor.v1.SkelService", RpcGroup::kQuery},
    Entry{"stagedoor.v1.LayersService", RpcGroup::kTools},
    Entry{"stagedoor.v1.CacheService", RpcGroup::kAdmin},
    Entry{"stagedoor.v1.ServerService", RpcGroup::kAdmin},
    Entry{"stagedoor.v1.AdminService", RpcGroup::kAdmin},
};
constexpr std::array kMethods = {
    Entry{"stagedoor.v1.StagesService/ListStages", RpcGroup::kAdmin},
    Entry{"stagedoor.v1.StagesService/SetSessionLayer", RpcGroup::kEdit},
    Entry{"stagedoor.v1.StagesService/LoadPrims", RpcGroup::kEdit},
    Entry{"stagedoor.v1.StagesService/UnloadPrims", RpcGroup::kEdit},
    Entry{"stagedoor.v1.StagesService/ReloadStage", RpcGroup::kEdit},
    Entry{"stagedoor.v1.StagesService/MuteLayers", RpcGroup::kEdit},
    Entry{"stagedoor.v1.SessionsService/EditStage", RpcGroup::kEdit},
    Entry{"stagedoor.v1.CacheService/PrefetchClips", RpcGroup::kQuery},
    Entry{"stagedoor.v1.ServerService/GetCapabilities", RpcGroup::kQuery},
};

// Besides those for administrators.
constexpr std::array kEssential = {
    std::string_view("stagedoor.v1.StagesService/CloseStage"),
    std::string_view("stagedoor.v1.StagesService/RenewLease"),
    std::string_view("stagedoor.v1.ServerService/GetCapabilities"),
};

template <typename Table>
std::optional<RpcGroup> Find(const Table& table, std::string_view name) {
  const auto it = std::find_if(table.begin(), table.end(),
                               [name](const Entry& entry) { return entry.first == name; });
  return it == table.end() ? std::nullopt : std::optional(it->second);
}

}  // namespace

std::optional<RpcGroup> FindMethodGroup(std::string_view method) {
  if (const auto group = Find(kMethods, method)) return group;
  return Find(kServices, method.substr(0, method.rfind('/')));
}

RpcGroup MethodGroup(std::string_view method) {
  return FindMethodGroup(method).value_or(RpcGroup::kAdmin);
}

bool IsEssentialMethod(std::string_view method) {
  return FindMethodGroup(method) == RpcGroup::kAdmin ||
         std::find(kEssential.begin(), kEssential.end(), method) != kEssential.end();
}

}  // namespace stagedoor::server
