/** A unified diff, line by line: what goes, what comes, and the hidden characters in both. */
import { useState } from 'react';
import { Button } from './button.tsx';
import { HiddenWarning } from './code-block.tsx';
import { count } from './format.ts';
import { SafeText } from './safe-text.tsx';

type LineKind = 'add' | 'del' | 'hunk' | 'same';

/** The two lines that name the sides come first; below them `+++` is a line that was added. */
const HEAD_LINES = 2;
/** Beyond this a page would crawl; the rest is shown on demand. */
const MAX_LINES = 2_000;
const MAX_CHARACTERS = 100_000;

export const lineKind = (line: string, place: number): LineKind => {
  const isHead = place < HEAD_LINES && (line.startsWith('+++') || line.startsWith('---'));
  if (isHead || line.startsWith('@@')) return 'hunk';
  if (line.startsWith('+')) return 'add';
  return line.startsWith('-') ? 'del' : 'same';
};

export const DiffView = ({ diff, label }: { readonly diff: string; readonly label: string }) => {
  const [isWhole, setWhole] = useState(false);
  const whole = diff.replace(/\n$/, '');
  const lines = (isWhole ? whole : whole.slice(0, MAX_CHARACTERS)).split('\n');
  const shown = isWhole ? lines : lines.slice(0, MAX_LINES);
  const isCut = !isWhole && (whole.length > MAX_CHARACTERS || lines.length > MAX_LINES);
  return (
    <figure className="code diff" aria-label={label}>
      <HiddenWarning text={shown.join('\n')} />
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable by key */}
      <pre tabIndex={0}>
        {shown.map((line, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the lines of one diff never move
          <code key={index} className={`diff-line diff-${lineKind(line, index)}`}>
            <SafeText text={line} />
            {'\n'}
          </code>
        ))}
      </pre>
      {isCut && (
        <Button isSmall onClick={() => setWhole(true)}>
          Show all {count(whole.length)} characters
        </Button>
      )}
    </figure>
  );
};
