#include "server/converters/value_parser.h"

#include <cmath>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/status.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "scene/paths/path_expression.h"
#include "scene/values/dictionary.h"
#include "scene/values/layer_offset.h"
#include "scene/values/payload.h"
#include "scene/values/reference.h"
#include "scene/values/spline.h"
#include "scene/values/value_block.h"
#include "server/converters/packed_values.h"
#include "server/converters/spline_parser.h"
#include "server/converters/value_converter.h"
#include "server/error_info.h"

namespace stagedoor::server {
namespace {

using Kind = v1::Value::KindCase;

template <typename... Args>
absl::Status WrongKind(const Args&... args) {
  return WithReason(InvalidArgumentError(args...), v1::ERROR_REASON_WRONG_KIND);
}

template <typename... Args>
absl::Status Malformed(std::string_view value, const Args&... args) {
  return InvalidFieldError("value", value.substr(0, 200), Concat(args...));
}

absl::StatusOr<Value> Parse(RequestContext& context, const v1::Value& value, int depth);

// ------------------------------------------------------------------------------ packed values

bool HasPacking(const v1::PackedValues& packed, const Packing& packing) {
  return packing.bytes != 0 && packed.component_type() == packing.component &&
         packed.shape() == packing.shape && packed.rows() == packing.rows &&
         packed.columns() == packing.columns;
}

// The element type of packed values; kEmpty if there is none.
ValueType TypeOf(const v1::PackedValues& packed) {
#define X(name, type, text) \
  if (HasPacking(packed, PackingOf(ValueType::name))) return ValueType::name;
  STAGEDOOR_ARRAY_ELEMENT_TYPES(X)
#undef X
  return ValueType::kEmpty;
}

absl::Status CheckPacked(const v1::PackedValues& packed, ValueType type) {
  if (type == ValueType::kEmpty) {
    return WrongKind("packed values have no type: ", packed.rows(), " × ", packed.columns(),
                     " components of type ", static_cast<int>(packed.component_type()),
                     " in shape ", static_cast<int>(packed.shape()));
  }
  const bool elsewhere = packed.has_streamed() || packed.has_segment() || packed.has_unchanged();
  if (elsewhere) return Malformed("", "packed values must be in `data`");
  // Divided, because the product could overflow.
  const size_t bytes = PackingOf(type).bytes;
  if (packed.data().size() % bytes == 0 && packed.data().size() / bytes == packed.count()) {
    return absl::OkStatus();
  }
  return Malformed("", "packed values: ", packed.data().size(), " bytes are not ", packed.count(),
                   " elements of ", bytes, " bytes");
}

template <typename T>
void CopyElements(const v1::PackedValues& packed, T* out) {
  if constexpr (std::is_same_v<T, bool>) {
    for (size_t i = 0; i < packed.data().size(); ++i) out[i] = packed.data()[i] != 0;
  } else if (!packed.data().empty()) {
    packed.data().copy(reinterpret_cast<char*>(out), packed.data().size());
  }
}

// Whether elements are packed as bytes; others never get here, but must compile.
template <typename T>
inline constexpr bool kIsPacked =
    !std::is_same_v<T, std::string> && !std::is_same_v<T, Token> && !std::is_same_v<T, AssetPath> &&
    !std::is_same_v<T, PathExpressionValue>;

template <typename T>
Value MakePacked(const v1::PackedValues& packed, bool is_array) {
  if constexpr (!kIsPacked<T>) {
    return Value();
  } else {
    if (!is_array) {
      T element{};
      CopyElements(packed, &element);
      return Value(element);
    }
    T* elements;
    Array<T> array = Array<T>::Uninitialized(packed.count(), &elements);
    CopyElements(packed, elements);
    return Value(std::move(array));
  }
}

absl::StatusOr<Value> ParsePacked(RequestContext& context, const v1::PackedValues& packed,
                                  bool is_array) {
  const ValueType type = TypeOf(packed);
  SD_RETURN_IF_ERROR(CheckPacked(packed, type));
  if (!is_array && packed.count() != 1) return Malformed("", "a tuple must be one element");
  SD_RETURN_IF_ERROR(context.Reserve(packed.data().size(), "the values of an edit"));
  switch (type) {
#define X(name, cpp, text) \
  case ValueType::name:    \
    return MakePacked<cpp>(packed, is_array);
    STAGEDOOR_ARRAY_ELEMENT_TYPES(X)
#undef X
    default:
      return Value();
  }
}

// ------------------------------------------------------------------------------------- texts

bool HasControls(std::string_view text) {
  for (const char c : text) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) return true;
  }
  return false;
}

