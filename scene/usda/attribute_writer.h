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

// Writes the statements of one attribute of a prim or variant (Core Specification, 16.2.16
// Attribute Specs). Large attributes are written in parts: see Continue.
//
// Every statement names the attribute's type. Crates and composed scenes may hold values of another
// type. Those are written as OpenUSD writes them if the result can be read back, otherwise under
// the type of the value. Values that fit no type together with the others are left out, so that the
// text is always readable. Borrows the layer and the sink; not thread-safe.
class AttributeWriter {
 public:
  AttributeWriter(const Layer& layer, TextSink* out) : layer_(layer), out_(*out) {}

  // Writes the attribute at `indent` levels, or begins to if it is large.
  void Write(SpecId attribute, int indent);
  // True while parts of a large attribute remain; Continue writes the next, some kilobytes.
  bool unfinished() const { return step_ != Step::kDone; }
  void Continue();

 private:
  // The content of the statements, kept while it is tried under several types.
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

  // The next part of a large attribute to be written.
  enum class Step { kDefault, kMetadata, kSamples, kRest, kDone };
  static bool IsLarge(const Parts& parts);
  // Whether all values have the type.
  static bool Fit(const Parts& parts, const ValueTypeName* type);
  static bool HasOtherLines(const Parts& parts);

  void SetDeclaration(const Parts& parts, std::string_view type_name);
  // Writes a value, or its first part; `behind` is written after its end.
  void BeginValue(const Value& value, std::string_view behind);
  void ContinueArray();
  void BeginSamples();
  void ContinueSamples();
  void WriteRest(const Parts& parts);

  // Writes all statements under a type; false if a value has a different one.
  bool WriteAs(const Parts& parts, std::string_view type_name);
  // Rewrites the text from `start` on under a type with which it can be read back.
  void WriteReadable(Parts parts, size_t start);
  bool IsReadable(size_t start) const;
  void WriteDefault(const Value& value, const ValueTypeName* type);
  void WriteSamples(const TimeSamples& samples, int indent, const ValueTypeName* type);
  // Writes nothing if the value has no text form.
  void WriteSample(double time, const Value& value, int indent);
  // Records that `value` does not have the type.
  void CheckType(const Value& value, const ValueTypeName* type);

  const Layer& layer_;
  TextSink& out_;
  std::string declaration_;  // of the attribute being written, without `custom`
  bool fits_ = true;         // whether all values of the attribute have its type

  // The large attribute being written; its values have the declared type.
  Step step_ = Step::kDone;
  Parts large_;
  bool line_ = false;   // whether its first line was begun
  size_t sample_ = 0;   // the next sample
  Value array_;         // the array being written, if any
  size_t element_ = 0;  // its next element
  std::string_view behind_;
};

}  // namespace stagedoor::usda

#endif  // STAGEDOOR_SCENE_USDA_ATTRIBUTE_WRITER_H_
