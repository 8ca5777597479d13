/** The marks below a chart: hours by the reader's clock, days by that of the server. */
import type { BucketSize } from './period.ts';

const DAY_S = 86_400;

const dateOf = (seconds: number, zone: object): string =>
  new Date(seconds * 1_000).toLocaleDateString('en-GB', {
    day: 'numeric',
    month: 'short',
    ...zone,
  });

const hourOf = (seconds: number): string =>
  new Date(seconds * 1_000).toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit' });

/** Makes the labels; below hours, the date stands in a second line where it changes. */
export const timeLabels = (marks: readonly number[], bucket: BucketSize): readonly string[] => {
  const [first = 0, second = first] = marks;
  const zone = bucket === 'day' ? { timeZone: 'UTC' } : {};
  if (bucket === 'day' || second - first >= DAY_S) return marks.map((mark) => dateOf(mark, zone));
  return marks.map((mark, index) => {
    const before = marks[index - 1];
    const date = dateOf(mark, zone);
    const isNew = before === undefined || dateOf(before, zone) !== date;
    return isNew ? `${hourOf(mark)}\n${date}` : hourOf(mark);
  });
};