absl::StatusOr<std::string> ParseAsset(const std::string& text) {
  if (HasControls(text)) return Malformed(text, "an asset path has control characters");
  return text;
}

absl::StatusOr<Path> ParsePath(const std::string& text) {
  absl::StatusOr<Path> path = Path::Parse(text);
  if (path.ok()) return path;
  return WithReason(InvalidArgumentError("the path ", Quoted(text), ": ", Message(path.status())),
                    v1::ERROR_REASON_INVALID_PATH,
                    {{"path", std::string_view(text).substr(0, 200)}});
}

absl::StatusOr<PathExpressionValue> ParseExpression(const std::string& text) {
  const auto expression = PathExpression::Parse(text);
  if (!expression.ok()) return Malformed(text, "a path expression: ", Message(expression.status()));
  return PathExpressionValue{text};
}

absl::StatusOr<AssetPath> ParseAssetPath(const v1::AssetPath& path) {
  SD_ASSIGN_OR_RETURN(std::string authored, ParseAsset(path.authored()));
  return AssetPath{.authored = std::move(authored)};
}

// Converts each item with `convert`, which returns a StatusOr.
template <typename To, typename Items, typename Convert>
absl::StatusOr<std::vector<To>> ParseEach(RequestContext& context, const Items& items,
                                          const Convert& convert) {
  const auto count = static_cast<size_t>(items.size());
  SD_RETURN_IF_ERROR(context.Reserve(count * sizeof(To), "the values of an edit"));
  SD_RETURN_IF_ERROR(context.Spend(count));
  std::vector<To> parsed;
  parsed.reserve(count);
  for (const auto& item : items) {
    SD_ASSIGN_OR_RETURN(To one, convert(item));
    parsed.push_back(std::move(one));
  }
  return parsed;
}

template <typename To, typename Items, typename Convert>
absl::StatusOr<Value> ParseArray(RequestContext& context, const Items& items,
                                 const Convert& convert) {
  SD_ASSIGN_OR_RETURN(std::vector<To> parsed, ParseEach<To>(context, items, convert));
  return Value(Array<To>::FromVector(std::move(parsed)));
}

absl::StatusOr<std::string> CopyText(const std::string& text) { return text; }
absl::StatusOr<Token> MakeToken(const std::string& text) { return Token(text); }

// ---------------------------------------------------------------------------------- composites

absl::StatusOr<Dictionary> ParseDictionary(RequestContext& context,
                                           const v1::Dictionary& dictionary, int depth) {
  const auto parse = [&](const v1::Dictionary::Entry& entry) -> absl::StatusOr<Dictionary::Entry> {
    if (entry.key().empty()) return Malformed("", "a key of a dictionary is empty");
    SD_ASSIGN_OR_RETURN(Value value, Parse(context, entry.value(), depth + 1));
    const bool held = IsArrayElementType(value.type()) || value.type() == ValueType::kDictionary ||
                      value.is_block();
    if (!held) {
      return WrongKind("the entry ", Quoted(entry.key()), " of a dictionary has no value, or one ",
                       "that dictionaries cannot hold");
    }
    return Dictionary::Entry(entry.key(), std::move(value));
  };
  SD_ASSIGN_OR_RETURN(std::vector<Dictionary::Entry> entries,
                      ParseEach<Dictionary::Entry>(context, dictionary.entries(), parse));
  return Dictionary::FromEntries(std::move(entries));
}

absl::StatusOr<LayerOffset> ParseOffset(const v1::LayerOffset& offset) {
  if (!std::isfinite(offset.offset()) || !std::isfinite(offset.scale())) {
    return Malformed("", "a layer offset is not finite");
  }
  return LayerOffset{.offset = offset.offset(), .scale = offset.scale()};
}

