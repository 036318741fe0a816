#ifndef STAGEDOOR_CLIENT_OPENUSD_METADATA_DECODER_H_
#define STAGEDOOR_CLIENT_OPENUSD_METADATA_DECODER_H_

#include <string_view>
#include <utility>
#include <vector>

#include "usd.h"

namespace stagedoor::openusd {

// Fields of a spec. A spec has few, so a linear search is fast enough.
using Fields = std::vector<std::pair<TfToken, VtValue>>;

// The value of a field; null if it is not there.
const VtValue* FindField(const Fields& fields, const TfToken& name);
// Adds a field unless it is there already.
void AddField(const TfToken& name, VtValue value, Fields* fields);
void RemoveField(const TfToken& name, Fields* fields);

// The value of a serialized stagedoor.v1.Value, for a piece of metadata `name`: of the type that
// the Sdf schema declares for it, if it does. Empty if there is none, or if it is malformed.
VtValue DecodeMetadata(const TfToken& name, std::string_view value);
// Adds a serialized stagedoor.v1.Field.
void AddMetadata(std::string_view field, Fields* fields);

// The asset path of a serialized stagedoor.v1.AssetPath as a flattened layer has it: the resolved
// path, or the authored one if the asset is missing.
SdfAssetPath FlattenedAssetPath(std::string_view authored, std::string_view evaluated,
                                std::string_view resolved);

// The times of serialized stagedoor.v1.PackedValues, in ascending order.
std::vector<double> DecodeTimes(std::string_view packed);

}  // namespace stagedoor::openusd

#endif  // STAGEDOOR_CLIENT_OPENUSD_METADATA_DECODER_H_
