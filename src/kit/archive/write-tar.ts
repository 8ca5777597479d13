/** A tar archive (POSIX ustar, long names in pax records), written piece by piece. */

export interface ArchiveEntry {
  /** With forward slashes; a folder ends in one. */
  readonly path: string;
  read(): Promise<Uint8Array>;
}

const BLOCK = 512;
const encoder = new TextEncoder();

/** The file broker tells no mode, so all are executable, as Docker has it on Windows. */
const EXECUTABLE = 0o755;

const octal = (value: number, width: number): string =>
  `${value.toString(8).padStart(width - 1, '0')}\0`;

interface Header {
  readonly name: Uint8Array;
  readonly size: number;
  readonly kind: string;
  readonly mode: number;
}

const header = ({ name, size, kind, mode }: Header): Uint8Array => {
  const block = new Uint8Array(BLOCK);
  const put = (text: string, at: number) => block.set(encoder.encode(text), at);
  block.set(name.subarray(0, 100), 0);
  put(octal(mode, 8), 100);
  put(octal(0, 8), 108);
  put(octal(0, 8), 116);
  put(octal(size, 12), 124);
  // One moment for all: the same files make the same archive.
  put(octal(0, 12), 136);
  put(' '.repeat(8), 148);
  put(kind, 156);
  put('ustar\u000000', 257);
  const sum = block.reduce((total, byte) => total + byte, 0);
  put(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return block;
};

const padding = (size: number): Uint8Array => new Uint8Array((BLOCK - (size % BLOCK)) % BLOCK);

/** Writes a record: `length key=value\n`, where the length counts itself. */
const paxRecord = (path: string): Uint8Array => {
  const rest = ` path=${path}\n`;
  const bytes = encoder.encode(rest).length;
  let length = bytes + String(bytes).length;
  if (String(length).length > String(bytes).length) length = bytes + String(length).length;
  return encoder.encode(`${length}${rest}`);
};

const isPlain = (path: string): boolean => path.length <= 100 && /^[\x20-\x7e]*$/.test(path);

export async function* writeTar(
  entries: readonly ArchiveEntry[],
  mode = EXECUTABLE,
): AsyncGenerator<Uint8Array, void> {
  for (const { path, read } of entries) {
    if (!isPlain(path)) {
      const record = paxRecord(path);
      yield header({ name: encoder.encode('pax'), size: record.length, kind: 'x', mode });
      yield record;
      yield padding(record.length);
    }
    const isFolder = path.endsWith('/');
    const content = isFolder ? new Uint8Array() : await read();
    const kind = isFolder ? '5' : '0';
    yield header({ name: encoder.encode(path), size: content.length, kind, mode });
    yield content;
    yield padding(content.length);
  }
  yield new Uint8Array(2 * BLOCK);
}