// The path of a referenced prim, which may be absent.
absl::StatusOr<Path> ParseReferencedPrim(const std::string& text) {
  if (text.empty()) return Path();
  SD_ASSIGN_OR_RETURN(Path path, ParsePath(text));
  if (path.IsPrim() && path.IsAbsolute() && !path.ContainsVariantSelection()) return path;
  return WithReason(InvalidArgumentError(Quoted(text), " is not an absolute prim path"),
                    v1::ERROR_REASON_INVALID_PATH,
                    {{"path", std::string_view(text).substr(0, 200)}});
}

// Fills what references and payloads have in common.
template <typename Message, typename Arc>
absl::Status ParseArc(const Message& message, Arc* arc) {
  SD_ASSIGN_OR_RETURN(arc->asset, ParseAsset(message.asset_path()));
  SD_ASSIGN_OR_RETURN(arc->prim_path, ParseReferencedPrim(message.prim_path()));
  if (message.has_layer_offset()) {
    SD_ASSIGN_OR_RETURN(arc->offset, ParseOffset(message.layer_offset()));
  }
  return absl::OkStatus();
}

absl::StatusOr<Reference> ParseReference(RequestContext& context, const v1::Reference& message,
                                         int depth) {
  Reference reference;
  SD_RETURN_IF_ERROR(ParseArc(message, &reference));
  SD_ASSIGN_OR_RETURN(reference.custom_data,
                      ParseDictionary(context, message.custom_data(), depth + 1));
  return reference;
}

absl::StatusOr<Payload> ParsePayload(const v1::Payload& message) {
  Payload payload;
  SD_RETURN_IF_ERROR(ParseArc(message, &payload));
  return payload;
}

absl::StatusOr<Value> ParseRelocates(RequestContext& context, const v1::Relocates& relocates) {
  using Relocate = std::pair<Path, Path>;
  const auto parse = [](const v1::Relocates::Relocate& one) -> absl::StatusOr<Relocate> {
    SD_ASSIGN_OR_RETURN(const Path source, ParsePath(one.source()));
    Path target;
    if (!one.target().empty()) {
      SD_ASSIGN_OR_RETURN(target, ParsePath(one.target()));
    }
    return Relocate(source, target);
  };
  SD_ASSIGN_OR_RETURN(Relocates parsed, ParseEach<Relocate>(context, relocates.relocates(), parse));
  return Value(std::move(parsed));
}

absl::StatusOr<Value> ParseOffsets(RequestContext& context, const v1::ValueArray& array) {
  const auto parse = [](const v1::Value& one) -> absl::StatusOr<LayerOffset> {
    if (one.has_layer_offset()) return ParseOffset(one.layer_offset());
    return WrongKind("a list of values must be one of layer offsets");
  };
  SD_ASSIGN_OR_RETURN(std::vector<LayerOffset> offsets,
                      ParseEach<LayerOffset>(context, array.values(), parse));
  return Value(std::move(offsets));
}

// ----------------------------------------------------------------------------------- list edits

// Converts the items of all lists with `convert`.
template <typename T, typename Convert>
absl::StatusOr<ListOp<T>> ParseItems(RequestContext& context, const v1::ListOp& op,
                                     const Convert& convert) {
  ListOp<T> parsed;
  parsed.is_explicit = op.is_explicit();
  SD_ASSIGN_OR_RETURN(parsed.explicit_items, ParseEach<T>(context, op.explicit_items(), convert));
  SD_ASSIGN_OR_RETURN(parsed.prepended, ParseEach<T>(context, op.prepended_items(), convert));
  SD_ASSIGN_OR_RETURN(parsed.appended, ParseEach<T>(context, op.appended_items(), convert));
  SD_ASSIGN_OR_RETURN(parsed.deleted, ParseEach<T>(context, op.deleted_items(), convert));
  SD_ASSIGN_OR_RETURN(parsed.added, ParseEach<T>(context, op.added_items(), convert));
  SD_ASSIGN_OR_RETURN(parsed.ordered, ParseEach<T>(context, op.ordered_items(), convert));
  const bool explicit_only = parsed.size() == parsed.explicit_items.size();
  if (parsed.is_explicit ? explicit_only : parsed.explicit_items.empty()) return parsed;
  return Malformed("", "a list edit is either explicit or has other lists");
}

