/** Searching the configuration, and telling what somebody changed from what is as it ships. */
import type { SettingLine } from './setting-records.ts';

/** Writes a value as text: plain words as they are, the rest as JSON. */
export const valueText = (value: unknown): string => {
  if (value === undefined || value === null) return 'not set';
  return typeof value === 'string' ? value : JSON.stringify(value);
};

/** Objects from two places may have their keys in another order. */
const ordered = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(ordered);
  if (typeof value !== 'object' || value === null) return value;
  return Object.entries(value)
    .map(([key, inner]) => [key, ordered(inner)] as const)
    .sort(([a], [b]) => (a < b ? -1 : 1));
};

export const isChanged = (line: SettingLine): boolean =>
  JSON.stringify(ordered(line.value ?? null)) !== JSON.stringify(ordered(line.default ?? null));

export interface SettingSearch {
  readonly words: string;
  readonly onlyChanged: boolean;
}

const textOf = ({ path, value, source, description }: SettingLine): string =>
  `${path}\n${valueText(value)}\n${source}\n${description}`.toLowerCase();

export const findSettings = (
  lines: readonly SettingLine[],
  { words, onlyChanged }: SettingSearch,
): readonly SettingLine[] => {
  const terms = words.toLowerCase().split(/\s+/).filter(Boolean);
  return lines.filter((line) => {
    const text = textOf(line);
    return (!onlyChanged || isChanged(line)) && terms.every((word) => text.includes(word));
  });
};

export interface SettingGroup {
  /** The first part of the paths, e.g. `budget`. */
  readonly name: string;
  readonly lines: readonly SettingLine[];
  readonly changed: number;
}

/** Groups settings by the first part of their paths, in the order in which they came. */
export const groupSettings = (lines: readonly SettingLine[]): readonly SettingGroup[] => {
  const groups = new Map<string, SettingLine[]>();
  for (const line of lines) {
    const [name = ''] = line.path.split('.');
    const group = groups.get(name);
    if (group) group.push(line);
    else groups.set(name, [line]);
  }
  return [...groups].map(([name, group]) => ({
    name,
    lines: group,
    changed: group.filter(isChanged).length,
  }));
};
