// Decodes the JPEG files that cameras and `tf.io.encode_jpeg` write: sequential, Huffman-coded, 8 bits, one scan, grey
// or YCbCr with full, half or quarter chroma resolution. Python calls this with the GIL released.
//
// It either writes exactly the pixels of libjpeg-turbo with its fast transform and fancy upsampling, or gives up, and
// the caller uses libjpeg-turbo. It gives up on every other kind of file (progressive, CMYK, several scans...) and
// whenever libjpeg-turbo would warn, so damaged files have the same results and errors as before. An image of 256 by
// 256 in a file of 43 kB takes 175 us; libjpeg-turbo takes 320, of which 260 go into Huffman decoding.
//
//   Header    everything before the scan: sizes, tables, which component uses which
//   Codes     a Huffman table, as a lookup table for the next bits
//   Scan      decodes the coefficients of blocks; four blocks at a time go through the inverse transform into planes
//   write     converts the sample planes to pixels
//
// Bytes are not trusted. Header reads check what is left. The scan is copied, without its stuffed bytes, into memory
// followed by more zeros than the codes of one MCU can use, and after each MCU the decoder checks that the bytes have
// not ended.

#pragma once

#include <cstdint>
#include <cstring>
#include <memory>
#include <mutex>

#include "jpeg_pixels.h"

namespace reflow {
namespace jpeg {

constexpr int kLook = 11;             // bits per table lookup
constexpr int kMostBlocks = 10;       // of one MCU
constexpr int64_t kBehind = 4096;     // bytes after the scan: 10 blocks of 64 codes with their values, 31 bits each, take 2480
constexpr int kKnown = 8;             // Huffman tables that are cached
constexpr int kPlaces = 64 + 16;      // a run of zeros may lead past the end of a block

// The order of a block's coefficients in a file, as 8 * row + column.
constexpr uint8_t kOrder[64] = {0,  1,  8,  16, 9,  2,  3,  10, 17, 24, 32, 25, 18, 11, 4,  5,  12, 19, 26, 33, 40, 48, 41, 34, 27, 20, 13, 6,  7,  14, 21, 28,
                                35, 42, 49, 56, 57, 50, 43, 36, 29, 22, 15, 23, 30, 37, 44, 51, 58, 59, 52, 45, 38, 31, 39, 46, 53, 60, 61, 54, 47, 55, 62, 63};

// The factor that the transform expects at (row, column): round(2^14 * scale[row] * scale[column]), scale[k] = sqrt(2)
// * cos(k * pi / 16), scale[0] = 1.
constexpr uint16_t kScales[64] = {
    16384, 22725, 21407, 19266, 16384, 12873, 8867,  4520,  22725, 31521, 29692, 26722, 22725, 17855, 12299, 6270,
    21407, 29692, 27969, 25172, 21407, 16819, 11585, 5906,  19266, 26722, 25172, 22654, 19266, 15137, 10426, 5315,
    16384, 22725, 21407, 19266, 16384, 12873, 8867,  4520,  12873, 17855, 16819, 15137, 12873, 10114, 6967,  3552,
    8867,  12299, 11585, 10426, 8867,  6967,  4799,  2446,  4520,  6270,  5906,  5315,  4520,  3552,  2446,  1247};

// The meaning of the next kLook bits of a scan, in 64 bits: up to two coefficients of a block and their distances from
// the previous one.
//   0-5 the total length, 8-12 and 13-17 the two distances, 18-22 the length of the first value with its code, 32-47 and
//   48-63 the values.
//   Without a second value its distance is 0, and it equals the first, so both can always be written.
// Two flags mark other cases:
constexpr uint64_t kEnd = 1 << 6;   // the block ends here
constexpr uint64_t kLong = 1 << 7;  // a value that is not among these bits: 8-12 its distance, 16-20 the length of its code, 24-27 its own. Length 0: no code
constexpr uint64_t kElse = kEnd | kLong;

inline uint64_t long_entry(int length, int symbol, bool first) {
  if (!first && (symbol & 15) == 0 && symbol != 0xF0) return kEnd | static_cast<uint64_t>(length);  // what libjpeg-turbo assumes for unknown ones
  const int size = symbol & 15, distance = first ? 1 : (symbol >> 4) + 1;
  return kLong | static_cast<uint64_t>(length + size | distance << 8 | length << 16 | size << 24);
}

// The value after a code, for a long entry: values whose highest bit is 0 are negative.
inline int32_t number_of(uint64_t entry, uint64_t held) {
  const uint64_t rest = held << (entry >> 16 & 31);
  const int size = entry >> 24 & 15;
  const int32_t bits = static_cast<int32_t>(rest >> 1 >> (63 - size));
  return bits - (static_cast<int32_t>(~static_cast<int64_t>(rest) >> 63) & ((1 << size) - 1));
}

// A Huffman table, as in the file (16 counts, then symbols), and what is derived from it.
struct Codes {
  uint8_t spec[16 + 256];
  int total;
  bool first;               // for the DC coefficients, whose symbols are sizes
  uint64_t next[1 << kLook];
  int32_t limits[17];       // codes of this length are below; 0 if there are none
  int32_t offsets[17];      // code + offset: the position of its symbol

