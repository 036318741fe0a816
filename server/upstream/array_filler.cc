#include "server/upstream/array_filler.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/status.h"
#include "base/status_macros.h"
#include "client/cc/array_assembler.h"
#include "server/converters/array_outbox.h"
#include "server/rpc/message_fragments.h"
#include "server/rpc/message_serialization.h"
#include "server/rpc/wire_writer.h"
#include "stagedoor/v1/query.pb.h"

namespace stagedoor::server {
namespace {

using google::protobuf::FieldDescriptor;

// The size from which on a message gets no more arrays, and that of messages of chunks.
constexpr size_t kMessageBytes = size_t{1} << 20;

absl::Status Inconsistent(std::string_view what) {
  return DataLossError("a reply from upstream is inconsistent: ", what);
}

// A value whose array was put in is there as others are.
template <typename T>
void RestoreState(T* item) {
  const bool is_there = !item->value().array_value().has_unchanged();
  if (item->state() == v1::ITEM_STATE_UNCHANGED && is_there) item->set_state(v1::ITEM_STATE_VALUE);
}

// Restores the states of the replies of streams whose values have some beside them.
void RestoreStates(google::protobuf::Message* message) {
  if (auto* const value =
          google::protobuf::DynamicCastToGenerated<v1::StreamValuesResponse>(message)) {
    return RestoreState(value);
  }
  auto* const samples = google::protobuf::DynamicCastToGenerated<v1::SampleValuesResponse>(message);
  if (samples == nullptr) return;
  for (v1::SampledItem& item : *samples->mutable_items()) {
    for (v1::ValueSample& sample : *item.mutable_samples()) RestoreState(&sample);
  }
}

const FieldDescriptor* PartsField(const google::protobuf::Message& message) {
  return message.GetDescriptor()->FindFieldByNumber(kStreamPartsField);
}

}  // namespace

absl::StatusOr<std::vector<grpc::ByteBuffer>> ArrayFiller::Take(const grpc::ByteBuffer& message) {
  Messages out;
  SD_ASSIGN_OR_RETURN(const std::unique_ptr<Reading> reading, Parse(message));
  if (reading == nullptr) return out;
  if (arriving_.empty()) {
    SD_RETURN_IF_ERROR(TakeArrays(reading.get()));
  } else if (const v1::StreamParts* parts = Parts(*reading);
             parts == nullptr || parts->array_count() != 0) {
    return Inconsistent("chunks are missing");
  }
  SD_RETURN_IF_ERROR(TakeChunks(reading.get()));
  SD_RETURN_IF_ERROR(Emit(message, *reading, &out));
  for (v1::PackedValues* const packed : reading->to_keep) {
    Keep(packed->digest(), std::move(*packed->mutable_data()));
  }
  if (arriving_.empty()) EmitFollowing(&out);
  return out;
}

absl::StatusOr<std::unique_ptr<ArrayFiller::Reading>> ArrayFiller::Parse(
    const grpc::ByteBuffer& message) {
  auto reading = std::make_unique<Reading>();
  reading->message.reset(request_.response->New());
  reading->bytes = message.Length();
  grpc::ByteBuffer copy(message);
  if (!ParseMessage(&copy, reading->message.get()).ok()) {
    return Inconsistent("a message cannot be decoded");
  }
  const v1::StreamParts* const parts = Parts(*reading);
  if (parts == nullptr || !parts->has_fragment()) return reading;
  std::string bytes;
  SD_ASSIGN_OR_RETURN(const bool complete, fragments_.Add(parts->fragment(), &bytes));
  if (!complete) return nullptr;
  reading->bytes = bytes.size();
  reading->changed = true;  // it is sent as new fragments
  if (!reading->message->ParseFromString(bytes)) {
    return Inconsistent("a message cannot be decoded");
  }
  return reading;
}

v1::StreamParts* ArrayFiller::Parts(const Reading& reading) const {
  google::protobuf::Message* const message = reading.message.get();
  const FieldDescriptor* const field = PartsField(*message);
  if (!message->GetReflection()->HasField(*message, field)) return nullptr;
  return static_cast<v1::StreamParts*>(message->GetReflection()->MutableMessage(message, field));
}

absl::Status ArrayFiller::TakeArrays(Reading* reading) {
  absl::Status status;
  search_.ForEach(reading->message.get(), [&](v1::PackedValues* packed) {
    if (status.ok()) status = TakeArray(reading, packed);
  });
  SD_RETURN_IF_ERROR(status);
  if (reading->changed) RestoreStates(reading->message.get());
  return Number(reading);
}

absl::Status ArrayFiller::TakeArray(Reading* reading, v1::PackedValues* packed) {
  if (packed->has_streamed()) {
    arriving_.push_back({.packed = packed,
                         .id = packed->streamed().id(),
                         .total = packed->streamed().total_bytes(),
                         .digest = packed->digest()});
    return absl::OkStatus();
  }
  if (packed->digest().empty()) return absl::OkStatus();
  if (packed->has_data()) {
    reading->to_keep.push_back(packed);
    return absl::OkStatus();
  }
  if (!packed->has_unchanged()) return absl::OkStatus();
  Note(packed->digest());
  if (request_.known.contains(packed->digest())) return absl::OkStatus();
  const auto found = request_.expected.find(packed->digest());
  if (found == request_.expected.end()) return Inconsistent("an array is neither sent nor known");
  return FillArray(reading, packed, found->second);
}

absl::Status ArrayFiller::FillArray(Reading* reading, v1::PackedValues* packed,
                                    const ArrayStore::Array& array) {
  const size_t size = array->bytes.size();
  if (size != ExpectedBytes(*packed)) return Inconsistent("an array has another size than before");
  reading->changed = true;
  store_.CountUse();
  UpstreamCounters::Add(counters_.saved_bytes, size);
  if (size <= kMaxInlineBytes && reading->bytes + size <= kMessageBytes) {
    packed->set_data(array->bytes);
    reading->bytes += size;
    return absl::OkStatus();
  }
  packed->mutable_streamed()->set_total_bytes(size);
  following_.push_back({.packed = packed, .array = array});
  return absl::OkStatus();
}

absl::Status ArrayFiller::Number(Reading* reading) {
  std::sort(arriving_.begin(), arriving_.end(),
            [](const Arriving& a, const Arriving& b) { return a.id < b.id; });
  const auto count = static_cast<uint32_t>(arriving_.size());
  const v1::StreamParts* const parts = Parts(*reading);
  if (count != (parts == nullptr ? 0 : parts->array_count())) {
    return Inconsistent("it does not refer to as many arrays as it says");
  }
  for (Arriving& array : arriving_) {
    if (array.id != upstream_id_++ || array.total == 0) {
      return Inconsistent("the IDs of its arrays are not consecutive");
    }
    array.packed->mutable_streamed()->set_id(array.id + shift_);
    array.packed = nullptr;
  }
  reading->changed = reading->changed || (count != 0 && shift_ != 0);
  if (following_.empty()) return absl::OkStatus();
  following_id_ = upstream_id_ + shift_;
  for (uint32_t i = 0; i < following_.size(); ++i) {
    following_[i].packed->mutable_streamed()->set_id(following_id_ + i);
    following_[i].packed = nullptr;
  }
  google::protobuf::Message* const message = reading->message.get();
  auto* const changed = static_cast<v1::StreamParts*>(
      message->GetReflection()->MutableMessage(message, PartsField(*message)));
  changed->set_array_count(count + static_cast<uint32_t>(following_.size()));
  return absl::OkStatus();
}

absl::Status ArrayFiller::TakeChunks(Reading* reading) {
  v1::StreamParts* const parts = Parts(*reading);
  if (parts == nullptr) return absl::OkStatus();
  for (v1::ArrayChunk& chunk : *parts->mutable_chunks()) {
    SD_RETURN_IF_ERROR(TakeChunk(&chunk));
    reading->changed = reading->changed || shift_ != 0;
  }
  return absl::OkStatus();
}

absl::Status ArrayFiller::TakeChunk(v1::ArrayChunk* chunk) {
  if (arriving_.empty()) return Inconsistent("a chunk belongs to no array");
  Arriving& array = arriving_.front();
  const size_t size = chunk->data().size();
  if (chunk->array_id() != array.id || chunk->offset() != array.arrived || size == 0 ||
      size > array.total - array.arrived) {
    return Inconsistent("a chunk is not the next of its array");
  }
  chunk->set_array_id(array.id + shift_);
  array.arrived += size;
  // Larger ones are not kept anyway.
  if (!array.digest.empty() && array.total <= store_.max_array_bytes()) {
    array.bytes.append(chunk->data());
    arriving_bytes_.Add(size);
  }
  if (array.arrived < array.total) return absl::OkStatus();
  if (array.bytes.size() == array.total) Keep(array.digest, std::move(array.bytes));
  arriving_bytes_.Release();
  arriving_.pop_front();
  return absl::OkStatus();
}

absl::Status ArrayFiller::Emit(const grpc::ByteBuffer& original, const Reading& reading,
                               Messages* out) {
  if (!reading.changed) {
    out->push_back(original);
    return absl::OkStatus();
  }
  SD_ASSIGN_OR_RETURN(const grpc::ByteBuffer message, SerializeMessage(*reading.message));
  if (message.Length() <= kMaxMessageBytes) {
    out->push_back(message);
    return absl::OkStatus();
  }
  MessageFragments fragments;
  SD_RETURN_IF_ERROR(fragments.Put(message));
  while (!fragments.empty()) out->push_back(fragments.Next());
  return absl::OkStatus();
}

void ArrayFiller::EmitFollowing(Messages* out) {
  WireWriter parts;
  const auto flush = [&] {
    if (parts.empty()) return;
    WireWriter message;
    message.Message(kStreamPartsField, std::exchange(parts, WireWriter()));
    out->push_back(std::move(message).Finish());
  };
  for (uint32_t i = 0; i < following_.size(); ++i) {
    const ArrayStore::Array& array = following_[i].array;
    const std::string_view bytes = array->bytes;
    for (size_t offset = 0; offset < bytes.size();) {
      const std::string_view chunk =
          bytes.substr(offset, kMessageBytes - std::min(parts.size(), kMessageBytes - 1));
      WriteArrayChunk(following_id_ + i, offset, {chunk, array}, &parts);
      offset += chunk.size();
      if (parts.size() >= kMessageBytes) flush();
    }
  }
  flush();
  shift_ += static_cast<uint32_t>(following_.size());
  following_.clear();
}

void ArrayFiller::Note(const std::string& digest) {
  if (request_.kind.empty() || digests_.size() >= ArrayStore::kMaxExpected) return;
  if (noted_.insert(digest).second) digests_.push_back(digest);
}

void ArrayFiller::Keep(const std::string& digest, std::string bytes) {
  Note(digest);
  store_.Keep(digest, std::move(bytes));
}

void ArrayFiller::Finish() {
  if (!request_.kind.empty()) store_.Remember(request_.kind, std::move(digests_));
}

}  // namespace stagedoor::server
