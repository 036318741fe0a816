#ifndef STAGEDOOR_CLIENT_OPENUSD_VALUE_DECODER_H_
#define STAGEDOOR_CLIENT_OPENUSD_VALUE_DECODER_H_

#include <cstddef>

#include "prim_entry.h"
#include "result.h"
#include "usd.h"

namespace stagedoor::openusd {

// Item `path`, `time` of values as a value of an attribute, whose type is known: empty if there is
// none, a value block if one is blocked. SD_UNIMPLEMENTED for a kind of value that the C interface
// does not describe (SD_OTHER).
Result<VtValue> DecodeValue(const sd_values* values, size_t path, size_t time,
                            const PropertyEntry& attribute);

}  // namespace stagedoor::openusd

#endif  // STAGEDOOR_CLIENT_OPENUSD_VALUE_DECODER_H_
