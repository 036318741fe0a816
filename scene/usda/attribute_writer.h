// AttributeWriter: the statements of one attribute in a prim or variant.
//
// All of them name its type. Where a value is of another type (a crate, a composed scene) they are
// written as OpenUSD writes them as long as that can be read again; else under the type of the
// value, and values that fit no type together with the others are left out, so that the text is
// always readable. Borrows the layer and the sink; for one thread.
#ifndef STAGEDOOR_SCENE_USDA_ATTRIBUTE_WRITER_H_
#define STAGEDOOR_SCENE_USDA_ATTRIBUTE_WRITER_H_

#include <string>
#include <string_view>
#include <vector>

#include "scene/layer/layer.h"
#include "scene/paths/token.h"
#include "scene/usda/text_sink.h"
#include "scene/values/list_op.h"
#include "scene/values/time_samples.h"
#include "scene/values/type_name.h"
#include "scene/values/value.h"

namespace stagedoor::usda {

class AttributeWriter {
 public:
  AttributeWriter(const Layer& layer, TextSink* out) : layer_(layer), out_(*out) {}

  void Write(SpecId attribute, int indent);

 private:
  // What the statements are made of; kept while they are tried under several types.
  struct Parts {
    SpecId spec = kNoSpec;
    int indent = 0;
    bool uniform = false;
    bool custom = false;
    bool metadata = false;
    Value value;
    Value samples;
    Value spline;
    const ListOp<Path>* connections = nullptr;
  };

  // Writes all statements under a type; false if a value has another one.
  bool WriteAs(const Parts& parts, std::string_view type_name);
  // Finds a type under which what was written from `start` on can be read again.
  void WriteReadable(Parts parts, size_t start);
  bool IsReadable(size_t start) const;
  void WriteDefault(const Value& value, const TypeName* type);
  void WriteSamples(const TimeSamples& samples, int indent, const TypeName* type);
  // Values that cannot be decoded are left out; not so those that there was no memory for.
  void NoteInvalid(const Value& value);
  // Notes when `value` has another type.
  void CheckType(const Value& value, const TypeName* type);

  const Layer& layer_;
  TextSink& out_;
  std::string declaration_;  // of the attribute being written, without custom
  bool fits_ = true;         // all values of the attribute at hand have its type
};

}  // namespace stagedoor::usda

#endif  // STAGEDOOR_SCENE_USDA_ATTRIBUTE_WRITER_H_
