#ifndef STAGEDOOR_SERVER_CONVERTERS_MATRIX_BLOCK_H_
#define STAGEDOOR_SERVER_CONVERTERS_MATRIX_BLOCK_H_

#include <cstddef>
#include <span>

#include "scene/values/matrix.h"
#include "stagedoor/v1/geom.pb.h"

namespace stagedoor::server {

// Fills a block with the matrices of paths, each at `times` times, one path after the other. It has
// at most as many bytes of numbers as they have; the caller charges them.
void FillMatrixBlock(std::span<const Matrix4d> matrices, size_t times, v1::MatrixBlock* out);

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_CONVERTERS_MATRIX_BLOCK_H_