  bool is(const uint8_t* from, int count, bool for_first) const { return total == count && first == for_first && std::memcmp(spec, from, 16 + count) == 0; }

  // False if the table is invalid.
  bool make(const uint8_t* from, int count, bool for_first) {
    total = count, first = for_first;
    std::memcpy(spec, from, static_cast<size_t>(16 + total));
    std::fill_n(next, 1 << kLook, kLong);
    int code = 0, place = 0;
    for (int length = 1; length <= 16; ++length, code <<= 1) {
      offsets[length] = place - code;
      for (int i = 0; i < spec[length - 1]; ++i, ++code, ++place) {
        const int symbol = spec[16 + place];
        if (code >= 1 << length || (first && symbol > 15)) return false;
        if (length <= kLook) fill(code, length, long_entry(length, symbol, first));
      }
      limits[length] = spec[length - 1] ? code : 0;
    }
    if (!first) add_second_numbers();
    return true;
  }

  // Adds the entries of all bit patterns that begin with a code.
  void fill(int code, int length, uint64_t entry) {
    const int rest = kLook - length, used = static_cast<int>(entry & 63);
    for (int bits = 0; bits < 1 << rest; ++bits) {
      uint64_t& to = next[code << rest | bits];
      to = entry;
      if (entry & kEnd || used > kLook) continue;
      const uint64_t number = static_cast<uint16_t>(number_of(entry, static_cast<uint64_t>(code << rest | bits) << (64 - kLook)));
      to = static_cast<uint64_t>(used) | (entry & 31 << 8) | static_cast<uint64_t>(used) << 18 | number << 32 | number << 48;
    }
  }

  // If the bits after a value are a complete second one, both are decoded at once.
  void add_second_numbers() {
    for (int bits = 0; bits < 1 << kLook; ++bits) {
      const uint64_t entry = next[bits];
      if (entry & kElse) continue;
      const uint64_t used = entry & 63, behind = next[bits << used & ((1 << kLook) - 1)], more = behind >> 18 & 31;
      if (behind & kElse || used + more > kLook) continue;
      next[bits] = (entry & 0x0000FFFFFFFFFFC0) | (used + more) | (behind & 31 << 8) << 5 | (behind & 0x0000FFFF00000000) << 16;
    }
  }
};

// The cached table with this specification; null if the table is invalid. Most files have the same four.
inline std::shared_ptr<const Codes> codes_of(const uint8_t* spec, int total, bool first) {
  static std::mutex& lock = *new std::mutex;  // never destroyed: threads may outlive the end of the program
  static std::shared_ptr<const Codes>* const known = new std::shared_ptr<const Codes>[kKnown];
  static int oldest = 0;
  {
    const std::lock_guard<std::mutex> guard(lock);
    for (int i = 0; i < kKnown; ++i) {
      if (known[i] && known[i]->is(spec, total, first)) return known[i];
    }
  }
  const auto made = std::make_shared<Codes>();
  if (!made->make(spec, total, first)) return nullptr;
  const std::lock_guard<std::mutex> guard(lock);
  known[oldest++ % kKnown] = made;
  return made;
}

// Where a coefficient of a block goes, and its factor.
struct Step {
  int16_t place, factor;
};

struct Component {
  int id, across, down, table, first, others;  // blocks of an MCU, and the tables it uses
  int64_t width, height, stride;               // meaningful samples, bytes of a row of the plane
  std::unique_ptr<uint8_t[]> plane;
  bool wanted;
  Step steps[kPlaces];
};

struct Header {
  const uint8_t *at, *end;
  int64_t height = 0, width = 0;
  int count = 0, interval = 0;  // components; MCUs between restarts
  bool jfif = false, adobe = false;
  Component components[3];
  uint8_t quantities[4][64];
  bool quantified[4] = {};
  std::shared_ptr<const Codes> codes[2][4];  // for DC coefficients, for the others

