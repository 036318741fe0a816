#include "server/converters/value_converter.h"

#include <memory>
#include <string>

#include "base/status.h"
#include "base/strings.h"
#include "scene/usda/value_text.h"
#include "scene/values/array_edit.h"
#include "scene/values/asset_path.h"
#include "scene/values/dictionary.h"
#include "scene/values/layer_offset.h"
#include "scene/values/list_op.h"
#include "scene/values/matrix.h"
#include "scene/values/path_expression_value.h"
#include "scene/values/payload.h"
#include "scene/values/quat.h"
#include "scene/values/reference.h"
#include "scene/values/source_bytes.h"
#include "scene/values/spline.h"
#include "scene/values/time_code_value.h"
#include "scene/values/time_samples.h"
#include "scene/values/unregistered_value.h"
#include "scene/values/value_block.h"
#include "scene/values/vec.h"
#include "server/converters/packed_values.h"
#include "server/converters/reply_budget.h"
#include "server/converters/set_oneof.h"
#include "server/converters/spline_converter.h"
#include "stagedoor/v1/values.pb.h"

namespace stagedoor::server {
namespace {

// ----------------------------------------------------------------------------- single values

void Fill(const Value& value, int depth, ReplyBudget& budget, v1::Value* out);

void FillDictionary(const Dictionary& dictionary, int depth, ReplyBudget& budget,
                    v1::Dictionary* out) {
  for (const auto& [key, value] : dictionary) {
    if (!budget.ok()) return;
    v1::Dictionary::Entry* entry = budget.Add(out->mutable_entries());
    entry->set_key(budget.Text(key));
    budget.Charge(sizeof(v1::Value));
    Fill(value, depth + 1, budget, entry->mutable_value());
  }
}

void FillAssetPath(const AssetPath& path, ReplyBudget& budget, v1::AssetPath* out) {
  budget.Charge(sizeof(v1::AssetPath));
  out->set_authored(budget.Text(path.authored));
  if (!path.evaluated.empty()) out->set_evaluated(budget.Text(path.evaluated));
  if (!path.resolved.empty()) out->set_resolved(budget.Text(path.resolved));
}

void FillReference(const Reference& reference, int depth, ReplyBudget& budget, v1::Reference* out) {
  budget.Charge(sizeof(v1::Reference));
  out->set_asset_path(budget.Text(reference.asset));
  out->set_prim_path(budget.Text(reference.prim_path.ToString()));
  if (!reference.offset.IsIdentity()) {
    FillLayerOffset(reference.offset, out->mutable_layer_offset());
  }
  if (!reference.custom_data.empty()) {
    FillDictionary(reference.custom_data, depth, budget, out->mutable_custom_data());
  }
}

void FillPayload(const Payload& payload, ReplyBudget& budget, v1::Payload* out) {
  budget.Charge(sizeof(v1::Payload));
  out->set_asset_path(budget.Text(payload.asset));
  out->set_prim_path(budget.Text(payload.prim_path.ToString()));
  if (!payload.offset.IsIdentity()) {
    FillLayerOffset(payload.offset, out->mutable_layer_offset());
  }
}

std::string_view TextOf(const std::string& text) { return text; }
std::string_view TextOf(Token token) { return token.text(); }
std::string_view TextOf(const PathExpressionValue& expression) { return expression.text; }
std::string TextOf(Path path) { return path.ToString(); }

template <typename Items>
void FillTexts(const Items& items, ReplyBudget& budget, v1::StringArray* out) {
  for (const auto& item : items) {
    if (!budget.ok()) return;
    budget.AddText(TextOf(item), out->mutable_values());
  }
}

// Sets a v1::Value, with one overload for each type that a field may hold.
class Filler {
 public:
  Filler(int depth, ReplyBudget& budget, v1::Value* out)
      : depth_(depth), budget_(budget), out_(out) {}

