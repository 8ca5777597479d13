/** A unified diff, line by line: what goes, what comes, and the hidden characters in both. */
import { SafeText } from './safe-text.tsx';

type LineKind = 'add' | 'del' | 'hunk' | 'same';

/** The two lines that name the sides come first; below them `+++` is a line that was added. */
const HEAD_LINES = 2;

export const lineKind = (line: string, place: number): LineKind => {
  const isHead = place < HEAD_LINES && (line.startsWith('+++') || line.startsWith('---'));
  if (isHead || line.startsWith('@@')) return 'hunk';
  if (line.startsWith('+')) return 'add';
  return line.startsWith('-') ? 'del' : 'same';
};

export const DiffView = ({ diff, label }: { readonly diff: string; readonly label: string }) => (
  <figure className="code diff" aria-label={label}>
    {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable by key */}
    <pre tabIndex={0}>
      {diff
        .replace(/\n$/, '')
        .split('\n')
        .map((line, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the lines of one diff never move
          <code key={index} className={`diff-line diff-${lineKind(line, index)}`}>
            <SafeText text={line} />
            {'\n'}
          </code>
        ))}
    </pre>
  </figure>
);
