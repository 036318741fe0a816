#ifndef STAGEDOOR_SCENE_SKEL_VECTOR_ARRAY_H_
#define STAGEDOOR_SCENE_SKEL_VECTOR_ARRAY_H_

#include <cstddef>
#include <new>

#include "scene/values/array.h"
#include "scene/values/vec.h"

namespace stagedoor {

// Arrays of vectors that are about to be overwritten as a whole.

// A new array whose elements are to be written through `*elements` before it is shared. Unlike
// Array::Uninitialized it does not clear them first, which is noticeable on large meshes.
inline Array<Vec3f> NewVectorArray(size_t size, Vec3f** elements) {
  struct Block final : RefCounted {
    explicit Block(size_t bytes) : memory(::operator new(bytes)) {}
    ~Block() override { ::operator delete(memory); }
    void* const memory;
  };
  auto block = MakeRef<Block>(size * sizeof(Vec3f) + 1);
  *elements = static_cast<Vec3f*>(block->memory);
  return Array<Vec3f>::View(*elements, size, std::move(block));
}

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_SKEL_VECTOR_ARRAY_H_
