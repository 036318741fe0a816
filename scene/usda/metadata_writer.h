// Writes the metadata of specs: the statements in parentheses.
#ifndef STAGEDOOR_SCENE_USDA_METADATA_WRITER_H_
#define STAGEDOOR_SCENE_USDA_METADATA_WRITER_H_

#include <vector>

#include "scene/layer/layer.h"
#include "scene/usda/text_sink.h"
#include "scene/values/dictionary.h"
#include "scene/values/spline.h"

namespace stagedoor::usda {

// The names of the fields of `spec` that belong into parentheses, sorted, without the comment.
std::vector<Token> MetadataNames(const Layer& layer, SpecId spec);

// " (", the comment and the metadata on lines of their own, ")"; nothing when there are none.
void WriteMetadata(const Layer& layer, SpecId spec, int indent, TextSink* out);
// The same for the layer itself.
void WriteLayerMetadata(const Layer& layer, TextSink* out);

// Braces and a line end included.
void WriteDictionary(const Dictionary& dictionary, int indent, TextSink* out);
// On one line, without line end.
void WriteInlineDictionary(const Dictionary& dictionary, TextSink* out);

// The lines between the braces of a spline.
void WriteSpline(const Spline& spline, int indent, TextSink* out);

// Notes the version that the value's type needs.
void RequireVersion(const Value& value, TextSink* out);

}  // namespace stagedoor::usda

#endif  // STAGEDOOR_SCENE_USDA_METADATA_WRITER_H_