  void operator()(bool v) { out_->set_bool_value(v); }
  void operator()(uint8_t v) { out_->set_uchar_value(v); }
  void operator()(int32_t v) { out_->set_int_value(v); }
  void operator()(uint32_t v) { out_->set_uint_value(v); }
  void operator()(int64_t v) { out_->set_int64_value(v); }
  void operator()(uint64_t v) { out_->set_uint64_value(v); }
  void operator()(Half v) { out_->set_half_value(v); }
  void operator()(float v) { out_->set_float_value(v); }
  void operator()(double v) { out_->set_double_value(v); }
  void operator()(Duration v) { out_->set_duration_value(v.value); }
  void operator()(TimeCodeValue v) { out_->set_time_code_value(v.value); }
  void operator()(const std::string& v) { out_->set_string_value(budget_.Text(v)); }
  void operator()(Token v) { out_->set_token_value(budget_.Text(v.text())); }
  void operator()(const AssetPath& v) {
    FillAssetPath(v, budget_, SetOneof(out_, &v1::Value::set_allocated_asset_path_value));
  }
  void operator()(const PathExpressionValue& v) {
    out_->set_path_expression_value(budget_.Text(v.text));
  }
  template <typename T, int N>
  void operator()(const Vec<T, N>& v) {
    FillTuple(v);
  }
  template <typename T>
  void operator()(const Quat<T>& v) {
    FillTuple(v);
  }
  template <int N>
  void operator()(const Matrix<N>& v) {
    FillTuple(v);
  }

  void operator()(Path v) { out_->set_path_value(budget_.Text(v.ToString())); }
  void operator()(const Dictionary& v) {
    FillDictionary(v, depth_, budget_, SetOneof(out_, &v1::Value::set_allocated_dictionary_value));
  }
  void operator()(const Reference& v) {
    FillReference(v, depth_, budget_, SetOneof(out_, &v1::Value::set_allocated_reference));
  }
  void operator()(const Payload& v) {
    FillPayload(v, budget_, SetOneof(out_, &v1::Value::set_allocated_payload));
  }
  void operator()(const LayerOffset& v) {
    FillLayerOffset(v, SetOneof(out_, &v1::Value::set_allocated_layer_offset));
  }
  void operator()(Specifier v) {
    out_->set_specifier(static_cast<v1::Specifier>(static_cast<int>(v) + 1));
  }
  void operator()(Permission v) {
    out_->set_permission(static_cast<v1::Permission>(static_cast<int>(v) + 1));
  }
  void operator()(Variability v) {
    out_->set_variability(static_cast<v1::Variability>(static_cast<int>(v) + 1));
  }
  void operator()(ValueBlock) { SetOneof(out_, &v1::Value::set_allocated_block); }
  void operator()(AnimationBlock) { SetOneof(out_, &v1::Value::set_allocated_animation_block); }
  void operator()(const UnregisteredValue& v) {
    budget_.Charge(sizeof(v1::Value));
    Fill(v.held, depth_ + 1, budget_, SetOneof(out_, &v1::Value::set_allocated_unregistered_value));
  }
  template <typename T>
  void operator()(const ListOp<T>& v) {
    v1::ListOp* op = SetOneof(out_, &v1::Value::set_allocated_list_op);
    op->set_is_explicit(v.is_explicit);
    FillItems(v.explicit_items, op->mutable_explicit_items());
    FillItems(v.prepended, op->mutable_prepended_items());
    FillItems(v.appended, op->mutable_appended_items());
    FillItems(v.deleted, op->mutable_deleted_items());
    FillItems(v.added, op->mutable_added_items());
    FillItems(v.ordered, op->mutable_ordered_items());
  }
  void operator()(const VariantSelections& v) {
    v1::Dictionary* dictionary = SetOneof(out_, &v1::Value::set_allocated_dictionary_value);
    for (const auto& [set, variant] : v) {
      if (!budget_.ok()) return;
      v1::Dictionary::Entry* entry = budget_.Add(dictionary->mutable_entries());
      entry->set_key(budget_.Text(set));
      budget_.Charge(sizeof(v1::Value));
      entry->mutable_value()->set_string_value(budget_.Text(variant));
    }
  }
  void operator()(const Relocates& v) {
    v1::Relocates* relocates = SetOneof(out_, &v1::Value::set_allocated_relocates);
    for (const auto& [source, target] : v) {
      if (!budget_.ok()) return;
      v1::Relocates::Relocate* relocate = budget_.Add(relocates->mutable_relocates());
      relocate->set_source(budget_.Text(source.ToString()));
      relocate->set_target(budget_.Text(target.ToString()));
    }
  }
  void operator()(const std::vector<LayerOffset>& v) {
    FillItems(v, SetOneof(out_, &v1::Value::set_allocated_value_array)->mutable_values());
  }
  void operator()(const std::vector<Token>& v) {
    FillTexts(v, budget_, SetOneof(out_, &v1::Value::set_allocated_token_array));
  }
  void operator()(const std::vector<std::string>& v) {
    FillTexts(v, budget_, SetOneof(out_, &v1::Value::set_allocated_string_array));
  }
  void operator()(const std::vector<Path>& v) {
    FillTexts(v, budget_, SetOneof(out_, &v1::Value::set_allocated_path_array));
  }
  void operator()(const std::vector<double>& v) {
    FillPackedDoubles(v, budget_, SetOneof(out_, &v1::Value::set_allocated_array_value));
  }
  void operator()(const Spline& v) {
    FillSpline(v, FillValue, budget_, SetOneof(out_, &v1::Value::set_allocated_spline));
  }
  void operator()(const ArrayEdit& v) {
    constexpr std::string_view kWord = "edit ";
    std::string text;
    usda::AppendValueText(Value(v), &text);
    if (text.compare(0, kWord.size(), kWord) == 0) text.erase(0, kWord.size());
    out_->set_array_edit(budget_.Text(text));
  }