  Header(const uint8_t* data, int64_t size) : at(data), end(data + size) {}

  // Reads up to the first byte of the scan.
  bool read() {
    if (end - at < 4 || at[0] != 0xFF || at[1] != 0xD8) return false;
    at += 2;
    for (;;) {
      if (end - at < 4 || at[0] != 0xFF) return false;
      const int marker = at[1];
      const int64_t length = at[2] << 8 | at[3];
      if (length < 2 || end - at < 2 + length) return false;
      const uint8_t *from = at + 4, *to = at + 2 + length;
      at = to;
      if (marker == 0xDA) return scan(from, to);
      if (!segment(marker, from, to)) return false;
    }
  }

  bool segment(int marker, const uint8_t* from, const uint8_t* to) {
    switch (marker) {
      case 0xC0:
      case 0xC1: return frame(from, to);
      case 0xC4: return huffman(from, to);
      case 0xDB: return quantization(from, to);
      case 0xDD: return to - from == 2 && (interval = from[0] << 8 | from[1], true);
      case 0xE0: return application(from, to);
      case 0xEE: return adobe_application(from, to);
      default: return marker == 0xFE || (marker >= 0xE1 && marker <= 0xEF);
    }
  }

  bool application(const uint8_t* from, const uint8_t* to) {
    if (to - from < 14 || std::memcmp(from, "JFIF", 5) != 0) return true;
    jfif = true;
    return from[5] == 1;  // the major version
  }

  bool adobe_application(const uint8_t* from, const uint8_t* to) {
    if (to - from < 12 || std::memcmp(from, "Adobe", 5) != 0) return true;
    adobe = true;
    return from[11] == 1;  // YCbCr
  }

  bool quantization(const uint8_t* from, const uint8_t* to) {
    for (; to - from >= 65; from += 65) {
      if (from[0] > 3) return false;
      std::memcpy(quantities[from[0]], from + 1, 64);
      quantified[from[0]] = true;
    }
    return from == to;
  }

  bool huffman(const uint8_t* from, const uint8_t* to) {
    while (to - from >= 17) {
      const int kind = from[0] >> 4, place = from[0] & 15;
      int total = 0;
      for (int i = 1; i <= 16; ++i) total += from[i];
      if (kind > 1 || place > 3 || total > 256 || to - from < 17 + total) return false;
      codes[kind][place] = codes_of(from + 1, total, kind == 0);
      if (!codes[kind][place]) return false;
      from += 17 + total;
    }
    return from == to;
  }

  bool frame(const uint8_t* from, const uint8_t* to) {
    if (count || to - from < 6 || from[0] != 8) return false;
    height = from[1] << 8 | from[2], width = from[3] << 8 | from[4], count = from[5];
    if ((count != 1 && count != 3) || to - from != 6 + 3 * count || !height || !width) return false;
    for (int i = 0; i < count; ++i) {
      const uint8_t* part = from + 6 + 3 * i;
      Component& c = components[i];
      c.id = part[0], c.across = part[1] >> 4, c.down = part[1] & 15, c.table = part[2];
      if (c.table > 3 || !c.across || !c.down || c.across > 4 || c.down > 4) return false;
    }
    return count == 1 ? grey() : colours();
  }

