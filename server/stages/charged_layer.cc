#include "server/stages/charged_layer.h"

#include <utility>

namespace stagedoor::server {
namespace {

struct ChargedLayer {
  ChargedLayer(MemoryAccount* account, std::shared_ptr<const Layer> held, size_t bytes)
      : layer(std::move(held)), memory(account) {
    memory.Grow(bytes);
  }
  const std::shared_ptr<const Layer> layer;
  MemoryCharge memory;
};

}  // namespace

std::shared_ptr<const Layer> ChargeLayer(MemoryAccount* account, std::shared_ptr<const Layer> layer,
                                         size_t bytes) {
  const auto charged = std::make_shared<const ChargedLayer>(account, std::move(layer), bytes);
  return {charged, charged->layer.get()};
}

}  // namespace stagedoor::server