 private:
  template <typename Items>
  void FillItems(const Items& items, google::protobuf::RepeatedPtrField<v1::Value>* out) {
    for (const auto& item : items) {
      if (!budget_.ok()) return;
      Filler(depth_ + 1, budget_, budget_.Add(out))(item);
    }
  }

  const int depth_;
  template <typename T>
  void FillTuple(const T& v) {
    FillPackedCopy(PackingOf(ValueTypeOf<T>::kType), &v, 1, budget_,
                   SetOneof(out_, &v1::Value::set_allocated_tuple_value));
  }

  ReplyBudget& budget_;
  v1::Value* const out_;
};

// ------------------------------------------------------------------------------------ arrays

void FillArray(const Value& value, ReplyBudget& budget, v1::Value* out) {
  if (PackingOf(value.type()).bytes != 0) {
    const size_t arrays = budget.array_count();
    FillPackedArray(value.type(), *value.array(), budget,
                    SetOneof(out, &v1::Value::set_allocated_array_value));
    if (const absl::Status status = CheckUnchanged(value); !status.ok()) {
      budget.ShrinkArrays(arrays);
      out->set_invalid_value(budget.Text(Message(status)));
    }
  } else if (const auto* strings = value.Get<Array<std::string>>()) {
    FillTexts(*strings, budget, SetOneof(out, &v1::Value::set_allocated_string_array));
  } else if (const auto* tokens = value.Get<Array<Token>>()) {
    FillTexts(*tokens, budget, SetOneof(out, &v1::Value::set_allocated_token_array));
  } else if (const auto* expressions = value.Get<Array<PathExpressionValue>>()) {
    FillTexts(*expressions, budget, SetOneof(out, &v1::Value::set_allocated_path_expression_array));
  } else if (const auto* assets = value.Get<Array<AssetPath>>()) {
    v1::AssetPathArray* array = SetOneof(out, &v1::Value::set_allocated_asset_path_array);
    for (const AssetPath& asset : *assets) {
      if (!budget.ok()) return;
      FillAssetPath(asset, budget, budget.Add(array->mutable_values()));
    }
  }
}

void FillSamples(const TimeSamples& samples, int depth, ReplyBudget& budget, v1::TimeSamples* out) {
  if (!budget.Charge(sizeof(v1::TimeSamples))) return;
  FillPackedDoubles(samples.times(), budget, out->mutable_times());
  for (size_t i = 0; i < samples.size() && budget.ok(); ++i) {
    Fill(samples.At(i), depth + 1, budget, budget.Add(out->mutable_values()));
  }
}

void Fill(const Value& value, int depth, ReplyBudget& budget, v1::Value* out) {
  if (depth > kMaxValueDepth) {
    out->set_invalid_value("nested too deeply");
    return;
  }
  if (value.is_array()) return FillArray(value, budget, out);
  if (const TimeSamples* samples = value.samples()) {
    return FillSamples(*samples, depth, budget,
                       SetOneof(out, &v1::Value::set_allocated_time_samples));
  }
  switch (value.type()) {
#define X(name, cpp, text) \
  case ValueType::name:    \
    return Filler(depth, budget, out)(*value.Get<cpp>());
    STAGEDOOR_ARRAY_ELEMENT_TYPES(X)
#undef X
#define X(name, ...)    \
  case ValueType::name: \
    return Filler(depth, budget, out)(*value.Get<__VA_ARGS__>());
    STAGEDOOR_COMPOSITE_TYPES(X)
#undef X
    case ValueType::kInvalid:
      return out->set_invalid_value(budget.Text(value.invalid_reason()));
    case ValueType::kEmpty:
    case ValueType::kTimeSamples:
      return;
  }
}

}  // namespace

void FillValue(const Value& value, ReplyBudget& budget, v1::Value* out) {
  Fill(value, 0, budget, out);
}

Value FirstElements(const Value& value, size_t most, uint64_t* count) {
  *count = 0;
  if (const ArrayEdit* edit = value.Get<ArrayEdit>()) {
    if (edit->steps.size() <= most) return value;
    *count = edit->steps.size();
    ArrayEdit first{.element = edit->element};
    first.steps.assign(edit->steps.begin(), edit->steps.begin() + static_cast<ptrdiff_t>(most));
    return Value(std::move(first));
  }
  if (!value.is_array() || value.array()->size() <= most) return value;
  *count = value.array()->size();
  switch (value.type()) {
#define X(name, cpp, text)                                             \
  case ValueType::name: {                                              \
    const Array<cpp>& array = *value.Get<Array<cpp>>();                \
    return Value(Array<cpp>::View(array.data(), most, array.owner())); \
  }
    STAGEDOOR_ARRAY_ELEMENT_TYPES(X)
#undef X
    default:
      return Value();
  }
}

v1::ItemState FilledState(const v1::Value& value) {
  return value.array_value().unchanged() ? v1::ITEM_STATE_UNCHANGED : v1::ITEM_STATE_VALUE;
}

bool IsPackedArray(const Value& value) {
  return value.is_array() && PackingOf(value.type()).bytes != 0;
}

bool IsTuple(const Value& value) {
  const Packing packing = PackingOf(value.type());
  return !value.is_array() && packing.rows * packing.columns > 1;
}

void AppendTuple(const Value& value, ReplyBudget& budget, v1::PackedValues* out) {
  if (!IsTuple(value)) return;
  const Packing packing = PackingOf(value.type());
  const auto append = [&](const void* data) {
    if (!budget.Charge(packing.bytes)) return;
    const uint64_t count = out->count();
    if (count == 0) FillPackedHeader(packing, 0, out);
    out->set_count(count + 1);
    out->mutable_data()->append(static_cast<const char*>(data), packing.bytes);
  };
  switch (value.type()) {
#define X(name, cpp, text) \
  case ValueType::name:    \
    return append(value.Get<cpp>());
    STAGEDOOR_ARRAY_ELEMENT_TYPES(X)
#undef X
    default:
      return;
  }
}

void FillLayerOffset(const LayerOffset& offset, v1::LayerOffset* out) {
  out->set_offset(offset.offset);
  out->set_scale(offset.scale);
}

}  // namespace stagedoor::server
