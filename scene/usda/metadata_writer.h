#ifndef STAGEDOOR_SCENE_USDA_METADATA_WRITER_H_
#define STAGEDOOR_SCENE_USDA_METADATA_WRITER_H_

#include <vector>

#include "scene/layer/layer.h"
#include "scene/usda/text_sink.h"
#include "scene/values/dictionary.h"
#include "scene/values/spline.h"

namespace stagedoor::usda {

// Writes the metadata of specs, i.e. the statements in parentheses, and what they share with other
// statements: dictionaries, splines and the versions that values need. Core Specification, 16.2.15
// Common Metadata, 16.2.17.4 Prim Metadata.

// The names of the fields of `spec` that are written as metadata, sorted, without the comment.
std::vector<Token> MetadataNames(const Layer& layer, SpecId spec);

// Writes " (", the comment and the metadata on lines of their own, and ")"; nothing if there is no
// metadata.
void WriteMetadata(const Layer& layer, SpecId spec, int indent, TextSink* out);
// Does the same for the layer itself.
void WriteLayerMetadata(const Layer& layer, TextSink* out);

// Writes a dictionary, one entry per line, with its braces and a line end.
void WriteDictionary(const Dictionary& dictionary, int indent, TextSink* out);
// Writes a dictionary on one line, without a line end.
void WriteInlineDictionary(const Dictionary& dictionary, TextSink* out);

// Writes the lines between the braces of a spline (16.2.13 Splines).
void WriteSpline(const Spline& spline, int indent, TextSink* out);

// Raises the required version of the text to one that has the value's type.
void RequireVersion(const Value& value, TextSink* out);

}  // namespace stagedoor::usda

#endif  // STAGEDOOR_SCENE_USDA_METADATA_WRITER_H_
