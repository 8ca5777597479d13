/** A block of text as it is, with hidden characters made visible and a button to copy it. */
import { type ReactNode, useState } from 'react';
import { Button } from './button.tsx';
import { count } from './format.ts';
import { SafeText } from './safe-text.tsx';
import { useToast } from './toast.tsx';
import { countHidden } from './visible-text.ts';

/** Beyond this a page would crawl; the rest is shown on demand. */
const SHOWN_AT_ONCE = 50_000;

export const HiddenWarning = ({ text }: { readonly text: string }) => {
  const count = countHidden(text);
  return count === 0 ? null : (
    <p className="code-warning">
      {count === 1 ? '1 hidden character is' : `${count} hidden characters are`} marked below.
    </p>
  );
};

/** From here on a block may scroll, and what lies below is easily missed. */
const LONG_LINES = 16;
const LONG_TEXT = 1_500;

export const lengthText = (text: string): string => {
  const lines = text.split('\n').length;
  if (lines < LONG_LINES && text.length < LONG_TEXT) return '';
  return `${count(lines)} ${lines === 1 ? 'line' : 'lines'}, ${count(text.length)} characters`;
};

const Length = ({ text }: { readonly text: string }) => {
  const length = lengthText(text);
  return length === '' ? null : <p className="code-length">{length}</p>;
};

const CopyButton = ({ text }: { readonly text: string }) => {
  const toast = useToast();
  const copy = (): void => {
    navigator.clipboard.writeText(text).then(
      () => toast({ tone: 'good', text: 'Copied.' }),
      () => toast({ tone: 'bad', text: 'The browser did not allow copying.' }),
    );
  };
  return <Button kind="quiet" isSmall icon="copy" onClick={copy} aria-label="Copy" />;
};

export interface CodeBlockProps {
  readonly text: string;
  /** What it is, for those who cannot see it. */
  readonly label: string;
  /** Draws the shown text in its own way; plain by default. */
  readonly draw?: (text: string) => ReactNode;
}

export const CodeBlock = ({ text, label, draw }: CodeBlockProps) => {
  const [isWhole, setWhole] = useState(false);
  const shown = isWhole ? text : text.slice(0, SHOWN_AT_ONCE);
  return (
    <figure className="code" aria-label={label}>
      <HiddenWarning text={shown} />
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable by key */}
      <pre tabIndex={0}>
        <code>{draw ? draw(shown) : <SafeText text={shown} />}</code>
      </pre>
      <Length text={text} />
      <div className="code-actions">
        <CopyButton text={text} />
      </div>
      {shown.length < text.length && (
        <Button isSmall onClick={() => setWhole(true)}>
          Show all {count(text.length)} characters
        </Button>
      )}
    </figure>
  );
};
