/**
 * Removes the changes of files that hold secrets from the output of git. Attributes tell git not to
 * print them; this is for sandboxes that cannot lay a file over the repository.
 */
import { sensitiveRule } from './sensitive-names.ts';

// biome-ignore lint/suspicious/noControlCharactersInRegex: colours stand before and after the line
const HEADER = /^(?:\u001b\[[\d;]*m)*diff --(?:git|cc|combined) (.+?)(?:\u001b\[[\d;]*m)*$/;
const WITHHELD = '[The change of a file that holds secrets is left out.]';

/** Lists the names in a header: `a/x b/x`, quoted where they are odd, or one name. */
const namesIn = (text: string): readonly string[] => {
  const plain = text.replaceAll('"', '');
  const middle = Math.floor(plain.length / 2);
  return [plain, plain.slice(0, middle), plain.slice(middle + 1), ...plain.split(' ')];
};

const isSecret = (name: string): boolean =>
  sensitiveRule({ above: [], below: name.split('/'), isFolder: false }) !== undefined;

/** Removes the changes; returns the same text where there is nothing to remove. */
export const withholdSecrets = (text: string): string => {
  if (!text.includes('diff --')) return text;
  let isHidden = false;
  return text
    .split('\n')
    .flatMap((line) => {
      const [, header] = HEADER.exec(line) ?? [];
      if (header !== undefined) {
        isHidden = namesIn(header).some(isSecret);
        return isHidden ? [line, WITHHELD] : [line];
      }
      // The next commit of a log ends the change of the last one.
      if (isHidden && /^commit [0-9a-f]{7,64}\b/.test(line)) isHidden = false;
      return isHidden ? [] : [line];
    })
    .join('\n');
};
