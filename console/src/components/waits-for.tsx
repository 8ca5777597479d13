/** What a run or a job waits for, each with a link to where that is decided. */
import { hrefOf } from '../router/route.ts';
import { SafeText } from './safe-text.tsx';

const Wait = ({ text }: { readonly text: string }) => {
  const [kind = '', ...rest] = text.split(':');
  const id = rest.join(':');
  if (kind === 'approval') return <a href={hrefOf(['approvals', id])}>a person’s answer</a>;
  if (kind === 'run') return <a href={hrefOf(['flows', 'run', id])}>another run</a>;
  if (kind === 'call') return <a href={hrefOf(['activity', id])}>a call that is in doubt</a>;
  return <SafeText text={id === '' ? kind : `${kind} ${id}`} />;
};

export const WaitsFor = ({ waits }: { readonly waits: readonly string[] }) => (
  <ul className="plain-list">
    {waits.map((each) => (
      <li key={each}>
        <Wait text={each} />
      </li>
    ))}
  </ul>
);
