/** Text from outside: shown as text, with every hidden character drawn as its code. */
import { visibleParts } from './visible-text.ts';

export const SafeText = ({ text }: { readonly text: string }) => (
  <bdi>
    {visibleParts(text).map(({ text: part, code }, index) =>
      code === undefined ? (
        part
      ) : (
        // biome-ignore lint/suspicious/noArrayIndexKey: the parts of one text never move
        <mark key={index} className="hidden-character" title={`Hidden character ${code}`}>
          {code}
        </mark>
      ),
    )}
  </bdi>
);
