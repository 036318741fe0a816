#include "scene/frame/frame_hidden_primvars.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>

#include "base/pacer.h"
#include "scene/geom/geom_tokens.h"
#include "scene/geom/primvar.h"

namespace stagedoor {

void FrameHiddenPrimvars::WriteBetween(const Prim& above, const Prim& row) {
  const Names& constants = ConstantsOf(above);
  if (constants.empty()) return;
  Names own;
  for (const Primvar& primvar : FindPrimvarsWithInheritance(work_.context, row)) {
    own.push_back(primvar.attribute().name());
  }
  std::sort(own.begin(), own.end());
  Pacer pacer(work_.context);
  for (const Token name : constants) {
    if (!pacer.Go()) return;
    if (!std::binary_search(own.begin(), own.end(), name)) Hide(row, above, name);
  }
}

const FrameHiddenPrimvars::Names& FrameHiddenPrimvars::ConstantsOf(const Prim& row) {
  static const Names kNone;
  if (const uint32_t* place = places_.Find(row)) return constants_[*place];
  const std::vector<std::string>& selected = work_.source.selection.primvars;
  Names names;
  Pacer pacer(work_.context);
  for (const Primvar& primvar : FindPrimvarsWithInheritance(work_.context, row)) {
    if (!pacer.Go(static_cast<int64_t>(1 + selected.size() / 8))) return kNone;
    const bool is_selected = selected.empty() || std::find(selected.begin(), selected.end(),
                                                           primvar.name()) != selected.end();
    if (is_selected && primvar.Interpolation(work_.context) == Geom().constant) {
      names.push_back(primvar.attribute().name());
    }
  }
  std::sort(names.begin(), names.end());
  const size_t bytes = kPrimMapBytes + sizeof(Names) + names.size() * sizeof(Token);
  if (!reserved_.Grow(bytes, "primvars of a frame").ok()) return kNone;
  places_.Add(row, static_cast<uint32_t>(constants_.size()));
  constants_.push_back(std::move(names));
  return constants_.back();
}

// Writes what hides a primvar of `above` from a row.
void FrameHiddenPrimvars::Hide(const Prim& row, const Prim& above, Token name) {
  constexpr size_t kBytes = 64;  // of an element of the set
  Pacer pacer(work_.context);
  for (Prim at = row.parent(); at.valid() && !(at == above) && pacer.Go(); at = at.parent()) {
    const Attribute attribute = at.GetAttribute(name);
    if (!attribute.HasAuthoredValue(work_.context)) continue;
    const SpecId spec = work_.specs.Place(at);
    if (written_.contains({spec, name})) return;
    if (!reserved_.Grow(kBytes, "primvars of a frame").ok()) return;
    written_.insert({spec, name});
    // Its value does not matter. Fails only if the request is over.
    attributes_.Write(spec, attribute, FrameAttributeWriter::Times::kFrame).IgnoreError();
    return;
  }
}

}  // namespace stagedoor
