/** Reads the wire format of Protocol Buffers. Every length is checked before it is used. */

/** Thrown for bytes that are no message of the expected type. */
export class MalformedMessage extends Error {
  constructor(reason: string) {
    super(reason);
    this.name = 'MalformedMessage';
  }
}

export const WIRE = { varint: 0, fixed64: 1, bytes: 2, startGroup: 3, endGroup: 4, fixed32: 5 };

const MAX_SKIPPED_GROUPS = 100;

export class WireReader {
  readonly #bytes: Buffer;
  #at = 0;
  #end: number;
  #low = 0;
  #high = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#end = bytes.byteLength;
  }

  get isDone(): boolean {
    return this.#at >= this.#end;
  }

  /** Restricts reading to the next message; returns what `leave` takes. */
  enter(): number {
    const end = this.#end;
    const length = this.#length();
    this.#end = this.#at + length;
    return end;
  }

  leave(end: number): void {
    this.#end = end;
  }

  uint32(): number {
    this.#varint();
    return this.#low;
  }

  int32(): number {
    return this.uint32() | 0;
  }

  sint32(): number {
    const raw = this.uint32();
    return (raw >>> 1) ^ -(raw & 1);
  }

  bool(): boolean {
    this.#varint();
    return this.#low !== 0 || this.#high !== 0;
  }

  uint64(): bigint {
    this.#varint();
    return this.#high === 0 ? BigInt(this.#low) : (BigInt(this.#high) << 32n) | BigInt(this.#low);
  }

  int64(): bigint {
    return BigInt.asIntN(64, this.uint64());
  }

  sint64(): bigint {
    const raw = this.uint64();
    return (raw >> 1n) ^ -(raw & 1n);
  }

  fixed32(): number {
    return this.#bytes.readUInt32LE(this.#take(4));
  }

  sfixed32(): number {
    return this.#bytes.readInt32LE(this.#take(4));
  }

  fixed64(): bigint {
    return this.#bytes.readBigUInt64LE(this.#take(8));
  }

  sfixed64(): bigint {
    return this.#bytes.readBigInt64LE(this.#take(8));
  }

  float(): number {
    return this.#bytes.readFloatLE(this.#take(4));
  }

  double(): number {
    return this.#bytes.readDoubleLE(this.#take(8));
  }

  /** Returns a view of the bytes, not a copy. */
  bytes(): Buffer {
    const length = this.#length();
    const start = this.#take(length);
    return this.#bytes.subarray(start, start + length);
  }

  /** Passes over a field that nobody knows. */
  skip(wire: number, fieldNumber: number, depth = 0): void {
    if (wire === WIRE.varint) this.#varint();
    else if (wire === WIRE.fixed64) this.#take(8);
    else if (wire === WIRE.bytes) this.#take(this.#length());
    else if (wire === WIRE.fixed32) this.#take(4);
    else if (wire === WIRE.startGroup) this.#skipGroup(fieldNumber, depth);
    else throw new MalformedMessage(`a field has the unknown wire type ${wire}`);
  }

  #skipGroup(fieldNumber: number, depth: number): void {
    if (depth >= MAX_SKIPPED_GROUPS) throw new MalformedMessage('groups are nested too deep');
    while (!this.isDone) {
      const tag = this.uint32();
      const isEnd = (tag & 7) === WIRE.endGroup;
      if (isEnd && tag >>> 3 === fieldNumber) return;
      this.skip(tag & 7, tag >>> 3, depth + 1);
    }
    throw new MalformedMessage('a group has no end');
  }

  #length(): number {
    this.#varint();
    if (this.#high !== 0 || this.#low > this.#end - this.#at) {
      throw new MalformedMessage('a length points behind the end of the message');
    }
    return this.#low;
  }

  #take(size: number): number {
    const start = this.#at;
    if (size > this.#end - start) throw new MalformedMessage('the message ends too early');
    this.#at = start + size;
    return start;
  }

  #varint(): void {
    let low = 0;
    let high = 0;
    for (let shift = 0; shift < 70; shift += 7) {
      if (this.#at >= this.#end) throw new MalformedMessage('the message ends too early');
      const byte = this.#bytes[this.#at++] as number;
      const part = byte & 0x7f;
      if (shift < 28) low |= part << shift;
      else if (shift === 28) {
        low |= part << 28;
        high |= part >>> 4;
      } else high |= part << (shift - 32);
      if (byte < 0x80) {
        this.#low = low >>> 0;
        this.#high = high >>> 0;
        return;
      }
    }
    throw new MalformedMessage('a number is longer than ten bytes');
  }
}