  bool grey() {
    Component& c = components[0];
    c.across = c.down = 1;  // a scan of one component is coded block by block
    return true;
  }

  bool colours() {
    const Component &y = components[0], &cb = components[1], &cr = components[2];
    if (cb.across != 1 || cb.down != 1 || cr.across != 1 || cr.down != 1) return false;
    return (y.across == 1 && y.down == 1) || (y.across == 2 && y.down <= 2);
  }

  bool scan(const uint8_t* from, const uint8_t* to) {
    if (!count || to - from != 4 + 2 * count || from[0] != count) return false;
    const uint8_t* rest = from + 1 + 2 * count;
    if (rest[0] != 0 || rest[1] != 63 || rest[2] != 0) return false;
    if (count == 3 && !jfif && !adobe && (components[0].id != 1 || components[1].id != 2 || components[2].id != 3)) return false;  // perhaps RGB
    if (count == 3 && (components[0].id == components[1].id || components[0].id == components[2].id || components[1].id == components[2].id)) return false;
    if (count == 1 && adobe) return false;
    for (int i = 0; i < count; ++i) {
      Component& c = components[i];
      c.first = from[2 + 2 * i] >> 4, c.others = from[2 + 2 * i] & 15;
      if (from[1 + 2 * i] != c.id || c.first > 3 || c.others > 3) return false;
      if (!quantified[c.table] || !codes[0][c.first] || !codes[1][c.others]) return false;
      measure(c);
    }
    return true;
  }

  void measure(Component& c) {
    const int64_t across = components[0].across, down = components[0].down;
    c.width = (width * c.across + across - 1) / across, c.height = (height * c.down + down - 1) / down;
    c.stride = columns() * c.across * 8;
    for (int k = 0; k < kPlaces; ++k) {
      const int at = k < 64 ? kOrder[k] : 0;
      c.steps[k].place = static_cast<int16_t>(k < 64 ? at / 8 * kLine + at % 8 : kNumbers);
      c.steps[k].factor = static_cast<int16_t>(k < 64 ? (quantities[c.table][k] * kScales[at] + (1 << 11)) >> 12 : 0);
    }
  }

  // MCUs of a row, and rows of them
  int64_t columns() const { return (width + 8 * components[0].across - 1) / (8 * components[0].across); }
  int64_t rows() const { return (height + 8 * components[0].down - 1) / (8 * components[0].down); }
};

// The next bits of a scan, from the highest of `held` on.
struct Bits {
  const uint8_t* at;
  uint64_t held = 0;
  int count = 0;

  // At least 56 bits.
  void fill() {
    uint64_t next;
    std::memcpy(&next, at, 8);
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    next = __builtin_bswap64(next);
#endif
    held |= next >> count;
    at += (63 - count) >> 3;
    count |= 56;
  }

  void skip(uint64_t bits) { held <<= bits & 63, count -= static_cast<int>(bits & 63); }

  uint64_t look(const Codes& codes) const { return codes.next[held >> (64 - kLook)]; }

