/** Reads the body of an answer: JSON as data, text as text, anything else as base64. */
import { charsetOf, decodeText, parseJson, readBytes } from '../../../kit/http/read-reply.ts';

const JSON_TYPE = /^[^/;]+\/(?:[^/;]+\+)?json\b/i;
const TEXT_TYPE =
  /^(?:text\/|[^/;]+\/(?:[^/;]+\+)?(?:xml|yaml|x-yaml|javascript|graphql|x-ndjson|ndjson|csv|x-www-form-urlencoded)\b)/i;

export interface ReadBody {
  /** `undefined` where there is none. */
  readonly value: unknown;
  readonly isJson: boolean;
}

export const readBody = async (response: Response, maxBytes: number): Promise<ReadBody> => {
  const bytes = await readBytes(response, maxBytes);
  if (bytes.byteLength === 0) return { value: undefined, isJson: false };
  const type = response.headers.get('content-type') ?? '';
  if (JSON_TYPE.test(type) || type === '') {
    const text = decodeText(bytes);
    const parsed = parseJson(text);
    if (parsed) return { value: parsed.value, isJson: true };
    return { value: text, isJson: false };
  }
  if (TEXT_TYPE.test(type)) return { value: decodeText(bytes, charsetOf(type)), isJson: false };
  const base64 = Buffer.from(bytes).toString('base64');
  return { value: { contentType: type.slice(0, 100), base64 }, isJson: false };
};
