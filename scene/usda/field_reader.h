#ifndef STAGEDOOR_SCENE_USDA_FIELD_READER_H_
#define STAGEDOOR_SCENE_USDA_FIELD_READER_H_

#include <optional>

#include "scene/layer/layer.h"
#include "scene/usda/text_sink.h"

namespace stagedoor::usda {

// A field of a spec that is to be written. Notes in `out` if its memory was refused, since the text
// will not have it.
inline Value ReadField(const Layer& layer, SpecId spec, Token name, TextSink* out) {
  Value value = layer.Get(spec, name);
  out->NoteRefused(value);
  return value;
}

// As Layer::GetAs, but notes a value whose memory was refused.
template <typename T>
std::optional<T> ReadFieldAs(const Layer& layer, SpecId spec, Token name, TextSink* out) {
  const Value value = ReadField(layer, spec, name, out);
  const T* held = value.Get<T>();
  return held ? std::optional<T>(*held) : std::nullopt;
}

}  // namespace stagedoor::usda

#endif  // STAGEDOOR_SCENE_USDA_FIELD_READER_H_