  // The entry of a code that is longer than a lookup; 0 if there is none.
  uint64_t find(const Codes& codes) const {
    for (int length = kLook + 1; length <= 16; ++length) {
      const int32_t code = static_cast<int32_t>(held >> (64 - length));
      if (code < codes.limits[length]) return long_entry(length, codes.spec[16 + code + codes.offsets[length]], codes.first);
    }
    return 0;
  }
};

// Writes the coefficients of a block; returns the position of its last one, or -1.
inline int read_block(Bits& bits, const Codes& firsts, const Codes& others, const Step* steps, int32_t& last, int16_t* to) {
  Bits b = bits;
  const auto put = [&](int k, int64_t number) { to[steps[k].place] = static_cast<int16_t>(number * steps[k].factor); };
  b.fill();
  uint64_t entry = b.look(firsts);
  if (entry & kLong) {
    if (entry == kLong && (entry = b.find(firsts)) == 0) return -1;
    last += number_of(entry, b.held);
  } else {
    last += static_cast<int16_t>(entry >> 32);
  }
  if (last != static_cast<int16_t>(last)) return -1;
  put(0, last);
  b.skip(entry);
  for (int k = 0;;) {
    b.fill();
    for (int i = 0; i < 4; ++i) {  // four lookups take 44 of the 56 bits
      entry = b.look(others);
      if (__builtin_expect((entry & kElse) != 0, 0)) break;
      const int first = k + (entry >> 8 & 31), second = first + (entry >> 13 & 31);
      put(first, static_cast<int16_t>(entry >> 32));
      if (__builtin_expect(second >= 63, 0)) {  // the second one may belong to the next block
        b.skip(entry >> 18 & 31);
        if (first >= 63) return bits = b, first == 63 ? first : -1;
        k = first;
        break;
      }
      put(second, static_cast<int16_t>(entry >> 48));
      b.skip(entry);
      k = second;
    }
    if (!(entry & kElse)) continue;
    b.fill();
    if (entry == kLong && (entry = b.find(others)) == 0) return -1;
    if (entry & kEnd) return b.skip(entry), bits = b, k;
    k += entry >> 8 & 31;
    put(k, number_of(entry, b.held));
    b.skip(entry);
    if (k >= 63) return bits = b, k == 63 ? k : -1;
  }
}

class Scan {
 public:
  explicit Scan(Header& header)
      : h_(header), bytes_(new uint8_t[static_cast<size_t>(header.end - header.at + kBehind)]) {
    for (int i = 0; i < h_.count; ++i) {
      Component& c = h_.components[i];
      if (c.wanted) c.plane.reset(new uint8_t[static_cast<size_t>(c.stride * h_.rows() * c.down * 8 + kRoom)]);
    }
  }

  // Reads everything up to the end of the file.
  bool read() {
    const int64_t columns = h_.columns(), total = columns * h_.rows(), interval = h_.interval ? h_.interval : total;
    int restart = 0;
    for (int64_t done = 0; done < total; done += interval) {
      if (done && !marker(0xD0 + restart++ % 8)) return false;
      unstuff();
      for (int64_t mcu = done; mcu < std::min(done + interval, total); ++mcu) {
        if (!read_mcu(mcu / columns, mcu % columns) || bits_.at > end_ + 8) return false;
      }
      if (bits_.at - bits_.count / 8 != end_) return false;  // some are left, or were missing
    }
    while (pending_) push(unused_, 0, 0);
    return marker(0xD9);
  }

 private:
  // Copies the bytes up to the next marker, without the zeros after bytes of 255.
  void unstuff() {
    uint8_t* to = bytes_.get();
    while (h_.at < h_.end) {
      const void* found = std::memchr(h_.at, 0xFF, static_cast<size_t>(h_.end - h_.at));
      const uint8_t* stop = found ? static_cast<const uint8_t*>(found) : h_.end;
      std::memcpy(to, h_.at, static_cast<size_t>(stop - h_.at));
      to += stop - h_.at;
      h_.at = stop;
      if (h_.end - stop < 2 || stop[1] != 0) break;
      *to++ = 0xFF;
      h_.at += 2;
    }
    std::memset(to, 0, kBehind);
    end_ = to;
    bits_ = Bits{bytes_.get()};
    last_[0] = last_[1] = last_[2] = 0;
  }

  bool marker(int wanted) {
    if (h_.end - h_.at < 2 || h_.at[0] != 0xFF || h_.at[1] != wanted) return false;
    h_.at += 2;
    return true;
  }