// The kind of the first item, which the others must have too. KIND_NOT_SET if there are none.
Kind KindOfItems(const v1::ListOp& op) {
  for (const auto* items : {&op.explicit_items(), &op.prepended_items(), &op.appended_items(),
                            &op.deleted_items(), &op.added_items(), &op.ordered_items()}) {
    if (!items->empty()) return items->Get(0).kind_case();
  }
  return Kind::KIND_NOT_SET;
}

// A list edit whose items are all of the kind; `get` reads one.
template <typename T, typename Get>
absl::StatusOr<Value> ParseOpOf(RequestContext& context, const v1::ListOp& op, Kind kind,
                                const Get& get) {
  const auto convert = [&](const v1::Value& item) -> absl::StatusOr<T> {
    if (item.kind_case() != kind) return WrongKind("a list edit has items of different types");
    return get(item);
  };
  SD_ASSIGN_OR_RETURN(ListOp<T> parsed, ParseItems<T>(context, op, convert));
  return Value(std::move(parsed));
}

absl::StatusOr<Value> ParseListOp(RequestContext& context, const v1::ListOp& op, int depth) {
  const Kind kind = KindOfItems(op);
  switch (kind) {
    case Kind::KIND_NOT_SET:
    case Kind::kTokenValue:
      return ParseOpOf<Token>(context, op, kind,
                              [](const v1::Value& v) { return Token(v.token_value()); });
    case Kind::kStringValue:
      return ParseOpOf<std::string>(context, op, kind,
                                    [](const v1::Value& v) { return v.string_value(); });
    case Kind::kPathValue:
      return ParseOpOf<Path>(context, op, kind,
                             [](const v1::Value& v) { return ParsePath(v.path_value()); });
    case Kind::kReference:
      return ParseOpOf<Reference>(context, op, kind, [&](const v1::Value& v) {
        return ParseReference(context, v.reference(), depth);
      });
    case Kind::kPayload:
      return ParseOpOf<Payload>(context, op, kind,
                                [](const v1::Value& v) { return ParsePayload(v.payload()); });
    case Kind::kIntValue:
      return ParseOpOf<int32_t>(context, op, kind,
                                [](const v1::Value& v) { return v.int_value(); });
    case Kind::kUintValue:
      return ParseOpOf<uint32_t>(context, op, kind,
                                 [](const v1::Value& v) { return v.uint_value(); });
    case Kind::kInt64Value:
      return ParseOpOf<int64_t>(context, op, kind,
                                [](const v1::Value& v) { return v.int64_value(); });
    case Kind::kUint64Value:
      return ParseOpOf<uint64_t>(context, op, kind,
                                 [](const v1::Value& v) { return v.uint64_value(); });
    default:
      return WrongKind("list edits have tokens, strings, integers, paths, references or payloads");
  }
}

// -------------------------------------------------------------------------------------- values

template <typename T>
absl::StatusOr<Value> Wrap(absl::StatusOr<T> parsed) {
  if (!parsed.ok()) return parsed.status();
  return Value(*std::move(parsed));
}

// Enumerators on the wire are those of the engine plus one.
template <typename Enum>
absl::StatusOr<Value> ParseEnum(int number) {
  if (number == 0) return Malformed("", "an enumerator is unspecified");
  return Value(static_cast<Enum>(number - 1));
}

