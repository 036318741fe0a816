#ifndef STAGEDOOR_SERVER_CONVERTERS_PRIM_WIRE_H_
#define STAGEDOOR_SERVER_CONVERTERS_PRIM_WIRE_H_

#include "scene/stage/prim.h"
#include "server/converters/prim_mask.h"
#include "server/rpc/wire_writer.h"

namespace stagedoor::server {

// Writes prims in wire form. A traversal may send hundreds of thousands; to fill messages and
// serialize them, which takes two passes, would take several times as long as the traversal.

// Writes those fields of kPrimSummary that are in `mask`, except for the path, to `out`, which
// holds a v1::Prim.
void WritePrimSummary(const Prim& prim, const PrimMask& mask, WireWriter* out);

// Writes a v1::Prim with the path of `prim` and those fields of kPrimSummary that are in `mask`, as
// the field with the number `field`.
void WritePrim(int field, const Prim& prim, const PrimMask& mask, WireWriter* out);

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_CONVERTERS_PRIM_WIRE_H_
