#ifndef STAGEDOOR_SCENE_USDA_TEXT_SINK_H_
#define STAGEDOOR_SCENE_USDA_TEXT_SINK_H_

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "scene/usda/text_format.h"
#include "scene/usda/value_text.h"
#include "scene/values/refused_value.h"

namespace stagedoor::usda {

// Collects the text that a writer makes, with indentation, the version that the text needs and the
// reason if a value had to be left out for lack of memory. Not thread-safe.
class TextSink {
 public:
  // A dry sink only determines minor(): numbers and values in it are placeholders.
  explicit TextSink(bool dry = false) : dry_(dry) {}
  bool dry() const { return dry_; }

  template <typename... Parts>
  TextSink& Put(const Parts&... parts) {
    (text_.append(parts), ...);
    return *this;
  }
  TextSink& Indent(int levels) {
    text_.append(static_cast<size_t>(levels) * 4, ' ');
    return *this;
  }
  TextSink& Quoted(std::string_view text) {
    AppendQuoted(text, &text_);
    return *this;
  }
  TextSink& Asset(std::string_view path) {
    AppendAsset(path, &text_);
    return *this;
  }
  TextSink& Number(double number) {
    if (dry_) return Put("0");
    AppendDouble(number, &text_);
    return *this;
  }
  TextSink& PathText(Path path) { return Put("<", path.ToString(), ">"); }
  // Appends a scalar, an array or an array edit; see value_text.h.
  TextSink& ValueText(const Value& value) {
    if (dry_ && HasText(value)) return Put("0");
    AppendValueText(value, &text_);
    return *this;
  }

  // Records that the text needs at least version 1.`minor`.
  void Require(int minor) { minor_ = std::max(minor_, minor); }
  int minor() const { return minor_; }
  // Records why the text will not have `value` if its memory was refused
  // (scene/values/refused_value.h).
  void NoteRefused(const Value& value) {
    if (IsRefused(value)) refused_ = value.invalid_reason();
  }
  const std::string& refused() const { return refused_; }
  // Records why text cannot hold the layer.
  void NoteUnwritable(std::string reason) { unwritable_ = std::move(reason); }
  const std::string& unwritable() const { return unwritable_; }
  std::string& text() { return text_; }

 private:
  const bool dry_;
  std::string text_;
  std::string refused_;
  int minor_ = 0;
  std::string unwritable_;
};

}  // namespace stagedoor::usda

#endif  // STAGEDOOR_SCENE_USDA_TEXT_SINK_H_
