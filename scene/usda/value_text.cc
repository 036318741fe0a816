#include "scene/usda/value_text.h"

#include <charconv>
#include <cmath>
#include <span>

#include "scene/usda/text_format.h"
#include "scene/values/array.h"
#include "scene/values/array_edit.h"
#include "scene/values/asset_path.h"
#include "scene/values/matrix.h"
#include "scene/values/path_expression_value.h"
#include "scene/values/quat.h"
#include "scene/values/time_code_value.h"
#include "scene/values/unregistered_value.h"
#include "scene/values/vec.h"

namespace stagedoor::usda {
namespace {

// These write the text of a value that consists of numbers at `out` and return its end.

// A bool is written as a number, as in OpenUSD; numbers and words both read back.
char* Put(bool v, char* out) { return *out = v ? '1' : '0', out + 1; }
char* Put(uint8_t v, char* out) { return PutUnsigned(v, out); }
char* Put(int32_t v, char* out) { return PutInteger(v, out); }
char* Put(uint32_t v, char* out) { return PutUnsigned(v, out); }
char* Put(int64_t v, char* out) { return PutInteger(v, out); }
char* Put(uint64_t v, char* out) { return PutUnsigned(v, out); }
char* Put(Half v, char* out) {
  const float f = v;
  if (!std::isfinite(f)) return PutFloat(f, out);
  // Six digits are enough to distinguish all halfs.
  return std::to_chars(out, out + kMaxNumberText, f, std::chars_format::general, 6).ptr;
}
char* Put(float v, char* out) { return PutFloat(v, out); }
char* Put(double v, char* out) { return PutDouble(v, out); }
char* Put(TimeCodeValue v, char* out) { return PutDouble(v.value, out); }
char* Put(Duration v, char* out) { return PutDouble(v.value, out); }
template <typename T, int N>
char* Put(const Vec<T, N>& v, char* out) {
  *out++ = '(';
  for (int i = 0; i < N; ++i) {
    if (i) {
      *out++ = ',';
      *out++ = ' ';
    }
    out = Put(v.v[i], out);
  }
  *out++ = ')';
  return out;
}
template <typename T>
char* Put(const Quat<T>& v, char* out) {
  return Put(Vec<T, 4>{{v.real, v.imaginary[0], v.imaginary[1], v.imaginary[2]}}, out);
}
template <int N>
char* Put(const Matrix<N>& v, char* out) {
  *out++ = '(';
  for (int row = 0; row < N; ++row) {
    if (row) *out++ = ',';
    *out++ = ' ';
    Vec<double, N> line;
    for (int i = 0; i < N; ++i) line[i] = v[row][i];
    out = Put(line, out);
  }
  *out++ = ' ';
  *out++ = ')';
  return out;
}

// The most characters that any of these takes: sixteen numbers with separators.
constexpr size_t kMaxPut = 16 * (kMaxNumberText + 8);

template <typename T>
concept Numeric = requires(const T& v, char* out) {
  Put(v, out);
};

class Writer {
 public:
  explicit Writer(std::string* out) : out_(out) {}

  template <Numeric T>
  void Add(const T& v) {
    char buffer[kMaxPut];
    out_->append(buffer, Put(v, buffer));
  }
  void Add(const std::string& v) { AppendQuoted(v, out_); }
  void Add(Token v) { AppendQuoted(v.text(), out_); }
  void Add(const AssetPath& v) { AppendAsset(v.authored, out_); }
  void Add(const PathExpressionValue& v) { AppendQuoted(v.text, out_); }
  template <typename T>
  void AddArray(const Array<T>& items) {
    AddElements(items, 0, items.size());
  }
  template <typename T>
  void AddElements(const Array<T>& items, size_t begin, size_t end) {
    out_->append(begin == 0 ? "[" : ", ");
    const std::span<const T> part = items.span().subspan(begin, end - begin);
    if constexpr (Numeric<T>) {
      AddNumbers(part);
    } else {
      bool first = true;
      for (const T& item : part) {
        if (!first) out_->append(", ");
        first = false;
        Add(item);
      }
    }
    if (end == items.size()) out_->push_back(']');
  }
  // Assembles the text in a buffer and appends it in large pieces.
  template <typename T>
  void AddNumbers(std::span<const T> items) {
    char buffer[8 * kMaxPut];
    char* const full = buffer + sizeof(buffer) - kMaxPut - 2;
    char* end = buffer;
    bool first = true;
    for (const T& item : items) {
      if (end > full) {
        out_->append(buffer, end);
        end = buffer;
      }
      if (!first) {
        *end++ = ',';
        *end++ = ' ';
      }
      first = false;
      end = Put(item, end);
    }
    out_->append(buffer, end);
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

void AppendElements(const Value& array, size_t begin, size_t end, std::string* out) {
  switch (array.type()) {
#define X(name, type, text) \
  case ValueType::name:     \
    return Writer(out).AddElements(*array.Get<Array<type>>(), begin, end);
    STAGEDOOR_ARRAY_ELEMENT_TYPES(X)
#undef X
    default:
      return;
  }
}

bool HasText(const Value& value) {
  switch (value.type()) {
#define X(name, type, text) case ValueType::name:
    STAGEDOOR_ARRAY_ELEMENT_TYPES(X)
#undef X
    case ValueType::kValueBlock:
      return true;
    default:
      return false;
  }
}

}  // namespace stagedoor::usda
