/** A value as YAML on one line. JSON is YAML; quotes are left out where nothing needs them. */

const PLAIN = /^[A-Za-z./][\w./-]*$/;
const NOT_TEXT = /^(?:true|false|null|\.inf|\.nan)$/i;

export const flowText = (value: unknown): string => {
  if (typeof value === 'string' && PLAIN.test(value) && !NOT_TEXT.test(value)) return value;
  if (Array.isArray(value)) return `[${value.map(flowText).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const entries = Object.entries(value).map(([key, item]) => `${flowText(key)}: ${flowText(item)}`);
  return entries.length === 0 ? '{}' : `{ ${entries.join(', ')} }`;
};
