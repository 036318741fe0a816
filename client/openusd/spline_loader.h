#ifndef STAGEDOOR_CLIENT_OPENUSD_SPLINE_LOADER_H_
#define STAGEDOOR_CLIENT_OPENUSD_SPLINE_LOADER_H_

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "connections.h"
#include "prim_entry.h"
#include "result.h"
#include "stage_arguments.h"
#include "usd.h"

namespace stagedoor::openusd {

// The name of the field that holds a spline. Older releases of OpenUSD do not know it.
const TfToken& SplineField();

// Fetches the splines of attributes, which no reply about values has: the daemon flattens the prims
// that have some, of up to a run of prims at a time, as text. They are kept. Thread-safe.
class SplineLoader {
 public:
  SplineLoader(std::shared_ptr<const DaemonConnection> connection, const StageArguments& arguments)
      : connection_(std::move(connection)), arguments_(arguments) {}

  // The spline of an attribute, as the field `spline` holds it; empty if it has none. `stage` must
  // not have changed.
  Result<VtValue> Get(const DaemonStage& stage, PrimEntry& prim, const PropertyEntry& property);

 private:
  // Fetches the splines of the prims from `first` on.
  Result<bool> Fetch(const DaemonStage& stage, PrimEntry& first);
  // A flattened layer with these prims, and perhaps others.
  Result<SdfLayerRefPtr> FlattenPrims(const DaemonStage& stage,
                                      const std::vector<PrimEntry*>& prims) const;

  const std::shared_ptr<const DaemonConnection> connection_;
  const StageArguments arguments_;
  std::mutex mu_;  // held while splines are fetched; guards what follows
  std::map<const PropertyEntry*, VtValue> splines_;
};

}  // namespace stagedoor::openusd

#endif  // STAGEDOOR_CLIENT_OPENUSD_SPLINE_LOADER_H_
