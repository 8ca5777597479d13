/** A JSON value, indented and coloured; hidden characters in its strings are made visible. */
import { CodeBlock } from './code-block.tsx';
import { SafeText } from './safe-text.tsx';

const TOKEN = /("(?:[^"\\]|\\.)*")(\s*:)?|(-?\d[\d.eE+-]*)|\b(true|false|null)\b/g;

interface Piece {
  readonly text: string;
  readonly kind: 'plain' | 'key' | 'string' | 'number' | 'word';
}

export const jsonPieces = (text: string): readonly Piece[] => {
  const pieces: Piece[] = [];
  let done = 0;
  for (const match of text.matchAll(TOKEN)) {
    const [whole, quoted, colon, number] = match;
    if (match.index > done) pieces.push({ text: text.slice(done, match.index), kind: 'plain' });
    if (quoted === undefined) pieces.push({ text: whole, kind: number ? 'number' : 'word' });
    else {
      pieces.push({ text: quoted, kind: colon === undefined ? 'string' : 'key' });
      if (colon !== undefined) pieces.push({ text: colon, kind: 'plain' });
    }
    done = match.index + whole.length;
  }
  return done < text.length ? [...pieces, { text: text.slice(done), kind: 'plain' }] : pieces;
};

const drawJson = (text: string) =>
  jsonPieces(text).map((piece, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the pieces of one text never move
    <span key={index} className={`json-${piece.kind}`}>
      <SafeText text={piece.text} />
    </span>
  ));

/** Draws a value; nothing for `undefined`. */
export const JsonView = (props: { readonly value: unknown; readonly label: string }) => (
  <CodeBlock
    text={JSON.stringify(props.value, null, 2) ?? ''}
    label={props.label}
    draw={drawJson}
  />
);
