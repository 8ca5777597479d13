/**
 * Undoes percent-encoding the way the most careless decoder would: `%u002e`, overlong UTF-8 and
 * broken sequences included. Only ASCII matters to whoever looks for separators and dots.
 */

const ESCAPES = /%u([0-9a-f]{4})|((?:%[0-9a-f]{2})+)/gi;
const OTHER = '\ufffd';

/** How many bits of a lead byte count, and how many bytes follow it; too few bytes count as none. */
const LEADS = [
  { from: 0xf0, bits: 0x07, more: 3 },
  { from: 0xe0, bits: 0x0f, more: 2 },
  { from: 0xc0, bits: 0x1f, more: 1 },
] as const;

const decodeBytes = (bytes: readonly number[]): string => {
  let text = '';
  for (let at = 0; at < bytes.length; ) {
    const byte = bytes[at] as number;
    const lead = LEADS.find(({ from }) => byte >= from);
    const tail = bytes.slice(at + 1, at + 1 + (lead?.more ?? 0));
    let code = lead ? byte & lead.bits : byte;
    for (const next of tail) code = (code << 6) | (next & 0x3f);
    text += code < 0x80 ? String.fromCharCode(code) : OTHER;
    at += 1 + tail.length;
  }
  return text;
};

export const lenientDecode = (text: string): string =>
  text.includes('%')
    ? text.replaceAll(ESCAPES, (_all, unicode: string | undefined, bytes: string) =>
        unicode === undefined
          ? decodeBytes([...Buffer.from(bytes.replaceAll('%', ''), 'hex')])
          : String.fromCharCode(Number.parseInt(unicode, 16)),
      )
    : text;
