/** Where a character of a YAML string stands in the file, so that errors inside it can be shown. */
import type { Scalar } from 'yaml';

/** In a literal block each line keeps its text, behind the indentation that the first one has. */
const offsetInBlock = (raw: string, value: string, offset: number): number => {
  const before = value.slice(0, offset).split('\n');
  const inLine = offset - (value.lastIndexOf('\n', offset - 1) + 1);
  const first = raw.indexOf('\n') + 1;
  const indent = raw.slice(first).search(/[^ ]|$/);
  let at = first;
  for (const _line of before.slice(1)) at = raw.indexOf('\n', at) + 1;
  return at + indent + inLine;
};

/** The beginning of the string where the place inside cannot be told. */
export const offsetInScalar = (text: string, scalar: Scalar.Parsed, offset: number): number => {
  const [start, end] = scalar.range;
  const raw = text.slice(start, end);
  if (raw === scalar.value) return start + offset;
  if (raw.slice(1, -1) === scalar.value) return start + 1 + offset;
  if (scalar.type !== 'BLOCK_LITERAL') return start;
  return start + offsetInBlock(raw, String(scalar.value), offset);
};