  bool read_mcu(int64_t row, int64_t column) {
    for (int i = 0; i < h_.count; ++i) {
      const Component& c = h_.components[i];
      const Codes &firsts = *h_.codes[0][c.first], &others = *h_.codes[1][c.others];
      for (int block = 0; block < c.across * c.down; ++block) {
        const int k = read_block(bits_, firsts, others, c.steps, last_[i], c.wanted ? numbers_ + 8 * pending_ : ignored_);
        if (k < 0) return false;
        const int64_t y = row * c.down + block / c.across, x = column * c.across + block % c.across;
        if (c.wanted) push(c.plane.get() + y * 8 * c.stride + x * 8, c.stride, k);
      }
    }
    return true;
  }

  // A block was read: where its samples go, and its last position.
  void push(uint8_t* to, int64_t stride, int last) {
    to_[pending_] = to, strides_[pending_] = stride;
    deepest_ = std::max(deepest_, last);
    if (++pending_ < kBlocks) return;
    inverse_transform(numbers_, deepest_ == 0, to_, strides_);
    pending_ = deepest_ = 0;
  }

  Header& h_;
  std::unique_ptr<uint8_t[]> bytes_;
  const uint8_t* end_ = nullptr;
  Bits bits_{nullptr};
  int32_t last_[3];
  alignas(64) int16_t numbers_[kNumbers + kLine] = {};
  int16_t ignored_[kNumbers + kLine];
  int pending_ = 0, deepest_ = 0;
  uint8_t* to_[kBlocks];
  int64_t strides_[kBlocks];
  uint8_t unused_[8];
};

// Converts the samples of the planes to pixels of one or three channels.
inline void write(const Header& h, int64_t channels, uint8_t* out) {
  const Component &y = h.components[0], &cb = h.components[1], &cr = h.components[2];
  const bool halved = y.across == 2, quartered = y.down == 2;
  const int64_t width = h.width, room = width + 2 + kRoom;
  std::unique_ptr<uint16_t[]> sums(new uint16_t[static_cast<size_t>(room)]);
  std::unique_ptr<uint8_t[]> rows(new uint8_t[static_cast<size_t>(5 * room)]());
  uint8_t *const wide[2] = {rows.get(), rows.get() + room}, *const rgb[3] = {wide[1] + room, wide[1] + 2 * room, wide[1] + 3 * room};
  for (int64_t row = 0; row < h.height; ++row, out += width * channels) {
    const uint8_t* light = y.plane.get() + row * y.stride;
    if (channels == 1) {
      std::memcpy(out, light, static_cast<size_t>(width));
      continue;
    }
    const uint8_t* colours[2] = {light, light};
    if (h.count == 1) {
      for (int64_t x = 0; x < width; ++x) out[3 * x] = out[3 * x + 1] = out[3 * x + 2] = light[x];
      continue;
    }
    for (int i = 0; i < 2; ++i) {
      const Component& c = i ? cr : cb;
      const int64_t near = quartered ? row / 2 : row, far = std::clamp<int64_t>(row % 2 ? near + 1 : near - 1, 0, c.height - 1);
      colours[i] = c.plane.get() + near * c.stride;
      if (!halved) continue;
      upsample(colours[i], quartered ? c.plane.get() + far * c.stride : nullptr, c.width, sums.get(), wide[i]);
      colours[i] = wide[i];
    }
    to_rgb(light, colours[0], colours[1], width, rgb, out);
  }
}

// False if libjpeg-turbo must decode the file. Throws if there is no memory.
inline bool decode(const uint8_t* data, int64_t size, int64_t height, int64_t width, int64_t channels, uint8_t* out) {
  const std::unique_ptr<Header> header(new Header(data, size));
  Header& h = *header;
  if (!h.read() || h.height != height || h.width != width) return false;
  if (h.count == 3 && h.components[0].across == 2 && h.components[1].width <= 2) return false;  // too narrow for smooth upsampling
  for (int i = 0; i < h.count; ++i) h.components[i].wanted = i == 0 || channels == 3;
  if (!Scan(h).read()) return false;
  write(h, channels, out);
  return true;
}

}  // namespace jpeg
}  // namespace reflow
