#include "scene/usda/prim_reader.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "scene/layer/field_keys.h"
#include "scene/paths/identifier.h"
#include "scene/paths/variant_names.h"

namespace stagedoor::usda {

PrimReader::PrimReader(ParseContext* context, LayerAssembler* layer)
    : context_(context),
      cursor_(context->cursor),
      layer_(layer),
      values_(context),
      metadata_(context, &values_, [this] { return current_->AnchorPath(); }),
      properties_(context, &values_, &metadata_, layer) {}

bool PrimReader::ReadLayer() {
  cursor_.SkipMultiLine();
  fields_.clear();
  if (cursor_.Take('(')) {
    if (!metadata_.Read(SpecType::kPseudoRoot, &fields_, nullptr)) return false;
  }
  layer_->PutFields(kRootSpec, &fields_);
  while (true) {
    cursor_.SkipMultiLine();
    if (cursor_.AtEnd()) return true;
    if (!ReadRootStatement()) return false;
  }
}

bool PrimReader::ReadRootStatement() {
  if (!cursor_.TakeWord("reorder")) {
    if (!ReadPrim(&root_)) return false;
    cursor_.SkipSingleLine();
    return cursor_.AtEnd() || cursor_.TakeLineEnd() || cursor_.Fail("expected a new line");
  }
  if (!cursor_.TakeSeparator()) return false;
  if (!cursor_.TakeWord("rootPrims")) return cursor_.Fail("expected 'rootPrims'");
  return ReadOrder(&root_, Fields().primOrder) && EndStatement(/*semicolon=*/true);
}

bool PrimReader::EndStatement(bool semicolon) {
  cursor_.SkipSingleLine();
  if (cursor_.AtEnd()) return true;
  if (cursor_.Peek() == ';' && !semicolon) return cursor_.Fail("expected a new line");
  return cursor_.TakeStatementEnd() || cursor_.Fail("expected a new line");
}

bool PrimReader::ReadPrim(OpenSpec* parent) {
  const NestingGuard nesting(context_);
  if (!nesting.ok()) return false;
  OpenSpec* prim = layer_->Borrow();
  const OpenSpec* outer = std::exchange(current_, prim);
  const bool ok = ReadPrimHeader(parent, prim) && ReadContents(prim);
  current_ = outer;
  layer_->Return();
  return ok;
}

bool PrimReader::ReadPrimHeader(OpenSpec* parent, OpenSpec* prim) {
  Specifier specifier;
  if (cursor_.TakeWord("def")) {
    specifier = Specifier::kDef;
  } else if (cursor_.TakeWord("over")) {
    specifier = Specifier::kOver;
  } else if (cursor_.TakeWord("class")) {
    specifier = Specifier::kClass;
  } else {
    return cursor_.Fail("expected 'def', 'over' or 'class'");
  }
  if (!cursor_.TakeSeparator()) return false;
  fields_.clear();
  fields_.emplace_back(Fields().specifier, Value(specifier));
  if (!cursor_.AtQuote()) {
    std::string type(cursor_.TakePlainIdentifier());
    const char* behind = cursor_.position();
    for (cursor_.SkipInline(); !type.empty() && cursor_.Take('.'); cursor_.SkipInline()) {
      cursor_.SkipInline();
      const std::string_view part = cursor_.TakePlainIdentifier();
      if (part.empty()) return cursor_.Fail("expected a type name");
      type.append(".").append(part);
      behind = cursor_.position();
    }
    cursor_.MoveTo(behind);
    if (type.empty()) return cursor_.Fail("expected a prim type or a quoted prim name");
    if (!cursor_.TakeSeparator()) return false;
    fields_.emplace_back(Fields().typeName, Value(context_->words.Find(type)));
  }
  const char* at = cursor_.position();
  std::string name;
  if (!cursor_.TakeName(&name)) return false;
  if (!IsIdentifier(name)) return cursor_.FailAt(at, "'" + name + "' is not a valid prim name");
  const Token token = context_->words.Find(name);
  if (parent->prims.Find(token) != kNoSpec) {
    return cursor_.FailAt(at, "prim '" + name + "' is defined more than once");
  }
  const SpecId spec = layer_->Add(parent->spec, SpecType::kPrim, token);
  parent->prims.Add(token, spec);
  prim->Reset(spec, parent, token);
  return ReadOptionalMetadata(SpecType::kPrim, prim) && cursor_.Expect('{', "to open a prim");
}

bool PrimReader::ReadOptionalMetadata(SpecType spec, OpenSpec* prim) {
  cursor_.SkipMultiLine();
  cursor_.set_spec(prim->spec);
  variant_sets_.clear();
  if (cursor_.Take('(')) {
    if (!metadata_.Read(spec, &fields_, &variant_sets_)) return false;
    cursor_.SkipMultiLine();
  }
  layer_->PutFields(prim->spec, &fields_);
  for (const Token name : variant_sets_) {
    if (prim->variant_sets.Find(name) != kNoSpec) continue;
    prim->variant_sets.Add(name, layer_->Add(prim->spec, SpecType::kVariantSet, name));
  }
  return true;
}

bool PrimReader::ReadContents(OpenSpec* prim) {
  cursor_.SkipMultiLine();
  while (!cursor_.Take('}')) {
    if (cursor_.AtEnd()) return cursor_.Fail("expected '}' to close a prim or variant");
    if (!ReadStatement(prim)) return false;
    cursor_.SkipMultiLine();
  }
  return true;
}

bool PrimReader::ReadStatement(OpenSpec* prim) {
  const char c = cursor_.Peek();
  if (c == 'd' || c == 'o' || c == 'c') {
    const std::string_view word = cursor_.PeekIdentifier();
    if (word == "def" || word == "over" || word == "class") {
      return ReadPrim(prim) && EndStatement(/*semicolon=*/false);
    }
  }
  if (c == 'v' && cursor_.TakeWord("variantSet")) {
    return ReadVariantSet(prim) && EndStatement(/*semicolon=*/false);
  }
  std::optional<ListOpType> edit;
  if (c == 'a' || c == 'd' || c == 'p' || c == 'r') edit = TakeListOpType(cursor_);
  if (edit && !cursor_.TakeSeparator()) return false;
  if (edit == ListOpType::kReorder) {
    if (cursor_.TakeWord("nameChildren")) {
      return ReadOrder(prim, Fields().primOrder) && EndStatement(/*semicolon=*/true);
    }
    if (cursor_.TakeWord("properties")) {
      return ReadOrder(prim, Fields().propertyOrder) && EndStatement(/*semicolon=*/true);
    }
  }
  return properties_.Read(prim, edit) && EndStatement(/*semicolon=*/true);
}

bool PrimReader::ReadNames(std::vector<Token>* names) {
  const auto read_name = [&] {
    std::string name;
    if (!cursor_.TakeString(&name)) return false;
    names->push_back(Token(name));
    return true;
  };
  return cursor_.Take('[') ? ParseList(cursor_, ']', /*may_be_empty=*/false, read_name)
                           : read_name();
}

bool PrimReader::ReadOrder(OpenSpec* prim, Token field) {
  std::vector<Token> names;
  if (!cursor_.TakeAssignment() || !ReadNames(&names)) return false;
  layer_->SetField(prim->spec, field, Value(std::move(names)));
  return true;
}

bool PrimReader::ReadVariantSet(OpenSpec* prim) {
  const NestingGuard nesting(context_);
  if (!nesting.ok() || !cursor_.TakeSeparator()) return false;
  const char* at = cursor_.position();
  std::string name;
  if (!cursor_.TakeString(&name)) return false;
  if (!IsVariantName(name)) {
    return cursor_.FailAt(at, "'" + name + "' is not a valid variant set name");
  }
  const Token token = context_->words.Find(name);
  SpecId set = prim->variant_sets.Find(token);
  if (set == kNoSpec) {
    set = layer_->Add(prim->spec, SpecType::kVariantSet, token);
    prim->variant_sets.Add(token, set);
  }
  const auto [stated, first] = prim->stated_sets.try_emplace(token);
  std::vector<Token> names;
  if (!ReadVariants(prim, set, &stated->second, &names)) return false;
  if (!first) layer_->Restate(set, SpecType::kVariant, std::move(names));
  return true;
}

bool PrimReader::ReadVariants(OpenSpec* prim, SpecId set, VariantMap* variants,
                              std::vector<Token>* names) {
  cursor_.SkipInline();
  if (!cursor_.Expect('=', "after the name of a variant set")) return false;
  cursor_.SkipMultiLine();
  if (!cursor_.Expect('{', "to open a variant set")) return false;
  // As in OpenUSD, an empty set must not contain blanks.
  if (cursor_.Take('}')) return true;
  cursor_.SkipMultiLine();
  do {
    if (!ReadVariant(prim, set, variants, names)) return false;
    cursor_.SkipMultiLine();
  } while (!cursor_.Take('}'));
  return true;
}

bool PrimReader::ReadVariant(OpenSpec* prim, SpecId set, VariantMap* variants,
                             std::vector<Token>* names) {
  const char* at = cursor_.position();
  std::string name;
  if (!cursor_.TakeString(&name)) return false;
  if (!IsVariantName(name)) {
    return cursor_.FailAt(at, "'" + name + "' is not a valid variant name");
  }
  const Token token = context_->words.Find(name);
  std::unique_ptr<OpenSpec>& variant = (*variants)[token];
  names->push_back(token);
  fields_.clear();
  const bool again = variant != nullptr;
  if (again) {
    layer_->GetFields(variant->spec, &fields_);
  } else {
    variant = std::make_unique<OpenSpec>();
    variant->Reset(layer_->Add(set, SpecType::kVariant, token), prim, Token());
  }
  if (!ReadOptionalMetadata(SpecType::kVariant, variant.get())) return false;
  if (!cursor_.Expect('{', "to open a variant")) return false;
  const size_t properties = variant->properties.size();
  const size_t prims = variant->prims.size();
  const OpenSpec* outer = std::exchange(current_, variant.get());
  const bool ok = ReadContents(variant.get());
  current_ = outer;
  if (ok && again) {
    RestateNew(*variant, SpecType::kAttribute, variant->properties.NamesFrom(properties));
    RestateNew(*variant, SpecType::kPrim, variant->prims.NamesFrom(prims));
  }
  return ok;
}

// As in OpenUSD, the children that a repeated statement adds replace the list of children; a
// statement that adds none leaves the list unchanged.
void PrimReader::RestateNew(const OpenSpec& variant, SpecType type, std::vector<Token> names) {
  if (!names.empty()) layer_->Restate(variant.spec, type, std::move(names));
}

}  // namespace stagedoor::usda
