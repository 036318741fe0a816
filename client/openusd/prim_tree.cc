#include "prim_tree.h"

#include <cstdio>
#include <string_view>
#include <utility>
#include <vector>

#include "message_fields.h"
#include "wire.h"

namespace stagedoor::openusd {

// The fields of a serialized stagedoor.v1.Prim that a prim spec needs.
struct ParsedPrim {
  uint64_t specifier = wire::SPECIFIER_OVER;
  TfToken type_name, kind;
  bool inactive = false, unloaded = false;
  bool instance = false, instanceable = false, has_payload = false;
  uint64_t prototype = 0;
  TfTokenVector api_schemas, children;
  std::vector<VariantSetEntry> variant_sets;
  SdfVariantSelectionMap selections;
  Fields metadata;
};

struct PrimTree::Fetched {
  std::unique_ptr<PrimBlock> block;
  std::vector<std::unique_ptr<PrimBlock>> outlines;
  std::string skip;        // prims below this path are left out
  std::string in_outline;  // prims below this path are of the last outline
};

namespace {

WireWriter TraverseRequest(const PrimBlock& block, uint32_t max_depth) {
  using T = wire::TraverseRequest;
  WireWriter predicate, mask, request;
  predicate.Number(wire::PrimPredicate::kPreset, wire::PrimPredicate::PRESET_ALL);
  if (block.instance_proxies) predicate.Number(wire::PrimPredicate::kInstanceProxies, 1);
  for (const char* path :
       {"specifier", "type_name", "inactive", "unloaded", "instance", "instanceable", "has_payload",
        "prototype", "kind", "api_schemas", "children", "variant_sets", "metadata"}) {
    mask.Bytes(1, path);  // google.protobuf.FieldMask.paths
  }
  if (!block.scene_root.empty()) request.Bytes(T::kRoots, block.scene_root);
  request.Message(T::kPredicate, predicate);
  request.Message(T::kReadMask, mask);
  if (max_depth != 0) request.Number(T::kMaxDepth, max_depth);
  return request;
}

void AddVariantSet(std::string_view message, ParsedPrim* prim) {
  VariantSetEntry set;
  std::string selection;
  for (WireReader field(message); field.Next();) {
    if (field.field() == wire::VariantSet::kName) set.name = TfToken(field.Text());
    if (field.field() == wire::VariantSet::kSelection) selection = field.Text();
    if (field.field() == wire::VariantSet::kChoices) set.variants.emplace_back(field.Text());
  }
  if (!selection.empty()) prim->selections[set.name.GetString()] = selection;
  prim->variant_sets.push_back(std::move(set));
}

void ParseFlag(const WireReader& field, ParsedPrim* prim) {
  using P = wire::Prim;
  if (field.field() == P::kInactive) prim->inactive = field.Bool();
  if (field.field() == P::kUnloaded) prim->unloaded = field.Bool();
  if (field.field() == P::kInstance) prim->instance = field.Bool();
  if (field.field() == P::kInstanceable) prim->instanceable = field.Bool();
  if (field.field() == P::kHasPayload) prim->has_payload = field.Bool();
}

ParsedPrim Parse(std::string_view message) {
  using P = wire::Prim;
  ParsedPrim prim;
  for (WireReader field(message); field.Next();) {
    ParseFlag(field, &prim);
    if (field.field() == P::kSpecifier) prim.specifier = field.Number();
    if (field.field() == P::kPrototype) prim.prototype = field.Number();
    if (field.field() == P::kTypeName) prim.type_name = TfToken(field.Text());
    if (field.field() == P::kKind) prim.kind = TfToken(field.Text());
    if (field.field() == P::kApiSchemas) prim.api_schemas.emplace_back(field.Text());
    if (field.field() == P::kChildren) prim.children.emplace_back(field.Text());
    if (field.field() == P::kVariantSets) AddVariantSet(field.Bytes(), &prim);
    if (field.field() == P::kMetadata) AddMetadata(field.Bytes(), &prim.metadata);
  }
  return prim;
}

// Metadata that would change what a layer of a composed stage means.
bool IsConsumed(const TfToken& name) {
  return name == TfToken("clips") || name == TfToken("clipSets");
}

void AddVariantFields(const SdfVariantSelectionMap& selections,
                      const std::vector<VariantSetEntry>& sets, Fields* fields) {
  if (sets.empty()) return;
  std::vector<std::string> names;
  for (const VariantSetEntry& set : sets) names.push_back(set.name.GetString());
  SdfStringListOp op;
  op.SetPrependedItems(names);
  AddField(SdfFieldKeys->VariantSetNames, VtValue::Take(op), fields);
  AddField(SdfFieldKeys->VariantSelection, VtValue(selections), fields);
}

SdfSpecifier SpecifierOf(const ParsedPrim& prim) {
  return static_cast<SdfSpecifier>(prim.specifier - wire::SPECIFIER_DEF);
}

Fields FieldsOf(const ParsedPrim& prim, const std::vector<VariantSetEntry>& sets) {
  Fields fields;
  AddField(SdfFieldKeys->Specifier, VtValue(SpecifierOf(prim)), &fields);
  if (!prim.type_name.IsEmpty()) AddField(SdfFieldKeys->TypeName, VtValue(prim.type_name), &fields);
  if (!prim.kind.IsEmpty()) AddField(SdfFieldKeys->Kind, VtValue(prim.kind), &fields);
  if (prim.inactive) AddField(SdfFieldKeys->Active, VtValue(false), &fields);
  if (prim.instanceable) AddField(SdfFieldKeys->Instanceable, VtValue(true), &fields);
  if (!prim.api_schemas.empty()) {
    SdfTokenListOp op;
    op.SetPrependedItems(prim.api_schemas);
    AddField(TfToken("apiSchemas"), VtValue::Take(op), &fields);
  }
  AddVariantFields(prim.selections, sets, &fields);
  for (const auto& [name, value] : prim.metadata) {
    if (!IsConsumed(name)) AddField(name, value, &fields);
  }
  return fields;
}

// A name that no other path has.
std::string MadeName(std::string name, const std::string& scene_path) {
  for (const char c : scene_path) {
    name += c == '/' ? "_1" : c == '_' ? "__" : std::string(1, c);
  }
  return name;
}

SdfPath RootPath(const std::string& name) {
  return SdfPath::AbsoluteRootPath().AppendChild(TfToken(name));
}

SdfPath PrototypePath(uint64_t prototype, bool behind_payload) {
  const char* const prefix =
      behind_payload ? "Flattened_Loaded_Prototype_" : "Flattened_Prototype_";
  char text[64];
  std::snprintf(text, sizeof(text), "%s%llx", prefix, static_cast<unsigned long long>(prototype));
  return RootPath(text);
}

VtValue PayloadOp(const SdfPath& path) {
  SdfPayloadListOp op;
  op.SetPrependedItems({SdfPayload("", path)});
  return VtValue::Take(op);
}

VtValue ReferenceOp(const SdfPath& path) {
  SdfReferenceListOp op;
  op.SetPrependedItems({SdfReference("", path)});
  return VtValue::Take(op);
}

VtValue PathOp(const SdfPath& path) {
  SdfPathListOp op;
  op.SetPrependedItems({path});
  return VtValue::Take(op);
}

}  // namespace

Result<bool> PrimTree::Load() {
  auto block = std::make_unique<PrimBlock>();
  block->stage = stage_;
  if (Result<bool> fetched = FetchInto(std::move(block)); !fetched.ok()) return fetched;
  if (boundaries_ != StageArguments::Boundaries::kNone) return true;
  // Without boundaries the layer has all prims of the stage; an export of it has the prototypes.
  for (const auto& [path, pending] : pending_) root_names_.push_back(path.GetNameToken());
  return true;
}

PrimEntry* PrimTree::FindFetched(const SdfPath& path, bool* must_fetch) const {
  *must_fetch = false;
  const auto in_main = main_entries_.find(path);
  if (in_main != main_entries_.end()) return in_main->second;
  const std::shared_lock<std::shared_mutex> lock(mu_);
  const auto found = entries_.find(path);
  if (found != entries_.end()) return found->second;
  Pending* const pending = FindPending(path);
  *must_fetch = pending != nullptr && !pending->fetched;
  return nullptr;
}

PrimTree::Pending* PrimTree::FindPending(const SdfPath& path) const {
  if (pending_.empty() || path.IsAbsoluteRootPath()) return nullptr;
  SdfPath top = path;
  while (top.GetPathElementCount() > 1) top = top.GetParentPath();
  const auto found = pending_.find(top);
  return found == pending_.end() ? nullptr : found->second.get();
}

Result<PrimEntry*> PrimTree::Find(const SdfPath& path) {
  bool must_fetch = false;
  PrimEntry* entry = FindFetched(path, &must_fetch);
  if (!must_fetch) return entry;
  Pending* pending = nullptr;
  {
    const std::shared_lock<std::shared_mutex> lock(mu_);
    pending = FindPending(path);
  }
  if (const Result<bool> fetched = Fetch(pending); !fetched.ok()) return fetched.failure();
  return FindFetched(path, &must_fetch);
}

Result<bool> PrimTree::Fetch(Pending* pending) {
  const std::lock_guard<std::mutex> lock(pending->mu);
  if (pending->fetched) return true;
  auto block = std::make_unique<PrimBlock>();
  block->stage = stage_;
  if (pending->behind_payload) {
    const Result<const DaemonStage*> loaded = loaded_();
    if (!loaded.ok()) return loaded.failure();
    block->stage = *loaded;
  }
  block->scene_root = pending->scene_root;
  block->layer_root = pending->layer_root;
  block->instance_proxies = pending->instance_proxies;
  block->has_bare_root = pending->has_bare_root;
  Result<bool> fetched = FetchInto(std::move(block));
  if (fetched.ok()) pending->fetched = true;
  return fetched;
}

Result<bool> PrimTree::FetchInto(std::unique_ptr<PrimBlock> block) {
  const bool is_main = block->scene_root.empty();
  const Result<Messages> reply =
      block->stage->Call("Traverse", TraverseRequest(*block, is_main ? depth_ : 0));
  if (!reply.ok()) return reply.failure();
  Fetched fetched;
  fetched.block = std::move(block);
  for (size_t i = 0; i < reply->size(); ++i) {
    for (WireReader message((*reply)[i]); message.Next();) {
      if (message.field() == wire::TraverseResponse::kPrims) AddPrim(message.Bytes(), &fetched);
    }
  }
  const std::unique_lock<std::shared_mutex> lock(mu_);
  for (std::unique_ptr<PrimBlock>& outline : fetched.outlines) {
    Publish(std::move(outline), /*is_main=*/false);
  }
  Publish(std::move(fetched.block), is_main);
  return true;
}

void PrimTree::Publish(std::unique_ptr<PrimBlock> block, bool is_main) {
  auto& entries = is_main ? main_entries_ : entries_;
  entries.reserve(entries.size() + block->prims.size());
  for (PrimEntry& entry : block->prims) entries[entry.path] = &entry;
  blocks_.push_back(std::move(block));
}

void PrimTree::AddPrim(std::string_view message, Fetched* fetched) {
  std::string scene_path;
  for (WireReader field(message); field.Next();) {
    if (field.field() == wire::Prim::kPath) scene_path = field.Text();
  }
  if (scene_path == "/" || scene_path.empty()) return;
  if (!fetched->skip.empty() && TfStringStartsWith(scene_path, fetched->skip)) return;
  ParsedPrim prim = Parse(message);
  // Prims below an instance in a prototype belong to a prototype of their own.
  const bool is_root = scene_path == fetched->block->scene_root;
  fetched->skip = prim.instance && !is_root ? scene_path + "/" : "";
  const bool outlined =
      !fetched->in_outline.empty() && TfStringStartsWith(scene_path, fetched->in_outline);
  if (outlined) {
    AddEntry(scene_path, std::move(prim), /*may_cut=*/false, fetched->outlines.back().get());
  } else if (IsBehindBoundary(prim, *fetched->block) && (prim.instance || !prim.instanceable)) {
    AddOutlined(scene_path, prim, fetched);
  } else {
    AddEntry(scene_path, std::move(prim), /*may_cut=*/true, fetched->block.get());
  }
}

bool PrimTree::IsBehindBoundary(const ParsedPrim& prim, const PrimBlock& block) const {
  return boundaries_ == StageArguments::Boundaries::kPayloads && block.stage == stage_ &&
         prim.has_payload && prim.unloaded;
}

void PrimTree::AddOutlined(const std::string& scene_path, const ParsedPrim& prim,
                           Fetched* fetched) {
  auto outline = std::make_unique<PrimBlock>();
  outline->stage = stage_;
  outline->scene_root = scene_path;
  outline->layer_root = RootPath(MadeName("Flattened_Outline", scene_path)).GetString();
  outline->instance_proxies = fetched->block->instance_proxies;
  outline->has_bare_root = false;
  AddEntry(scene_path, prim, /*may_cut=*/false, outline.get());

  ParsedPrim arcs;
  arcs.specifier = prim.specifier;
  AddEntry(scene_path, std::move(arcs), /*may_cut=*/false, fetched->block.get());
  PrimEntry& entry = fetched->block->prims.back();
  entry.is_holder = true;
  AddField(SdfFieldKeys->Specializes, PathOp(SdfPath(outline->layer_root)), &entry.fields);
  AddPayload(/*behind_payload=*/true, &entry);
  fetched->outlines.push_back(std::move(outline));
  fetched->in_outline = scene_path + "/";
}

void PrimTree::AddEntry(const std::string& scene_path, ParsedPrim prim, bool may_cut,
                        PrimBlock* block) {
  PrimEntry& entry = block->prims.emplace_back();
  entry.block = block;
  entry.index = static_cast<uint32_t>(block->prims.size() - 1);
  entry.path = SdfPath(block->ToLayer(scene_path));
  entry.is_holder = block->has_bare_root && scene_path == block->scene_root;
  const bool is_main = block->scene_root.empty();
  if (is_main && entry.path.IsRootPrimPath()) root_names_.push_back(entry.path.GetNameToken());
  entry.children = std::move(prim.children);
  // Instances share the variant sets in their prototype: those of their own would keep OpenUSD from
  // sharing anything.
  if (!prim.instance || entry.is_holder) entry.variant_sets = std::move(prim.variant_sets);
  if (entry.is_holder) {
    AddField(SdfFieldKeys->Specifier, VtValue(SdfSpecifierOver), &entry.fields);
    if (prim.instance) AddVariantFields(prim.selections, entry.variant_sets, &entry.fields);
    return;
  }
  entry.fields = FieldsOf(prim, entry.variant_sets);
  if (block->stage != stage_ && HasOutlinedChildren(entry)) {
    // The outline, which is weaker, has some of the children, in an order of its own.
    AddField(SdfFieldKeys->PrimOrder, VtValue(entry.children), &entry.fields);
  }
  if (prim.instance) return AddPrototype(prim.prototype, &entry);
  if (!may_cut) return;
  const bool is_deepest = is_main && depth_ != 0 && entry.path.GetPathElementCount() == depth_;
  if (IsBehindBoundary(prim, *block)) {
    AddPayload(/*behind_payload=*/true, &entry);
  } else if (is_deepest && !entry.children.empty()) {
    // The made payload must not turn a prim without arcs into an instance.
    RemoveField(SdfFieldKeys->Instanceable, &entry.fields);
    entry.children.clear();
    AddPayload(/*behind_payload=*/false, &entry);
  }
}

bool PrimTree::HasOutlinedChildren(const PrimEntry& entry) const {
  const PrimBlock& block = *entry.block;
  const std::string below = entry.path.GetString().substr(block.layer_root.size());
  const SdfPath root = RootPath(MadeName("Flattened_Outline", block.scene_root));
  const std::shared_lock<std::shared_mutex> lock(mu_);
  const auto found = entries_.find(SdfPath(root.GetString() + below));
  return found != entries_.end() && !found->second->children.empty();
}

void PrimTree::AddPrototype(uint64_t prototype, PrimEntry* entry) {
  const bool behind_payload = entry->block->stage != stage_;
  const SdfPath root = PrototypePath(prototype, behind_payload);
  AddField(SdfFieldKeys->References, ReferenceOp(root), &entry->fields);
  entry->children.clear();
  auto pending = std::make_unique<Pending>();
  pending->scene_root = entry->ScenePath();
  pending->instance_proxies = true;
  pending->behind_payload = behind_payload;
  AddPending(root, std::move(pending));
}

void PrimTree::AddPayload(bool behind_payload, PrimEntry* entry) {
  const std::string scene_path = entry->ScenePath();
  const SdfPath root = RootPath(MadeName("Flattened_Payload", scene_path));
  AddField(SdfFieldKeys->Payload, PayloadOp(root), &entry->fields);
  auto pending = std::make_unique<Pending>();
  pending->scene_root = scene_path;
  pending->instance_proxies = entry->block->instance_proxies;
  pending->behind_payload = behind_payload;
  pending->has_bare_root = !behind_payload;
  AddPending(root, std::move(pending));
}

void PrimTree::AddPending(const SdfPath& root, std::unique_ptr<Pending> pending) {
  pending->layer_root = root.GetString();
  const std::unique_lock<std::shared_mutex> lock(mu_);
  pending_.try_emplace(root, std::move(pending));  // another instance may have added it
}

void PrimTree::VisitFetched(const std::function<void(const PrimEntry&)>& visit) const {
  const std::shared_lock<std::shared_mutex> lock(mu_);
  for (const auto& block : blocks_) {
    for (const PrimEntry& entry : block->prims) visit(entry);
  }
}

Result<bool> PrimTree::VisitAll(const std::function<bool(PrimEntry&)>& visit) {
  for (size_t i = 0;; ++i) {
    PrimBlock* block = nullptr;
    Pending* next = nullptr;
    {
      const std::shared_lock<std::shared_mutex> lock(mu_);
      if (i < blocks_.size()) {
        block = blocks_[i].get();
      } else {
        for (const auto& [path, pending] : pending_) {
          if (!pending->fetched) next = pending.get();
        }
        if (next == nullptr) return true;
      }
    }
    if (next != nullptr) {
      if (const Result<bool> fetched = Fetch(next); !fetched.ok()) return fetched;
      --i;
      continue;
    }
    for (PrimEntry& entry : block->prims) {
      if (!visit(entry)) return true;
    }
  }
}

}  // namespace stagedoor::openusd
