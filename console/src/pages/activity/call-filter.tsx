/** Which calls are shown, kept in the address: what a figure leads to, and how to widen it again. */
import { Button } from '../../components/button.tsx';
import { duration, exactTime } from '../../components/format.ts';
import { SafeText } from '../../components/safe-text.tsx';
import { plainVisible } from '../../components/visible-text.ts';

export type Filter = Readonly<Record<string, string>>;

const numberIn = (value: string | undefined): string =>
  value !== undefined && /^\d{1,15}(\.\d{1,15})?$/.test(value) ? value : '';

const wholeIn = (value: string | undefined): string =>
  value !== undefined && /^\d{1,15}$/.test(value) ? value : '';

/** Reads the filters that have no control of their own. Invalid ones are left out. */
export const figureFilter = (query: Readonly<Record<string, string>>): Filter => ({
  tool: query.tool ?? '',
  user: query.user ?? '',
  code: /^[A-Z_]{1,64}$/.test(query.code ?? '') ? (query.code ?? '') : '',
  from: wholeIn(query.from),
  to: wholeIn(query.to),
  overMs: numberIn(query.overMs),
  upToMs: numberIn(query.upToMs),
});

interface Chip {
  readonly names: readonly string[];
  readonly text: string;
}

const timeText = ({ from = '', to = '' }: Filter): string => {
  if (to === '') return `since ${exactTime(Number(from))}`;
  if (from === '') return `before ${exactTime(Number(to))}`;
  return `${exactTime(Number(from))} to ${exactTime(Number(to))}`;
};

const lengthText = ({ overMs = '', upToMs = '' }: Filter): string => {
  if (upToMs === '') return `over ${duration(Number(overMs))}`;
  if (overMs === '') return `up to ${duration(Number(upToMs))}`;
  return `${duration(Number(overMs))} to ${duration(Number(upToMs))}`;
};

export const chipsOf = (filter: Filter): readonly Chip[] => {
  const is = (name: string): boolean => (filter[name] ?? '') !== '';
  const named = (['tool', 'user', 'code'] as const)
    .filter(is)
    .map((name) => ({ names: [name], text: `${name} ${filter[name]}` }));
  const times = is('from') || is('to') ? [{ names: ['from', 'to'], text: timeText(filter) }] : [];
  const lengths =
    is('overMs') || is('upToMs')
      ? [{ names: ['overMs', 'upToMs'], text: `took ${lengthText(filter)}` }]
      : [];
  return [...named, ...times, ...lengths];
};

interface ChipsProps {
  readonly filter: Filter;
  onChange(filter: Filter): void;
}

/** Draws a button for each of them, which removes the filter. */
export const FilterChips = ({ filter, onChange }: ChipsProps) => {
  const chips = chipsOf(filter);
  if (chips.length === 0) return null;
  const without = (names: readonly string[]): Filter => ({
    ...filter,
    ...Object.fromEntries(names.map((name) => [name, ''])),
  });
  return (
    <div className="chips">
      {chips.map(({ names, text }) => (
        <Button
          key={text}
          isSmall
          icon="close"
          onClick={() => onChange(without(names))}
          aria-label={`Only ${plainVisible(text)}; take this filter away`}
        >
          <SafeText text={text} />
        </Button>
      ))}
    </div>
  );
};
