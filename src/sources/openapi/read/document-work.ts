/** The work of reading an OpenAPI document, JSON or YAML. Limited, because its author may be hostile. */
import { isObject } from '../../../kit/data/is-record.ts';
import { isPrototypeKey } from '../../../kit/data/prototype-key.ts';
import { withoutByteOrderMark } from '../../../kit/text/byte-order-mark.ts';
import { readYaml, type YamlLibrary, type YamlRules } from '../../../kit/text/strict-yaml.ts';
import { unreadable } from './unreadable.ts';

const MAX_DEPTH = 200;
const MAX_VALUES = 5_000_000;
/** Lower than for JSON, because each alias is followed. */
const MAX_YAML_VALUES = 1_500_000;
const YAML_RULES: YamlRules = {
  maxDepth: MAX_DEPTH,
  maxNodes: MAX_YAML_VALUES,
  aliases: 'follow',
  mergeKeys: true,
};

/**
 * Refuses data that is nested too deep or has too many values, and removes prototype keys such as
 * `__proto__`. Does not recurse: deep nesting would end the process.
 */
const bounded = (document: unknown): unknown => {
  let level: object[] = isObject(document) ? [document] : [];
  let values = 0;
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > MAX_DEPTH) throw unreadable(`it is nested deeper than ${MAX_DEPTH} levels`);
    const inner: object[] = [];
    for (const node of level) {
      for (const key of Object.keys(node)) {
        values += 1;
        const value: unknown = (node as Record<string, unknown>)[key];
        if (key === '__proto__') Reflect.deleteProperty(node, key);
        else if (isObject(value)) inner.push(value);
      }
    }
    if (values > MAX_VALUES) throw unreadable(`it holds more than ${MAX_VALUES} values`);
    level = inner;
  }
  return document;
};

const parseYaml = (yaml: YamlLibrary, text: string): unknown => {
  const { value, faults } = readYaml(yaml, text, YAML_RULES);
  // Prototype keys are no fault: the reader leaves them out, and a schema may have one.
  const fault = faults.find(({ path }) => !isPrototypeKey(path.at(-1)));
  if (fault && !/^the key \w+ is not allowed$/.test(fault.message)) {
    throw unreadable(`${fault.message} (line ${fault.line}, column ${fault.column})`);
  }
  return value;
};

const JSON_START = /^[\s\uFEFF]*[{[]/;

const parseJson = (text: string): { readonly value: unknown } | undefined => {
  if (!JSON_START.test(text)) return undefined;
  try {
    return { value: JSON.parse(text) as unknown };
  } catch {
    // YAML may begin with a brace as well.
    return undefined;
  }
};

/** Describes what was found instead of a document. */
const whatInstead = (text: string): string => {
  if (text.trim() === '') return 'it is empty';
  const isPage = /^\s*<(?:!doctype html|html|head|body)\b/i.test(text);
  return isPage ? 'it is a web page' : 'it is no object';
};

const checked = (document: unknown, text: string): object => {
  const plain = bounded(document);
  if (!isObject(plain)) throw unreadable(whatInstead(text));
  return plain;
};

/**
 * Finds how a text is encoded (YAML 1.2, section 5.2): by its byte order mark, or by the zeros beside its
 * first character, which is always of ASCII.
 */
const encodingOf = ([first, second]: Uint8Array): string => {
  if ((first === 0xff && second === 0xfe) || (first !== 0 && second === 0)) return 'utf-16le';
  if ((first === 0xfe && second === 0xff) || (first === 0 && second !== 0)) return 'utf-16be';
  return 'utf-8';
};

/** Prepares the work. It throws CONFIG_INVALID for text that is no document. */
export const prepare = async (bytes: Uint8Array): Promise<() => object> => {
  const text = withoutByteOrderMark(new TextDecoder(encodingOf(bytes)).decode(bytes));
  const json = parseJson(text);
  if (json) return () => checked(json.value, text);
  const yaml = await import('yaml');
  return () => checked(parseYaml(yaml, text), text);
};
