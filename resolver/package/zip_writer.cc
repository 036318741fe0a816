#include "resolver/package/zip_writer.h"

#include <zlib.h>

#include <algorithm>

#include "base/status.h"
#include "base/status_macros.h"
#include "resolver/package/zip_format.h"

namespace stagedoor {
namespace {

constexpr uint16_t kVersionNeeded = 10;
constexpr uint16_t kMsDosDate = (0 << 9) | (1 << 5) | 1;  // 1980-01-01, the format's first day
constexpr uint16_t kPaddingField = 0x1986;  // the extra field that OpenUSD uses for padding

void Put16(std::string& out, uint16_t value) {
  out += static_cast<char>(value & 0xFF);
  out += static_cast<char>(value >> 8);
}

void Put32(std::string& out, uint32_t value) {
  Put16(out, static_cast<uint16_t>(value & 0xFFFF));
  Put16(out, static_cast<uint16_t>(value >> 16));
}

// An extra field (of 4 bytes or more), such that the data that would begin at `unpadded_offset` is
// aligned.
std::string Padding(uint64_t unpadded_offset) {
  size_t size = (zip::kAlignment - unpadded_offset % zip::kAlignment) % zip::kAlignment;
  if (size == 0) return {};
  if (size < 4) size += zip::kAlignment;
  std::string out;
  Put16(out, kPaddingField);
  Put16(out, static_cast<uint16_t>(size - 4));
  out.resize(size, '\0');
  return out;
}

// The fields that local and central headers have in common, from "version needed" to the size of
// the extra field.
void PutCommon(std::string& out, std::string_view name, uint64_t size, uint32_t crc32,
               size_t extra_size) {
  const bool ascii =
      std::all_of(name.begin(), name.end(), [](char c) { return static_cast<uint8_t>(c) < 0x80; });
  Put16(out, kVersionNeeded);
  Put16(out, ascii ? 0 : zip::kFlagUtf8);
  Put16(out, 0);  // stored
  Put16(out, 0);  // time
  Put16(out, kMsDosDate);
  Put32(out, crc32);
  Put32(out, static_cast<uint32_t>(size));
  Put32(out, static_cast<uint32_t>(size));
  Put16(out, static_cast<uint16_t>(name.size()));
  Put16(out, static_cast<uint16_t>(extra_size));
}

bool HasBadComponent(std::string_view name) {
  for (size_t begin = 0; begin <= name.size();) {
    const size_t end = std::min(name.find('/', begin), name.size());
    const std::string_view part = name.substr(begin, end - begin);
    if (part.empty() || part == "." || part == "..") return true;
    begin = end + 1;
  }
  return false;
}

}  // namespace

absl::Status ZipWriter::CheckName(std::string_view name) const {
  const bool control = std::any_of(name.begin(), name.end(), [](char c) {
    return static_cast<uint8_t>(c) < 0x20 || c == 0x7F || c == '\\';
  });
  if (name.size() > 4096 || HasBadComponent(name) || control || !IsValidUtf8(name)) {
    return InvalidArgumentError("invalid name for a file in a package: ", Quoted(name));
  }
  if (names_.contains(std::string(name))) {
    return InvalidArgumentError(Quoted(name), " is already in the package");
  }
  return absl::OkStatus();
}

absl::Status ZipWriter::Emit(std::string_view bytes) {
  offset_ += bytes.size();
  if (offset_ > UINT32_MAX) return ResourceExhaustedError("a package must be smaller than 4 GiB");
  return bytes.empty() ? absl::OkStatus() : sink_(bytes);
}

absl::Status ZipWriter::Add(std::string_view name, std::span<const std::byte> content) {
  const auto crc = crc32_z(0, reinterpret_cast<const Bytef*>(content.data()), content.size());
  SD_RETURN_IF_ERROR(Begin(name, content.size(), static_cast<uint32_t>(crc)));
  return Emit({reinterpret_cast<const char*>(content.data()), content.size()});
}

absl::Status ZipWriter::Begin(std::string_view name, uint64_t size, uint32_t crc32) {
  SD_RETURN_IF_ERROR(CheckName(name));
  if (names_.size() == zip::kMaxEntries) {
    return ResourceExhaustedError("a package cannot contain more than ", zip::kMaxEntries,
                                  " files");
  }
  if (size > UINT32_MAX) return ResourceExhaustedError("a package must be smaller than 4 GiB");
  const uint64_t header_offset = offset_;
  const std::string padding = Padding(offset_ + zip::kLocalSize + name.size());
  std::string header;
  Put32(header, zip::kLocalSignature);
  PutCommon(header, name, size, crc32, padding.size());
  header += name;
  header += padding;
  SD_RETURN_IF_ERROR(Emit(header));

  Put32(directory_, zip::kCentralSignature);
  Put16(directory_, kVersionNeeded);  // made by
  PutCommon(directory_, name, size, crc32, 0);
  Put16(directory_, 0);  // comment
  Put16(directory_, 0);  // disk
  Put16(directory_, 0);  // internal attributes
  Put32(directory_, 0);  // external attributes
  Put32(directory_, static_cast<uint32_t>(header_offset));
  directory_ += name;
  names_.emplace(name);
  return absl::OkStatus();
}

absl::Status ZipWriter::Finish() {
  if (names_.empty()) return InvalidArgumentError("a package must contain a root layer");
  const uint64_t directory_offset = offset_;
  SD_RETURN_IF_ERROR(Emit(directory_));
  std::string end;
  Put32(end, zip::kEndSignature);
  Put16(end, 0);  // this disk
  Put16(end, 0);  // the directory's disk
  Put16(end, static_cast<uint16_t>(names_.size()));
  Put16(end, static_cast<uint16_t>(names_.size()));
  Put32(end, static_cast<uint32_t>(directory_.size()));
  Put32(end, static_cast<uint32_t>(directory_offset));
  Put16(end, 0);  // comment
  return Emit(end);
}

}  // namespace stagedoor
