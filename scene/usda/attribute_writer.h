// AttributeWriter: the statements of one attribute in a prim or variant.
//
// Large ones are written in parts: see Continue.
//
// All of them name its type. Where a value is of another type (a crate, a composed scene) they are
// written as OpenUSD writes them as long as that can be read again; else under the type of the
// value, and values that fit no type together with the others are left out, so that the text is
// always readable. Borrows the layer and the sink; for one thread.
#ifndef STAGEDOOR_SCENE_USDA_ATTRIBUTE_WRITER_H_
#define STAGEDOOR_SCENE_USDA_ATTRIBUTE_WRITER_H_

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "scene/layer/layer.h"
#include "scene/paths/token.h"
#include "scene/usda/text_sink.h"
#include "scene/values/list_op.h"
#include "scene/values/time_samples.h"
#include "scene/values/value.h"
#include "scene/values/value_type_name.h"

namespace stagedoor::usda {

class AttributeWriter {
 public:
  AttributeWriter(const Layer& layer, TextSink* out) : layer_(layer), out_(*out) {}

  // Writes the attribute, or begins to.
  void Write(SpecId attribute, int indent);
  // Whether a part of it is left, and writing that: some kilobytes at a time.
  bool unfinished() const { return step_ != Step::kDone; }
  void Continue();

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
    std::optional<ListOp<Path>> connections;
  };

  // Of a large attribute.
  enum class Step { kDefault, kMetadata, kSamples, kRest, kDone };
  static bool IsLarge(const Parts& parts);
  // Whether all values have the type.
  static bool Fit(const Parts& parts, const ValueTypeName* type);
  static bool HasOtherLines(const Parts& parts);

  void SetDeclaration(const Parts& parts, std::string_view type_name);
  // A value, or its first part; `behind` follows it.
  void BeginValue(const Value& value, std::string_view behind);
  void ContinueArray();
  void BeginSamples();
  void ContinueSamples();
  void WriteRest(const Parts& parts);

  // Writes all statements under a type; false if a value has another one.
  bool WriteAs(const Parts& parts, std::string_view type_name);
  // Finds a type under which what was written from `start` on can be read again.
  void WriteReadable(Parts parts, size_t start);
  bool IsReadable(size_t start) const;
  void WriteDefault(const Value& value, const ValueTypeName* type);
  void WriteSamples(const TimeSamples& samples, int indent, const ValueTypeName* type);
  // Nothing where the value has no text form.
  void WriteSample(double time, const Value& value, int indent);
  // Notes a value that is missing for want of memory.
  void NoteInvalid(const Value& value);
  // Notes when `value` has another type.
  void CheckType(const Value& value, const ValueTypeName* type);

  const Layer& layer_;
  TextSink& out_;
  std::string declaration_;  // of the attribute being written, without custom
  bool fits_ = true;         // all values of the attribute at hand have its type

  // The large attribute at hand, which has its declared type.
  Step step_ = Step::kDone;
  Parts large_;
  bool line_ = false;   // its first line was begun
  size_t sample_ = 0;   // the next one
  Value array_;         // on its way, if it is an array
  size_t element_ = 0;  // the next one
  std::string_view behind_;
};

}  // namespace stagedoor::usda

#endif  // STAGEDOOR_SCENE_USDA_ATTRIBUTE_WRITER_H_
