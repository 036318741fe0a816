#include "scene/usda/value_text.h"

#include <charconv>
#include <cmath>

#include "scene/usda/text_format.h"
#include "scene/values/array.h"
#include "scene/values/array_edit.h"
#include "scene/values/linear.h"
#include "scene/values/reference.h"
#include "scene/values/scalar_types.h"

namespace stagedoor::usda {
namespace {

class Writer {
 public:
  explicit Writer(std::string* out) : out_(out) {}

  // Numbers even for bools, as in OpenUSD; both read back.
  void Add(bool v) { out_->push_back(v ? '1' : '0'); }
  void Add(uint8_t v) { AppendUnsigned(v, out_); }
  void Add(int32_t v) { AppendInteger(v, out_); }
  void Add(uint32_t v) { AppendUnsigned(v, out_); }
  void Add(int64_t v) { AppendInteger(v, out_); }
  void Add(uint64_t v) { AppendUnsigned(v, out_); }
  void Add(Half v) {
    const float f = v;
    if (!std::isfinite(f)) return AppendFloat(f, out_);
    char buffer[32];  // six digits tell all halfs apart
    out_->append(
        buffer,
        std::to_chars(buffer, buffer + sizeof(buffer), f, std::chars_format::general, 6).ptr);
  }
  void Add(float v) { AppendFloat(v, out_); }
  void Add(double v) { AppendDouble(v, out_); }
  void Add(TimeCode v) { AppendDouble(v.value, out_); }
  void Add(Duration v) { AppendDouble(v.value, out_); }
  void Add(const std::string& v) { AppendQuoted(v, out_); }
  void Add(Token v) { AppendQuoted(v.text(), out_); }
  void Add(const AssetPath& v) { AppendAsset(v.authored, out_); }
  void Add(const PathExpression& v) { AppendQuoted(v.text, out_); }
  template <typename T, int N>
  void Add(const Vec<T, N>& v) {
    out_->push_back('(');
    for (int i = 0; i < N; ++i) {
      if (i) out_->append(", ");
      Add(v.v[i]);
    }
    out_->push_back(')');
  }
  template <typename T>
  void Add(const Quat<T>& v) {
    Add(Vec<T, 4>{{v.real, v.imaginary[0], v.imaginary[1], v.imaginary[2]}});
  }
  template <int N>
  void Add(const Matrix<N>& v) {
    out_->append("( ");
    for (int row = 0; row < N; ++row) {
      if (row) out_->append(", ");
      Vec<double, N> line;
      for (int i = 0; i < N; ++i) line[i] = v[row][i];
      Add(line);
    }
    out_->append(" )");
  }
  template <typename T>
  void AddArray(const Array<T>& items) {
    out_->push_back('[');
    bool first = true;
    for (const T& item : items) {
      if (!first) out_->append(", ");
      first = false;
      Add(item);
    }
    out_->push_back(']');
  }

  void AddIndex(int64_t index) {
    out_->push_back('[');
    Add(index);
    out_->push_back(']');
  }
  void AddItem(const ArrayEditStep& step) {
    if (step.source) return AddIndex(*step.source);
    AppendValueText(step.literal, out_);
  }
  void AddStep(const ArrayEditStep& step) {
    using Kind = ArrayEditStep::Kind;
    switch (step.kind) {
      case Kind::kWrite:
      case Kind::kInsert:
        out_->append(step.kind == Kind::kWrite ? "write " : "insert ");
        AddItem(step);
        out_->append(step.kind == Kind::kWrite ? " to " : " at ");
        AddIndex(step.index);
        break;
      case Kind::kPrepend:
      case Kind::kAppend:
        out_->append(step.kind == Kind::kPrepend ? "prepend " : "append ");
        AddItem(step);
        break;
      case Kind::kErase:
        out_->append("erase ");
        AddIndex(step.index);
        break;
      case Kind::kMinSize:
      case Kind::kMaxSize:
      case Kind::kResize:
        out_->append(step.kind == Kind::kMinSize   ? "minsize "
                     : step.kind == Kind::kMaxSize ? "maxsize "
                                                   : "resize ");
        Add(step.size);
        if (step.literal.empty()) break;
        out_->append(" fill ");
        AppendValueText(step.literal, out_);
    }
  }
  void AddEdit(const ArrayEdit& edit) {
    out_->append("edit [");
    bool first = true;
    for (const ArrayEditStep& step : edit.steps) {
      if (!first) out_->append("; ");
      first = false;
      AddStep(step);
    }
    out_->push_back(']');
  }

 private:
  std::string* const out_;
};

}  // namespace

void AppendValueText(const Value& value, std::string* out) {
  Writer writer(out);
  switch (value.type()) {
#define X(name, type, text)                                              \
  case ValueType::name:                                                  \
    return value.is_array() ? writer.AddArray(*value.Get<Array<type>>()) \
                            : writer.Add(*value.Get<type>());
    STAGEDOOR_ARRAY_ELEMENT_TYPES(X)
#undef X
    case ValueType::kPath:
      out->append("<").append(value.Get<Path>()->ToString()).append(">");
      return;
    case ValueType::kValueBlock:
      out->append("None");
      return;
    case ValueType::kAnimationBlock:
      out->append("AnimationBlock");
      return;
    case ValueType::kArrayEdit:
      return writer.AddEdit(*value.Get<ArrayEdit>());
    case ValueType::kUnregistered:
      if (const auto* text = value.Get<UnregisteredValue>()->held.Get<std::string>()) {
        out->append(*text);
      }
      return;
    default:
      return;
  }
}

}  // namespace stagedoor::usda
