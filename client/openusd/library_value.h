#ifndef STAGEDOOR_CLIENT_OPENUSD_LIBRARY_VALUE_H_
#define STAGEDOOR_CLIENT_OPENUSD_LIBRARY_VALUE_H_

#include "usd.h"

namespace stagedoor::openusd {

// The default of the value type that holds T, as OpenUSD's library has it.
template <typename T>
VtValue DefaultOfLibrary() {
  VtValue own{T()};
  const SdfValueTypeName name = SdfSchema::GetInstance().FindType(own);
  if (!name || !name.GetDefaultValue().IsHolding<T>()) return own;
  return name.GetDefaultValue();
}

// A VtValue of a type of Sdf that OpenUSD's library knows by its own type_info. A VtValue that the
// plug-in makes refers to a type_info of the plug-in, and each comparison of the two, several for
// each value that is read, is one of names.
template <typename T>
VtValue LibraryValue(T value) {
  static const VtValue* const kDefault = new VtValue(DefaultOfLibrary<T>());
  VtValue made = *kDefault;
  made.UncheckedSwap(value);
  return made;
}

}  // namespace stagedoor::openusd

#endif  // STAGEDOOR_CLIENT_OPENUSD_LIBRARY_VALUE_H_
