#ifndef STAGEDOOR_SERVER_CONVERTERS_PRIM_WIRE_H_
#define STAGEDOOR_SERVER_CONVERTERS_PRIM_WIRE_H_

#include "scene/stage/prim.h"
#include "server/rpc/wire_writer.h"

namespace stagedoor {

// Prims in wire form. Traversals report them by the hundred thousand; filling messages and the two
// passes of serializing them would take several times as long as the traversal.

// Writes the fields of PRIM_DETAIL_SUMMARY of the v1::Prim that `out` is.
void WritePrimSummary(const Prim& prim, WireWriter* out);

// Writes a v1::Prim with the path of `prim`, and its summary if asked, as field `field`.
void WritePrim(int field, const Prim& prim, bool summary, WireWriter* out);

}  // namespace stagedoor

#endif  // STAGEDOOR_SERVER_CONVERTERS_PRIM_WIRE_H_
