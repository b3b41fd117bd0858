// SPDX-License-Identifier: Apache-2.0
#include "import/bracket_scan.h"

#include <bit>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace opscope {
namespace {

#ifdef __SSE2__
constexpr std::size_t kBlock = 64;

// One bit per byte of a block.
struct BlockMasks {
  std::uint64_t quotes = 0, backslashes = 0, opening = 0, closing = 0;
};

BlockMasks masksOf(const char* block) {
  BlockMasks masks;
  const __m128i quote = _mm_set1_epi8('"'), backslash = _mm_set1_epi8('\\');
  // '[' and ']' become '{' and '}' with this bit; nothing else of ASCII does.
  const __m128i bit = _mm_set1_epi8(0x20), open = _mm_set1_epi8('{'), close = _mm_set1_epi8('}');
  for (unsigned i = 0; i < kBlock; i += 16) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(block + i));
    const __m128i braces = _mm_or_si128(bytes, bit);
    const auto mask = [i](__m128i equal) {
      return std::uint64_t{static_cast<std::uint16_t>(_mm_movemask_epi8(equal))} << i;
    };
    masks.quotes |= mask(_mm_cmpeq_epi8(bytes, quote));
    masks.backslashes |= mask(_mm_cmpeq_epi8(bytes, backslash));
    masks.opening |= mask(_mm_cmpeq_epi8(braces, open));
    masks.closing |= mask(_mm_cmpeq_epi8(braces, close));
  }
  return masks;
}

// Bit i: whether an odd number of bits up to i is set, which between quotes is the inside of a string.
std::uint64_t parityUpTo(std::uint64_t bits) {
  for (unsigned shift = 1; shift < 64; shift *= 2) bits ^= bits << shift;
  return bits;
}
#endif

}  // namespace

void BracketScan::restart(std::int64_t depth) {
  depth_ = depth;
  inString_ = escaped_ = false;
}

// True when the scan ends here.
bool BracketScan::step(char c, std::size_t at, std::int64_t depth, Found& found) {
  if (inString_) {
    if (escaped_)
      escaped_ = false;
    else if (c == '\\')
      escaped_ = true;
    else if (c == '"')
      inString_ = false;
    return false;
  }
  if (c == '"') {
    inString_ = true;
  } else if (c == '{' || c == '[') {
    ++depth_;
  } else if (c == '}' || c == ']') {
    --depth_;
    if (depth_ == depth) found.elementEnd = at + 1;
    if (depth_ < depth) {
      found.closed = at;
      return true;
    }
  }
  return false;
}

BracketScan::Found BracketScan::scan(std::string_view piece, std::int64_t depth) {
  Found found;
  std::size_t at = 0;
#ifdef __SSE2__
  while (at + kBlock <= piece.size()) {
    const BlockMasks masks = masksOf(piece.data() + at);
    if (masks.backslashes == 0 && !escaped_) {
      const std::uint64_t inside = parityUpTo(masks.quotes) ^ (inString_ ? ~std::uint64_t{0} : 0);
      // A block has a handful of brackets: one after the other costs less than looking at each byte.
      for (std::uint64_t brackets = (masks.opening | masks.closing) & ~inside; brackets != 0;
           brackets &= brackets - 1) {
        const auto bit = static_cast<std::size_t>(std::countr_zero(brackets));
        if (((masks.opening >> bit) & 1) != 0) {
          ++depth_;
          continue;
        }
        --depth_;
        if (depth_ == depth) found.elementEnd = at + bit + 1;
        if (depth_ >= depth) continue;
        inString_ = false;
        found.closed = at + bit;
        found.scanned = at + bit + 1;
        return found;
      }
      inString_ = (inside >> 63) != 0;
      at += kBlock;
      continue;
    }
    for (const std::size_t end = at + kBlock; at < end; ++at)
      if (step(piece[at], at, depth, found)) {
        found.scanned = at + 1;
        return found;
      }
  }
#endif
  for (; at < piece.size(); ++at)
    if (step(piece[at], at, depth, found)) {
      found.scanned = at + 1;
      return found;
    }
  found.scanned = at;
  return found;
}

}  // namespace opscope
