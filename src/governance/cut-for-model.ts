/** Cuts long strings and arrays down to what a prompt should hold, and says what was cut. */

export interface ModelLimits {
  readonly maxStringChars: number;
  readonly maxArrayItems: number;
}

/** Copies only what changes. `cut` is called once for every place that was shortened. */
export const cutForModel = (
  value: unknown,
  limits: ModelLimits,
  cut: (what: string) => void,
): unknown => {
  if (typeof value === 'string') {
    if (value.length <= limits.maxStringChars) return value;
    cut(`a text of ${value.length} characters was cut to ${limits.maxStringChars}`);
    return `${value.slice(0, limits.maxStringChars)}… [${value.length - limits.maxStringChars} more characters]`;
  }
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    const kept = value.slice(0, limits.maxArrayItems);
    if (kept.length < value.length) {
      cut(`a list of ${value.length} items was cut to ${limits.maxArrayItems}`);
    }
    return kept.map((item) => cutForModel(item, limits, cut));
  }
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, cutForModel(item, limits, cut)]),
  );
};
