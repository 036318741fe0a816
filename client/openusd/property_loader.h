#ifndef STAGEDOOR_CLIENT_OPENUSD_PROPERTY_LOADER_H_
#define STAGEDOOR_CLIENT_OPENUSD_PROPERTY_LOADER_H_

#include <array>
#include <memory>
#include <mutex>
#include <string_view>
#include <vector>

#include "prim_entry.h"
#include "result.h"

namespace stagedoor::openusd {

// Fetches the properties of prims: those of many prims in one call, because applications visit
// prims one after another. Thread-safe.
class PropertyLoader {
 public:
  // `frozen`: the layer is at one time, so that attributes have no time samples.
  explicit PropertyLoader(bool frozen) : frozen_(frozen) {}

  // The properties of a prim, which are fetched unless they have been.
  Result<const PropertyTable*> Load(PrimEntry& prim);

 private:
  // The prims from `first` on whose properties are not there yet.
  std::vector<PrimEntry*> NextPrims(PrimEntry& first) const;
  Result<bool> Fetch(const std::vector<PrimEntry*>& prims) const;
  Result<std::unique_ptr<PropertyTable>> Parse(std::string_view message,
                                               const PrimEntry& prim) const;

  const bool frozen_;
  // Held while properties are fetched, one for several runs of prims: a thread that needs the same
  // prims waits, and finds them fetched.
  std::array<std::mutex, 16> mutexes_;
};

}  // namespace stagedoor::openusd

#endif  // STAGEDOOR_CLIENT_OPENUSD_PROPERTY_LOADER_H_
