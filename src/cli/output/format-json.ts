/** Formats JSON for people: indented, coloured, with control characters escaped. */
import type { Colors } from 'picocolors/types.js';
import { isObject } from '../../kit/data/is-record.ts';
import { visibleJson } from '../../kit/text/visible-text.ts';

const scalar = (value: unknown, ink: Colors): string => {
  const text = visibleJson(JSON.stringify(value) ?? 'null');
  if (typeof value === 'string') return ink.green(text);
  return typeof value === 'number' ? ink.yellow(text) : ink.magenta(text);
};

const wrapped = (brackets: string, parts: readonly string[], indent: string): string => {
  const [open = '', close = ''] = brackets;
  if (parts.length === 0) return open + close;
  const inner = parts.map((part) => `${indent}  ${part}`).join(',\n');
  return `${open}\n${inner}\n${indent}${close}`;
};

/** Formats like `JSON.stringify` with two spaces, in colour. */
export const formatJson = (value: unknown, ink: Colors, indent = ''): string => {
  const deeper = `${indent}  `;
  if (Array.isArray(value)) {
    const items = value.map((item: unknown) => formatJson(item, ink, deeper));
    return wrapped('[]', items, indent);
  }
  if (!isObject(value)) return scalar(value, ink);
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .map(([key, member]) => {
      const name = ink.cyan(visibleJson(JSON.stringify(key)));
      return `${name}: ${formatJson(member, ink, deeper)}`;
    });
  return wrapped('{}', members, indent);
};
