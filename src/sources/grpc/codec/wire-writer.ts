/** Writes the wire format of Protocol Buffers. */
const START_BYTES = 256;

export class WireWriter {
  #bytes = Buffer.allocUnsafe(START_BYTES);
  #at = 0;

  finish(): Buffer {
    return this.#bytes.subarray(0, this.#at);
  }

  tag(fieldNumber: number, wire: number): void {
    this.uint32(((fieldNumber << 3) | wire) >>> 0);
  }

  uint32(value: number): void {
    const room = this.#room(5);
    let rest = value >>> 0;
    while (rest > 0x7f) {
      room[this.#at++] = (rest & 0x7f) | 0x80;
      rest >>>= 7;
    }
    room[this.#at++] = rest;
  }

  /** Writes an int32. Negative numbers take ten bytes, as the format requires. */
  int32(value: number): void {
    if (value >= 0) this.uint32(value);
    else this.uint64(BigInt.asUintN(64, BigInt(value)));
  }

  sint32(value: number): void {
    this.uint32(((value << 1) ^ (value >> 31)) >>> 0);
  }

  uint64(value: bigint): void {
    const room = this.#room(10);
    let rest = value;
    while (rest > 0x7fn) {
      room[this.#at++] = Number(rest & 0x7fn) | 0x80;
      rest >>= 7n;
    }
    room[this.#at++] = Number(rest);
  }

  int64(value: bigint): void {
    this.uint64(BigInt.asUintN(64, value));
  }

  sint64(value: bigint): void {
    this.uint64(BigInt.asUintN(64, (value << 1n) ^ (value >> 63n)));
  }

  fixed32(value: number): void {
    this.#at = this.#room(4).writeUInt32LE(value, this.#at);
  }

  sfixed32(value: number): void {
    this.#at = this.#room(4).writeInt32LE(value, this.#at);
  }

  fixed64(value: bigint): void {
    this.#at = this.#room(8).writeBigUInt64LE(value, this.#at);
  }

  sfixed64(value: bigint): void {
    this.#at = this.#room(8).writeBigInt64LE(value, this.#at);
  }

  float(value: number): void {
    this.#at = this.#room(4).writeFloatLE(value, this.#at);
  }

  double(value: number): void {
    this.#at = this.#room(8).writeDoubleLE(value, this.#at);
  }

  /** Writes the length and then the bytes. */
  bytes(value: Uint8Array): void {
    this.uint32(value.byteLength);
    this.#room(value.byteLength).set(value, this.#at);
    this.#at += value.byteLength;
  }

  /** Writes bytes that are fields themselves, without a length. */
  raw(value: Uint8Array): void {
    this.#room(value.byteLength).set(value, this.#at);
    this.#at += value.byteLength;
  }

  #room(size: number): Buffer {
    const needed = this.#at + size;
    if (needed > this.#bytes.length) {
      const larger = Buffer.allocUnsafe(Math.max(needed, this.#bytes.length * 2));
      this.#bytes.copy(larger, 0, 0, this.#at);
      this.#bytes = larger;
    }
    return this.#bytes;
  }
}
