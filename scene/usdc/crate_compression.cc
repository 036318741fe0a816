#include "scene/usdc/crate_compression.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/hash.h"
#include "lz4.h"
#include "scene/usdc/crate_format.h"

namespace stagedoor {
namespace {

// The widths in which a difference can be stored; a two-bit code selects one (16.3.7.2.2 Encoding
// Values).
template <typename Int>
struct Widths;
template <>
struct Widths<uint32_t> {
  using Small = int8_t;
  using Medium = int16_t;
  using Full = int32_t;
};
template <>
struct Widths<uint64_t> {
  using Small = int16_t;
  using Medium = int32_t;
  using Full = int64_t;
};

template <typename Int>
constexpr std::array<uint8_t, 4> kCodeBytes = {0, sizeof(typename Widths<Int>::Small),
                                               sizeof(typename Widths<Int>::Medium),
                                               sizeof(typename Widths<Int>::Full)};

// The number of bytes of the four differences that one byte of codes describes.
template <typename Int>
constexpr std::array<uint8_t, 256> kGroupBytes = [] {
  std::array<uint8_t, 256> bytes{};
  for (int codes = 0; codes < 256; ++codes) {
    for (int i = 0; i < 4; ++i) bytes[codes] += kCodeBytes<Int>[codes >> (2 * i) & 3];
  }
  return bytes;
}();

template <typename T>
T Load(const std::byte* at) {
  T value;
  std::memcpy(&value, at, sizeof(T));
  return value;
}

template <typename Int>
Int NextDifference(unsigned code, Int common, const std::byte*& at) {
  using W = Widths<Int>;
  const std::byte* const from = at;
  at += kCodeBytes<Int>[code];
  switch (code) {
    case 1:
      return static_cast<Int>(Load<typename W::Small>(from));
    case 2:
      return static_cast<Int>(Load<typename W::Medium>(from));
    case 3:
      return static_cast<Int>(Load<typename W::Full>(from));
    default:
      return common;
  }
}

template <typename Int>
bool Unpack(std::span<const std::byte> in, std::span<Int> out) {
  const size_t code_bytes = (out.size() * 2 + 7) / 8;
  if (in.size() < sizeof(Int) + code_bytes) return false;
  const Int common = Load<Int>(in.data());
  const std::byte* codes = in.data() + sizeof(Int);
  const std::byte* at = codes + code_bytes;
  const std::byte* const end = in.data() + in.size();
  Int value = 0;
  size_t i = 0;
  for (; i + 4 <= out.size(); i += 4, ++codes) {
    const unsigned group = static_cast<unsigned>(*codes);
    if (group == 0) {
      for (size_t k = 0; k < 4; ++k) out[i + k] = value += common;
      continue;
    }
    if (static_cast<size_t>(end - at) < kGroupBytes<Int>[group]) return false;
    for (unsigned k = 0; k < 4; ++k) {
      out[i + k] = value += NextDifference<Int>(group >> (2 * k) & 3, common, at);
    }
  }
  for (unsigned k = 0; i < out.size(); ++i, ++k) {
    const unsigned code = static_cast<unsigned>(*codes) >> (2 * k) & 3;
    if (static_cast<size_t>(end - at) < kCodeBytes<Int>[code]) return false;
    out[i] = value += NextDifference<Int>(code, common, at);
  }
  return true;
}

template <typename Int>
size_t PackedBound(size_t count) {
  return sizeof(Int) + (count * 2 + 7) / 8 + count * sizeof(Int);
}

template <typename Int>
bool Decode(std::span<const std::byte> in, std::span<Int> out) {
  if (out.empty()) return true;
  if (!CanHoldInts(in.size(), out.size(), sizeof(Int))) return false;
  const size_t bound = std::min<uint64_t>(PackedBound<Int>(out.size()), in.size() * kLz4MaxRatio);
  const auto packed = std::make_unique_for_overwrite<std::byte[]>(bound);
  const std::optional<size_t> size = DecodeLz4(in, {packed.get(), bound});
  return size && Unpack<Int>({packed.get(), *size}, out);
}

// The most frequent number; the largest if several are equally frequent. Counts in a hash table,
// and gives up if that would take too much memory or, because the numbers were chosen to collide,
// too long.
template <typename Number>
std::optional<Number> MostCommonByTable(const std::vector<Number>& numbers) {
  constexpr size_t kMaxNumbers = size_t{1} << 22;
  constexpr int kMaxProbes = 100;
  struct Slot {
    Number number;
    uint32_t count;
  };
  if (numbers.size() > kMaxNumbers) return std::nullopt;
  const int bits = std::bit_width(numbers.size()) + 1;  // at most half of the slots are used
  std::vector<Slot> slots(size_t{1} << bits);
  const size_t mask = slots.size() - 1;
  Slot best{numbers[0], 0};
  for (const Number number : numbers) {
    size_t at = SpreadBits(static_cast<uint64_t>(number)) >> (64 - bits);
    int probes = 0;
    while (slots[at].count != 0 && slots[at].number != number) {
      if (++probes > kMaxProbes) return std::nullopt;
      at = (at + 1) & mask;
    }
    slots[at].number = number;
    const uint32_t count = ++slots[at].count;
    if (count > best.count || (count == best.count && number > best.number)) best = slots[at];
  }
  return best.number;
}

template <typename Number>
Number MostCommon(std::vector<Number> numbers) {
  if (const auto found = MostCommonByTable(numbers)) return *found;
  std::sort(numbers.begin(), numbers.end());
  Number best = numbers[0];
  size_t most = 0;
  for (auto it = numbers.begin(); it != numbers.end();) {
    const auto end = std::upper_bound(it, numbers.end(), *it);
    const size_t run = end - it;
    if (run >= most) {
      best = *it;
      most = run;
    }
    it = end;
  }
  return best;
}

// The most frequent difference, or the largest of several equally frequent ones (as signed
// numbers).
template <typename Int>
Int CommonDifference(std::span<const Int> in) {
  std::vector<std::make_signed_t<Int>> differences(in.size());
  Int previous = 0;
  for (size_t i = 0; i < in.size(); ++i) {
    differences[i] = static_cast<std::make_signed_t<Int>>(in[i] - previous);
    previous = in[i];
  }
  // Most arrays have a difference that outnumbers all others together, which two passes find.
  auto candidate = differences[0];
  size_t votes = 0;
  for (const auto d : differences) {
    if (votes == 0) candidate = d;
    votes += d == candidate ? 1 : -1;
  }
  const size_t count = std::count(differences.begin(), differences.end(), candidate);
  if (count * 2 > differences.size()) return static_cast<Int>(candidate);
  return static_cast<Int>(MostCommon(std::move(differences)));
}

template <typename Int>
std::string Encode(std::span<const Int> in) {
  using W = Widths<Int>;
  if (in.empty()) return EncodeLz4({});
  const Int common = CommonDifference(in);
  std::string codes((in.size() * 2 + 7) / 8, '\0');
  std::string values;
  values.reserve(in.size());
  Int previous = 0;
  for (size_t i = 0; i < in.size(); ++i) {
    const Int difference = in[i] - previous;
    previous = in[i];
    const auto number = static_cast<std::make_signed_t<Int>>(difference);
    unsigned code = 3;
    if (difference == common) {
      code = 0;
    } else if (static_cast<typename W::Small>(number) == number) {
      code = 1;
      AppendNumber(values, static_cast<typename W::Small>(number));
    } else if (static_cast<typename W::Medium>(number) == number) {
      code = 2;
      AppendNumber(values, static_cast<typename W::Medium>(number));
    } else {
      AppendNumber(values, number);
    }
    codes[i / 4] =
        static_cast<char>(static_cast<unsigned char>(codes[i / 4]) | code << (i % 4 * 2));
  }
  std::string packed;
  packed.reserve(sizeof(Int) + codes.size() + values.size());
  AppendNumber(packed, common);
  packed += codes;
  packed += values;
  return EncodeLz4(std::as_bytes(std::span(packed)));
}

}  // namespace

std::optional<size_t> DecodeLz4(std::span<const std::byte> in, std::span<std::byte> out) {
  if (in.empty()) return std::nullopt;
  const auto block = [](std::span<const std::byte> from, std::span<std::byte> to) {
    if (from.size() > LZ4_MAX_INPUT_SIZE) return -1;
    return LZ4_decompress_safe(reinterpret_cast<const char*>(from.data()),
                               reinterpret_cast<char*>(to.data()), static_cast<int>(from.size()),
                               static_cast<int>(std::min<size_t>(to.size(), LZ4_MAX_INPUT_SIZE)));
  };
  // As OpenUSD writes them, the number of chunks takes one byte and a chunk's size four; the
  // specification (16.3.7.1 LZ4 Compression) has eight bytes for both.
  size_t chunks = static_cast<size_t>(in[0]);
  in = in.subspan(1);
  if (chunks == 0) {
    const int size = block(in, out);
    return size < 0 ? std::nullopt : std::optional<size_t>(size);
  }
  size_t total = 0;
  for (; chunks > 0; --chunks) {
    if (in.size() < sizeof(int32_t)) return std::nullopt;
    const int32_t bytes = Load<int32_t>(in.data());
    in = in.subspan(sizeof(int32_t));
    if (bytes < 0 || static_cast<size_t>(bytes) > in.size()) return std::nullopt;
    const int size = block(in.first(bytes), out.subspan(total));
    if (size < 0) return std::nullopt;
    total += size;
    in = in.subspan(bytes);
  }
  return total;
}

std::string EncodeLz4(std::span<const std::byte> in) {
  const auto append_block = [](std::span<const std::byte> from, std::string& out) {
    const size_t at = out.size();
    out.resize(at + LZ4_compressBound(static_cast<int>(from.size())));
    const int size =
        LZ4_compress_default(reinterpret_cast<const char*>(from.data()), &out[at],
                             static_cast<int>(from.size()), static_cast<int>(out.size() - at));
    out.resize(at + size);
    return static_cast<int32_t>(size);
  };
  const size_t chunks = (in.size() + LZ4_MAX_INPUT_SIZE - 1) / LZ4_MAX_INPUT_SIZE;
  std::string out;
  if (chunks <= 1) {
    out.push_back(0);
    append_block(in, out);
    return out;
  }
  out.push_back(static_cast<char>(chunks));
  while (!in.empty()) {
    const size_t length = std::min<size_t>(in.size(), LZ4_MAX_INPUT_SIZE);
    const size_t at = out.size();
    AppendNumber(out, int32_t{0});
    const int32_t size = append_block(in.first(length), out);
    std::memcpy(&out[at], &size, sizeof(size));
    in = in.subspan(length);
  }
  return out;
}

bool CanHoldInts(uint64_t bytes, uint64_t count, size_t size) {
  return count < (uint64_t{1} << 40) && bytes > 1 && size + count / 4 <= bytes * kLz4MaxRatio;
}

bool DecodeInts(std::span<const std::byte> in, std::span<uint32_t> out) { return Decode(in, out); }
bool DecodeInts(std::span<const std::byte> in, std::span<uint64_t> out) { return Decode(in, out); }
std::string EncodeInts(std::span<const uint32_t> in) { return Encode(in); }
std::string EncodeInts(std::span<const uint64_t> in) { return Encode(in); }

}  // namespace stagedoor
