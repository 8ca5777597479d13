/** A name from outside, as code. */
import { SafeText } from './safe-text.tsx';

export const SafeCode = ({ text }: { readonly text: string }) => (
  <code>
    <SafeText text={text} />
  </code>
);
