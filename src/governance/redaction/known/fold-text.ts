/** Reduces characters to what a reader takes them for: letters without case, and digits. */
import { latinOf } from '../look-alikes.ts';

/** Stands for blanks, marks and what is not seen. */
export const DROPPED = 0;

const foldAscii = (code: number): number => {
  if (code >= 97 && code <= 122) return code;
  if (code >= 65 && code <= 90) return code + 32;
  return code >= 48 && code <= 57 ? code : DROPPED;
};

const ASCII = Uint16Array.from({ length: 128 }, (_, code) => foldAscii(code));

/** Folds a character beyond ASCII. */
const foldOther = (text: string, at: number): number => {
  const code = text.charCodeAt(at);
  if (code >= 0xff01 && code <= 0xff5e) return foldAscii(code - 0xfee0);
  if (code >= 0x370 && code <= 0x52f) {
    return latinOf(text.charAt(at)).toLowerCase().charCodeAt(0);
  }
  if (code === 0xd835 || (code >= 0x2460 && code <= 0x24ff)) {
    const plain = String.fromCodePoint(text.codePointAt(at) as number).normalize('NFKC');
    return foldAscii(plain.charCodeAt(0));
  }
  const isUnseen =
    code < 0xc0 ||
    (code >= 0x300 && code <= 0x36f) ||
    (code >= 0x2000 && code <= 0x206f) ||
    (code >= 0xdc00 && code <= 0xdfff) ||
    (code >= 0xfe00 && code <= 0xfe0f) ||
    code === 0x3000 ||
    code === 0xfeff;
  return isUnseen ? DROPPED : code;
};

/**
 * Gives the code of the letter or digit that the character at a position is read as, or `DROPPED`.
 */
export const foldAt = (text: string, at: number): number => {
  const code = text.charCodeAt(at);
  return code < 128 ? (ASCII[code] as number) : foldOther(text, at);
};
