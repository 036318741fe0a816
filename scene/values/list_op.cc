#include "scene/values/list_op.h"

#include <cstdint>
#include <string>

#include "scene/values/list_op_inl.h"

namespace stagedoor {

template class ListOp<Token>;
template class ListOp<std::string>;
template class ListOp<Path>;
template class ListOp<Reference>;
template class ListOp<Payload>;
template class ListOp<int32_t>;
template class ListOp<uint32_t>;
template class ListOp<int64_t>;
template class ListOp<uint64_t>;
template class ListOp<UnregisteredValue>;

}  // namespace stagedoor
