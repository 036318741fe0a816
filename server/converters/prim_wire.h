#ifndef STAGEDOOR_SERVER_CONVERTERS_PRIM_WIRE_H_
#define STAGEDOOR_SERVER_CONVERTERS_PRIM_WIRE_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "scene/stage/prim.h"

namespace stagedoor {

// Prims in wire form. Traversals make them by the hundred thousand; filling messages and the two
// passes of serializing them would take several times as long as the traversal.

// Appends the fields of PRIM_DETAIL_SUMMARY of a v1::Prim.
void AppendPrimSummary(const Prim& prim, std::string* wire);

// Appends a v1::Prim with the path of `prim`, and its summary if asked, as an element of field
// `field` of the message that `wire` is.
void AppendPrim(int field, const Prim& prim, bool summary, std::string* wire);

// Appends a field of bytes, text or a serialized message.
void AppendWireBytes(int field, std::string_view bytes, std::string* wire);

// Appends the beginning of such a field, of `size` bytes that are to follow.
void AppendWireHead(int field, size_t size, std::string* wire);

// Appends a varint field; 0 is left out.
void AppendWireNumber(int field, uint64_t number, std::string* wire);

}  // namespace stagedoor

#endif  // STAGEDOOR_SERVER_CONVERTERS_PRIM_WIRE_H_
