#include "server/stages/charged_layer.h"

#include <utility>

#include "base/reservation.h"

namespace stagedoor::server {
namespace {

struct ChargedLayer {
  ChargedLayer(MemoryPool* pool, std::shared_ptr<const Layer> held, size_t bytes)
      : layer(std::move(held)), memory(pool) {
    memory.Add(bytes);
  }
  const std::shared_ptr<const Layer> layer;
  Reservation memory;
};

}  // namespace

std::shared_ptr<const Layer> ChargeLayer(MemoryPool* pool, std::shared_ptr<const Layer> layer,
                                         size_t bytes) {
  const auto charged = std::make_shared<const ChargedLayer>(pool, std::move(layer), bytes);
  return {charged, charged->layer.get()};
}

}  // namespace stagedoor::server
