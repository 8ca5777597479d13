/** Parses the text of an OpenAPI document, JSON or YAML. Bounded, because its author may be hostile. */
import { ToolFailure } from '../../../contract/errors.ts';
import { isObject } from '../../../kit/data/is-record.ts';
import { isPrototypeKey } from '../../../kit/data/prototype-key.ts';
import { readYaml, type YamlRules } from '../../../kit/text/strict-yaml.ts';

const MAX_DEPTH = 200;
const MAX_VALUES = 5_000_000;
/** Smaller: each alias is followed. */
const MAX_YAML_VALUES = 1_500_000;
const YAML_RULES: YamlRules = { maxDepth: MAX_DEPTH, maxNodes: MAX_YAML_VALUES, aliases: 'follow' };

export const unreadable = (what: string): ToolFailure =>
  new ToolFailure('CONFIG_INVALID', `The OpenAPI document cannot be read: ${what}.`, {
    suggestions: ['Check the address or the path, and that it is OpenAPI 3.0, 3.1 or Swagger 2.'],
  });

/**
 * Refuses data that is nested too deep or has too many values, and removes names of the machinery of
 * objects. Does not recurse: deep nesting would end the process.
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

const parseYaml = async (text: string): Promise<unknown> => {
  const yaml = await import('yaml');
  const { value, faults } = readYaml(yaml, text, YAML_RULES);
  // A name of the machinery of objects is left out by the reader; a schema may have one.
  const fault = faults.find(({ path }) => !isPrototypeKey(path.at(-1)));
  if (fault && !/^the key \w+ is not allowed$/.test(fault.message)) {
    throw unreadable(`${fault.message} (line ${fault.line}, column ${fault.column})`);
  }
  return value;
};

const JSON_START = /^[\s\uFEFF]*[{[]/;

const parseText = async (text: string): Promise<unknown> => {
  if (JSON_START.test(text)) {
    try {
      return JSON.parse(text.replace(/^\uFEFF/, '')) as unknown;
    } catch {
      // YAML may begin with a brace as well.
    }
  }
  return parseYaml(text.replace(/^\uFEFF/, ''));
};

/** Rejects with CONFIG_INVALID for text that is no document. */
export const parseDocument = async (bytes: Uint8Array): Promise<object> => {
  const document = bounded(await parseText(new TextDecoder().decode(bytes)));
  if (!isObject(document)) throw unreadable('it is no object');
  return document;
};
