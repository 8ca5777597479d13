/** Operations that could not become tools, each with its reason. */
import { SafeText } from '../../components/safe-text.tsx';
import type { RefusedOperation } from './source-records.ts';

const MAX_SHOWN = 50;

export const RefusedList = ({ refused }: { readonly refused: readonly RefusedOperation[] }) => {
  if (refused.length === 0) return null;
  const rest = refused.length - MAX_SHOWN;
  return (
    <section className="stack" aria-label="Refused operations">
      <h3>Refused operations</h3>
      <ul className="plain-list">
        {refused.slice(0, MAX_SHOWN).map(({ name, reason }) => (
          <li key={`${name} ${reason}`}>
            <code>
              <SafeText text={name} />
            </code>{' '}
            <span className="muted">
              <SafeText text={reason} />
            </span>
          </li>
        ))}
      </ul>
      {rest > 0 && <p className="muted">and {rest} more</p>}
    </section>
  );
};
