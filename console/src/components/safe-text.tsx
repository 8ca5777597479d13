/** Text from outside: shown as text, with every hidden character drawn as its code. */
import { Fragment } from 'react';
import { visibleParts } from './visible-text.ts';

/** Where a long name may break: after a joint, before it goes on. */
const JOINT = /(?<=[\p{L}\p{N}][_./@:-])(?=[\p{L}\p{N}])/u;
/** Text beyond this is no name, and breaks where it has to. */
const MAX_NAME = 256;

/** Lets a name break between its words. The text itself stays as it is, also when it is copied. */
const Breakable = ({ text }: { readonly text: string }) =>
  text.length > MAX_NAME
    ? text
    : text.split(JOINT).map((word, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the words of one text never move
        <Fragment key={index}>
          {index > 0 && <wbr />}
          {word}
        </Fragment>
      ));

export const SafeText = ({ text }: { readonly text: string }) => (
  <bdi>
    {visibleParts(text).map(({ text: part, code }, index) =>
      code === undefined ? (
        // biome-ignore lint/suspicious/noArrayIndexKey: the parts of one text never move
        <Breakable key={index} text={part} />
      ) : (
        // biome-ignore lint/suspicious/noArrayIndexKey: the parts of one text never move
        <mark key={index} className="hidden-character" title={`Hidden character ${code}`}>
          {code}
        </mark>
      ),
    )}
  </bdi>
);
