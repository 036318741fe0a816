#ifndef STAGEDOOR_CLIENT_OPENUSD_VALUE_LOADER_H_
#define STAGEDOOR_CLIENT_OPENUSD_VALUE_LOADER_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <vector>

#include "prim_entry.h"
#include "result.h"
#include "stage_arguments.h"
#include "value_cache.h"
#include "value_call.h"
#include "value_request.h"

namespace stagedoor::openusd {

// Fetches the values of attributes and keeps them, within a limit of bytes. A call brings the
// values of the prims that follow as well, at the same time: few at first, and more for an
// application that goes on reading them one after another. Then the next call is made while the
// application reads the values of the last one, until it needs the first value of the next.
// Thread-safe.
class ValueLoader {
 public:
  explicit ValueLoader(const StageArguments& arguments)
      : time_(arguments.time), prefetch_(arguments.prefetch), cache_(arguments.cache_bytes) {}

  // The default value that is kept with the attribute, which never changes; null if there is none.
  const VtValue* FindKept(const PropertyEntry& property) const;
  // The value that is held for the field `default` or, for a number, of a time sample; nothing if
  // it may have to be fetched. Never waits for the daemon.
  std::optional<VtValue> FindHeld(const PropertyEntry& property, std::optional<double> time);
  // The value of the field `default`, empty if the attribute has none: what layers author for the
  // default time or, for a layer at one time, the value at that time.
  Result<VtValue> GetDefault(PrimEntry& prim, const PropertyEntry& property);
  // Whether there is such a field, if that can be said without its value.
  std::optional<bool> HasDefault(const PropertyEntry& property) const;
  // The value of a time sample of the attribute: a value block if there is none.
  Result<VtValue> GetSample(PrimEntry& prim, const PropertyEntry& property, double time);
  // The values of all its time samples. They are not kept.
  Result<SdfTimeSampleMap> GetSamples(PrimEntry& prim, const PropertyEntry& property);

 private:
  // The prims of the last call of a block, how many values it asked for, and their size on average.
  struct ReadAhead {
    uint32_t first = 0, last = 0;
    size_t window = 0;
    size_t bytes = 0;
  };

  Result<VtValue> Get(PrimEntry& prim, const PropertyEntry& property, double time);
  // The authored default of an attribute with time samples, value clips or a spline.
  Result<VtValue> GetBesidesAnimation(PrimEntry& prim, const PropertyEntry& property);
  Result<VtValue> Fetch(PrimEntry& prim, const PropertyEntry& property, double time);
  // Keeps the values of a call and returns the first one, which an attribute of `prim` has.
  Result<VtValue> KeepValues(const PrimEntry& prim, const ValueRequest& request,
                             const Values& values, double time, size_t window);
  // The call that was made ahead for this value and those that follow; null if there is none.
  std::unique_ptr<ValueCall> TakeCall(const DaemonStage& stage, const PropertyEntry& property,
                                      double time);
  // Makes a call for the values that follow those of the last one, `first` being the index of their
  // first prim, unless an earlier one has not ended.
  void ReadOn(const PrimBlock& block, uint32_t first, const PropertyEntry& after, double time);
  void Keep(const PropertyEntry& property, double time, const VtValue& value);
  bool IsHeld(const PropertyEntry& property, double time) const;
  // Adds attributes of `prim` and of those that follow which are wanted as well, until there are
  // `window`: those that are arrays, or those that are not.
  void Collect(const PrimEntry& prim, bool is_array, double time, size_t window,
               ValueRequest* request) const;
  // Whether a prefetch at this time includes the attribute.
  bool IsWanted(const PropertyEntry& property, double time) const;
  size_t FirstWindow(bool is_array) const;
  size_t NextWindow(const PrimEntry& prim, bool is_array);

  const std::optional<double> time_;
  const size_t prefetch_;
  ValueCache cache_;
  std::array<std::mutex, 64> fetching_;  // one for several attributes: held while one is fetched
  std::mutex mu_;                        // guards what follows
  // Arrays, whose sizes differ from those of other values, have the second map.
  std::unordered_map<const PrimBlock*, ReadAhead> read_ahead_[2];
  std::unique_ptr<ValueCall> next_calls_[2];  // null if there is none
};

}  // namespace stagedoor::openusd

#endif  // STAGEDOOR_CLIENT_OPENUSD_VALUE_LOADER_H_
