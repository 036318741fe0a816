#include "scene/frame/frame_collection_writer.h"

#include <algorithm>
#include <string>
#include <utility>

#include "base/pacer.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "scene/paths/path_expression.h"
#include "scene/stage/stage.h"

namespace stagedoor {

absl::Status FrameCollectionWriter::Write(const Collection& collection) {
  if (!collection.IsAuthored()) return absl::OkStatus();
  Enqueue(collection.path());
  while (!queue_.empty()) {
    const Collection next = queue_.back();
    queue_.pop_back();
    SD_RETURN_IF_ERROR(WriteOne(next));
  }
  return work_.context.Check();
}

void FrameCollectionWriter::Enqueue(Path path) {
  constexpr size_t kBytes = 64;  // of an element of the set
  const Token name = Collection::NameOf(path);
  if (name.empty() || known_.contains(path)) return;
  if (!reserved_.Grow(kBytes, "collections").ok()) return;
  known_.insert(path);
  const Prim prim = work_.source.stage.FindPrim(path.PrimPath());
  if (prim.valid()) queue_.push_back(Collection(prim, name));
}

absl::Status FrameCollectionWriter::WriteOne(const Collection& collection) {
  const Prim& prim = collection.prim();
  const SpecId spec = work_.specs.Place(prim);
  const std::string prefix = Concat("collection:", collection.name().text());
  const Token schema(Concat("CollectionAPI:", collection.name().text()));
  // Lights have those that link them built in.
  const std::vector<Token> authored = AuthoredApiSchemas(work_.context, prim);
  if (std::find(authored.begin(), authored.end(), schema) != authored.end()) {
    work_.specs.AddApiSchema(spec, schema);
  }
  Pacer pacer(work_.context);
  for (const Token name : prim.AuthoredPropertyNames()) {
    SD_RETURN_IF_ERROR(pacer.Step());
    if (!name.text().starts_with(prefix)) continue;
    const std::string_view rest = name.text().substr(prefix.size());
    // One of its properties, not one of a collection whose name begins with this one's.
    if (!rest.starts_with(':') || rest.find(':', 1) != std::string_view::npos) continue;
    const Property property = prim.GetProperty(name);
    if (!property.valid()) continue;
    if (property.is_attribute()) {
      SD_RETURN_IF_ERROR(
          attributes_.Write(spec, Attribute(property), FrameAttributeWriter::Times::kDefault));
    } else {
      WriteTargets(spec, Relationship(property));
    }
  }
  EnqueueReferences(collection);
  return work_.context.Check();
}

void FrameCollectionWriter::WriteTargets(SpecId spec, const Relationship& relationship) {
  std::vector<Path> targets = relationship.Targets(work_.context);
  for (const Path target : targets) Enqueue(target);
  work_.specs.AddRelationship(spec, relationship.name(), std::move(targets));
}

// Enqueues the collections that the membership expression refers to.
void FrameCollectionWriter::EnqueueReferences(const Collection& collection) {
  const std::string text = collection.ExpressionText(work_.context);
  if (text.find('%') == std::string::npos) return;
  const auto expression = PathExpression::Parse(text);
  if (!expression.ok()) return;
  const Path own = collection.prim().path();
  expression->MakeAbsolute(own).ResolveReferences([&](Path path, const std::string& name) {
    const Path prim = path.empty() ? own : path;
    Enqueue(prim.AppendProperty(Token(Concat("collection:", name))));
    return PathExpression();
  });
}

}  // namespace stagedoor
