#include "scene/usda/metadata_reader.h"

#include <algorithm>
#include <utility>

#include "scene/layer/field_keys.h"
#include "scene/paths/variant_names.h"
#include "scene/values/layer_offset.h"
#include "scene/values/payload.h"
#include "scene/values/reference.h"

namespace stagedoor::usda {
namespace {

// Most fields of one spec: no real layer has more, and fields are looked up one by one.
constexpr size_t kMaxFields = 4096;

// The units of OpenUSD's displayUnit metadata.
constexpr std::string_view kUnits[] = {"mm", "cm", "dm",  "m",   "km", "in",     "ft",
                                       "yd", "mi", "deg", "rad", "%",  "default"};

}  // namespace

MetadataReader::MetadataReader(ParseContext* context, ValueReader* values,
                               std::function<Path()> anchor)
    : context_(context), cursor_(context->cursor), values_(values), anchor_(std::move(anchor)) {}

bool MetadataReader::Read(SpecType spec, FieldList* fields, std::vector<Token>* variant_sets) {
  spec_ = spec == SpecType::kVariant ? SpecType::kPrim : spec;
  fields_ = fields;
  variant_sets_ = variant_sets;
  return ParseStatements(cursor_, ')', [this] {
    return fields_->size() < kMaxFields ? ReadStatement() : cursor_.Fail("too many fields");
  });
}

bool MetadataReader::ReadStatement() {
  if (cursor_.AtQuote()) return ReadComment();
  if (const std::optional<ListOpType> edit = TakeListOpType(cursor_)) {
    return cursor_.TakeSeparator() && ReadListOpEdit(*edit);
  }
  const std::string_view word = cursor_.PeekIdentifier();
  if (word == "doc") return ReadDocumentation();
  bool handled = true;
  bool ok = true;
  switch (spec_) {
    case SpecType::kPrim:
      ok = ReadPrimStatement(word, ListOpType::kExplicit, &handled);
      break;
    case SpecType::kPseudoRoot:
      ok = ReadLayerStatement(word, &handled);
      break;
    default:
      ok = ReadPropertyStatement(word, &handled);
  }
  return handled ? ok : ReadKeyValue(ListOpType::kExplicit);
}

bool MetadataReader::ReadListOpEdit(ListOpType edit) {
  bool handled = false;
  if (spec_ == SpecType::kPrim) {
    const std::string_view word = cursor_.PeekIdentifier();
    if (word == "references" || word == "payload" || word == "inherits" || word == "specializes" ||
        word == "variantSets") {
      return ReadPrimStatement(word, edit, &handled);
    }
  }
  return ReadKeyValue(edit);
}

bool MetadataReader::ReadPrimStatement(std::string_view word, ListOpType edit, bool* handled) {
  const auto is = [&](std::string_view w) { return word == w && cursor_.TakeWord(w); };
  *handled = true;
  if (is("references")) return ReadArcs<Reference>(Fields().references, edit);
  if (is("payload")) return ReadArcs<Payload>(Fields().payload, edit);
  if (is("inherits")) return ReadInherits(Fields().inheritPaths, edit);
  if (is("specializes")) return ReadInherits(Fields().specializes, edit);
  if (is("variantSets")) return ReadVariantSets(edit);
  if (is("variants")) return ReadVariants();
  if (is("kind")) return ReadKind();
  if (is("prefixSubstitutions")) return ReadSubstitutions(Fields().prefixSubstitutions);
  if (is("suffixSubstitutions")) return ReadSubstitutions(Fields().suffixSubstitutions);
  if (word == "relocates") return cursor_.Fail("relocates are allowed on the layer only");
  return ReadPropertyStatement(word, handled);
}

bool MetadataReader::ReadPropertyStatement(std::string_view word, bool* handled) {
  *handled = true;
  if (word == "permission") return ReadPermission();
  if (word == "symmetryFunction") return ReadSymmetryFunction();
  if (word == "displayUnit" && spec_ == SpecType::kAttribute) return ReadDisplayUnit();
  *handled = false;
  return true;
}

bool MetadataReader::ReadLayerStatement(std::string_view word, bool* handled) {
  *handled = true;
  if (word == "subLayers") return ReadSubLayers();
  if (word == "relocates") return ReadRelocates();
  *handled = false;
  return true;
}

bool MetadataReader::ReadComment() {
  std::string text;
  if (!cursor_.TakeString(&text)) return false;
  SetField(fields_, Fields().comment, Value(std::move(text)));
  return true;
}

bool MetadataReader::ReadDocumentation() {
  std::string text;
  cursor_.TakeWord("doc");
  if (!cursor_.TakeAssignment() || !cursor_.TakeString(&text)) return false;
  SetField(fields_, Fields().documentation, Value(std::move(text)));
  return true;
}

bool MetadataReader::ReadPermission() {
  cursor_.TakeWord("permission");
  if (!cursor_.TakeAssignment()) return false;
  const bool is_private = cursor_.TakeWord("private");
  if (!is_private && !cursor_.TakeWord("public"))
    return cursor_.Fail("expected 'public' or 'private'");
  SetField(fields_, Fields().permission,
           Value(is_private ? Permission::kPrivate : Permission::kPublic));
  return true;
}

bool MetadataReader::ReadSymmetryFunction() {
  cursor_.TakeWord("symmetryFunction");
  if (!cursor_.TakeAssignment()) return false;
  SetField(fields_, Fields().symmetryFunction, Value(Token(cursor_.TakePlainIdentifier())));
  return true;
}

bool MetadataReader::ReadDisplayUnit() {
  cursor_.TakeWord("displayUnit");
  if (!cursor_.TakeAssignment()) return false;
  const char* at = cursor_.position();
  const std::string_view unit = cursor_.TakePlainIdentifier();
  if (std::find(std::begin(kUnits), std::end(kUnits), unit) == std::end(kUnits)) {
    return cursor_.FailAt(
        at, "unknown unit; use mm, cm, dm, m, km, in, ft, yd, mi, deg, rad or default");
  }
  SetField(fields_, Fields().displayUnit, Value(Token(unit)));
  return true;
}

bool MetadataReader::ReadKind() {
  std::string text;
  if (!cursor_.TakeAssignment() || !cursor_.TakeString(&text)) return false;
  SetField(fields_, Fields().kind, Value(Token(text)));
  return true;
}

bool MetadataReader::ReadSubstitutions(Token field) {
  Dictionary dictionary;
  if (!cursor_.TakeAssignment() || !values_->ReadStringDictionary(&dictionary)) return false;
  SetField(fields_, field, Value(std::move(dictionary)));
  return true;
}

bool MetadataReader::ReadVariants() {
  Dictionary dictionary;
  if (!cursor_.TakeAssignment()) return false;
  const char* at = cursor_.position();
  if (!values_->ReadDictionary(&dictionary)) return false;
  VariantSelections all;
  if (const Value* old = FindField(fields_, Fields().variantSelection)) {
    all = *old->Get<VariantSelections>();
  }
  for (const auto& [set, value] : dictionary) {
    const std::string* variant = value.Get<std::string>();
    if (!variant) return cursor_.FailAt(at, "variant selections must be strings");
    if (!IsVariantSelection(*variant))
      return cursor_.FailAt(at, "'" + *variant + "' is not a valid variant name");
    const auto it =
        std::lower_bound(all.begin(), all.end(), set,
                         [](const auto& e, const std::string& k) { return e.first < k; });
    if (it != all.end() && it->first == set) {
      it->second = *variant;
    } else {
      all.emplace(it, set, *variant);
    }
  }
  SetField(fields_, Fields().variantSelection, Value(std::move(all)));
  return true;
}

bool MetadataReader::ReadVariantSets(ListOpType edit) {
  if (!cursor_.TakeAssignment()) return false;
  std::vector<std::string> names;
  const auto read_name = [&] {
    const char* at = cursor_.position();
    if (!cursor_.TakeName(&names.emplace_back())) return false;
    return IsVariantName(names.back()) ||
           cursor_.FailAt(at, "'" + names.back() + "' is not a valid variant set name");
  };
  const char* at = cursor_.position();
  const bool ok =
      cursor_.Take('[') ? ParseList(cursor_, ']', /*may_be_empty=*/false, read_name) : read_name();
  if (!ok) return false;
  if ((edit == ListOpType::kExplicit || edit == ListOpType::kAdd) && variant_sets_) {
    for (const std::string& name : names) variant_sets_->push_back(Token(name));
  }
  return SetListItems(fields_, Fields().variantSetNames, edit, std::move(names)) ||
         cursor_.FailAt(at, "duplicate variant set name in the list");
}

bool MetadataReader::ReadInherits(Token field, ListOpType edit) {
  if (!cursor_.TakeAssignment()) return false;
  std::vector<Path> paths;
  const auto read_path = [&] {
    const char* at = cursor_.position();
    Path path;
    if (!values_->ReadPath(&path)) return false;
    const bool relative = !path.empty() && !path.IsAbsolute();
    const Path absolute = relative ? path.MakeAbsolute(anchor_()) : path;
    if (!path.IsPrim() || !absolute.IsPrim() || absolute.ContainsVariantSelection()) {
      return cursor_.FailAt(at, "expected a prim path");
    }
    paths.push_back(absolute);
    return true;
  };
  return ReadPathListEdit(cursor_, fields_, field, edit, &paths, read_path);
}

template <typename Arc>
bool MetadataReader::ReadArcs(Token field, ListOpType edit) {
  if (!cursor_.TakeAssignment()) return false;
  std::vector<Arc> arcs;
  const auto read_arc = [&] { return ReadArc(&arcs.emplace_back()); };
  const char* at = cursor_.position();
  bool ok = true;
  if (!cursor_.TakeWord("None")) {
    ok = cursor_.Take('[') ? ParseList(cursor_, ']', /*may_be_empty=*/true, read_arc) : read_arc();
  }
  if (!ok) return false;
  if (arcs.empty() && edit != ListOpType::kExplicit) {
    return cursor_.FailAt(at, "only an explicit list may be empty");
  }
  return SetListItems(fields_, field, edit, std::move(arcs)) ||
         cursor_.FailAt(at, "duplicate item in the list");
}

template <typename Arc>
bool MetadataReader::ReadArc(Arc* arc) {
  const char* at = cursor_.position();
  const bool external = cursor_.Peek() == '@';
  if (external) {
    if (!cursor_.TakeAsset(&arc->asset)) return false;
    if (arc->asset.empty()) {
      return cursor_.FailAt(at, "empty asset path; omit it to refer to this layer stack");
    }
    cursor_.SkipInline();
    at = cursor_.position();
  }
  if (!external || cursor_.Peek() == '<') {
    if (!values_->ReadPath(&arc->prim_path)) return false;
    const Path path = arc->prim_path;
    if (!path.empty() &&
        (!path.IsAbsolute() || !path.IsPrim() || path.ContainsVariantSelection())) {
      return cursor_.FailAt(at, "expected an absolute prim path");
    }
  }
  const char* behind = cursor_.position();
  cursor_.SkipInline();
  if (!cursor_.Take('(')) {
    cursor_.MoveTo(behind);
    return true;
  }
  return ParseStatements(cursor_, ')', [&] {
    if constexpr (std::is_same_v<Arc, Reference>) {
      return ReadArcParameter(&arc->offset, &arc->custom_data);
    } else {
      return ReadOffsetParameter(&arc->offset);
    }
  });
}

bool MetadataReader::ReadArcParameter(LayerOffset* offset, Dictionary* custom_data) {
  if (!cursor_.TakeWord("customData")) return ReadOffsetParameter(offset);
  return cursor_.TakeAssignment() && values_->ReadDictionary(custom_data);
}

bool MetadataReader::ReadOffsetParameter(LayerOffset* offset) {
  double* target = nullptr;
  if (cursor_.TakeWord("offset")) {
    target = &offset->offset;
  } else if (cursor_.TakeWord("scale")) {
    target = &offset->scale;
  } else {
    return cursor_.Fail("expected 'offset' or 'scale'");
  }
  Number number;
  if (!cursor_.TakeAssignment()) return false;
  if (!cursor_.TakeNumber(&number)) return cursor_.Fail("expected a number");
  *target = number.AsDouble();
  return !cursor_.failed();
}

bool MetadataReader::ReadSubLayers() {
  cursor_.TakeWord("subLayers");
  if (!cursor_.TakeAssignment() || !cursor_.Expect('[', "to open the sublayers")) return false;
  std::vector<std::string> assets;
  std::vector<LayerOffset> offsets;
  const bool ok = ParseList(cursor_, ']', /*may_be_empty=*/true, [&] {
    if (!cursor_.TakeAsset(&assets.emplace_back())) return false;
    offsets.emplace_back();
    const char* behind = cursor_.position();
    cursor_.SkipInline();
    if (!cursor_.Take('(')) {
      cursor_.MoveTo(behind);
      return true;
    }
    return ParseStatements(cursor_, ')', [&] { return ReadOffsetParameter(&offsets.back()); });
  });
  if (!ok) return false;
  if (assets.empty()) return true;
  SetField(fields_, Fields().subLayers, Value(std::move(assets)));
  SetField(fields_, Fields().subLayerOffsets, Value(std::move(offsets)));
  return true;
}

bool MetadataReader::ReadRelocates() {
  cursor_.TakeWord("relocates");
  if (!cursor_.TakeAssignment() || !cursor_.Expect('{', "to open the relocates")) return false;
  Relocates relocates;
  const auto read_path = [&](bool may_be_empty, Path* path) {
    const char* at = cursor_.position();
    if (!values_->ReadPath(path)) return false;
    if (path->empty()) return may_be_empty || cursor_.FailAt(at, "the source must not be empty");
    if (!path->IsPrim() || path->ContainsVariantSelection()) {
      return cursor_.FailAt(at, "expected a prim path");
    }
    // A path that leads above the root becomes the empty path; OpenUSD does not report an error.
    *path = path->MakeAbsolute(Path::AbsoluteRoot());
    if (path->IsAbsoluteRoot()) *path = Path();
    return true;
  };
  const bool ok = ParseList(cursor_, '}', /*may_be_empty=*/true, [&] {
    Path source, target;
    if (!read_path(false, &source)) return false;
    cursor_.SkipInline();
    if (!cursor_.Expect(':', "between source and target")) return false;
    cursor_.SkipInline();
    if (!read_path(true, &target)) return false;
    relocates.emplace_back(source, target);
    return true;
  });
  if (!ok) return false;
  SetField(fields_, Fields().layerRelocates, Value(std::move(relocates)));
  return true;
}

}  // namespace stagedoor::usda