// Values that are neither numbers nor single texts.
absl::StatusOr<Value> ParseComposite(RequestContext& context, const v1::Value& value, int depth) {
  switch (value.kind_case()) {
    case Kind::kArrayValue:
      return ParsePacked(context, value.array_value(), true);
    case Kind::kStringArray:
      return ParseArray<std::string>(context, value.string_array().values(), CopyText);
    case Kind::kTokenArray:
      return ParseArray<Token>(context, value.token_array().values(), MakeToken);
    case Kind::kAssetPathArray:
      return ParseArray<AssetPath>(context, value.asset_path_array().values(), ParseAssetPath);
    case Kind::kPathExpressionArray:
      return ParseArray<PathExpressionValue>(context, value.path_expression_array().values(),
                                             ParseExpression);
    case Kind::kPathArray:
      return Wrap(ParseEach<Path>(context, value.path_array().values(), ParsePath));
    case Kind::kValueArray:
      return ParseOffsets(context, value.value_array());
    case Kind::kDictionaryValue:
      return Wrap(ParseDictionary(context, value.dictionary_value(), depth));
    case Kind::kListOp:
      return ParseListOp(context, value.list_op(), depth);
    case Kind::kReference:
      return Wrap(ParseReference(context, value.reference(), depth));
    case Kind::kPayload:
      return Wrap(ParsePayload(value.payload()));
    case Kind::kLayerOffset:
      return Wrap(ParseOffset(value.layer_offset()));
    case Kind::kRelocates:
      return ParseRelocates(context, value.relocates());
    case Kind::kSpline:
      return Wrap(ParseSpline(context, value.spline()));
    case Kind::kSpecifier:
      return ParseEnum<Specifier>(value.specifier());
    case Kind::kVariability:
      return ParseEnum<Variability>(value.variability());
    case Kind::kPermission:
      return ParseEnum<Permission>(value.permission());
    default:
      return WrongKind("values of this kind cannot be authored by edits");
  }
}

absl::StatusOr<Value> Parse(RequestContext& context, const v1::Value& value, int depth) {
  if (depth > kMaxValueDepth) return Malformed("", "a value nests too deeply");
  switch (value.kind_case()) {
    case Kind::KIND_NOT_SET:
      return Value();
    case Kind::kBlock:
      return Value(ValueBlock());
    case Kind::kAnimationBlock:
      return Value(AnimationBlock());
    case Kind::kBoolValue:
      return Value(value.bool_value());
    case Kind::kUcharValue:
      if (value.uchar_value() > 255) return Malformed("", "a uchar is larger than 255");
      return Value(static_cast<uint8_t>(value.uchar_value()));
    case Kind::kIntValue:
      return Value(value.int_value());
    case Kind::kUintValue:
      return Value(value.uint_value());
    case Kind::kInt64Value:
      return Value(static_cast<int64_t>(value.int64_value()));
    case Kind::kUint64Value:
      return Value(static_cast<uint64_t>(value.uint64_value()));
    case Kind::kHalfValue:
      return Value(Half(value.half_value()));
    case Kind::kFloatValue:
      return Value(value.float_value());
    case Kind::kDoubleValue:
      return Value(value.double_value());
    case Kind::kTimeCodeValue:
      return Value(TimeCodeValue{value.time_code_value()});
    case Kind::kDurationValue:
      return Value(Duration{value.duration_value()});
    case Kind::kStringValue:
      return Value(value.string_value());
    case Kind::kTokenValue:
      return Value(Token(value.token_value()));
    case Kind::kAssetPathValue:
      return Wrap(ParseAssetPath(value.asset_path_value()));
    case Kind::kPathValue:
      return Wrap(ParsePath(value.path_value()));
    case Kind::kPathExpressionValue:
      return Wrap(ParseExpression(value.path_expression_value()));
    case Kind::kTupleValue:
      return ParsePacked(context, value.tuple_value(), false);
    default:
      return ParseComposite(context, value, depth);
  }
}

}  // namespace

absl::StatusOr<Value> ParseValue(RequestContext& context, const v1::Value& value) {
  return Parse(context, value, 0);
}

absl::StatusOr<ListOp<Path>> ParsePathListOp(RequestContext& context, const v1::ListOp& op) {
  return ParseItems<Path>(context, op, [](const v1::Value& item) -> absl::StatusOr<Path> {
    if (item.has_path_value()) return ParsePath(item.path_value());
    return WithReason(InvalidArgumentError("an item of a list of targets is not a path"),
                      v1::ERROR_REASON_INVALID_PATH);
  });
}

}  // namespace stagedoor::server
