/** The last lines a server wrote, read again and again while the drawer is open. */
import { useEffect, useRef, useState } from 'react';
import { useServices } from '../../api/services.tsx';
import { useLoad } from '../../api/use-load.ts';
import { SafeText } from '../../components/safe-text.tsx';
import { WhenLoaded } from '../../components/states.tsx';
import { serverPath } from './server-records.ts';

const AGAIN_MS = 2_000;

/** Follows the end, unless one has scrolled up to read. */
const Lines = ({ lines, name }: { readonly lines: readonly string[]; readonly name: string }) => {
  const box = useRef<HTMLPreElement>(null);
  const isAtEnd = useRef(true);
  // biome-ignore lint/correctness/useExhaustiveDependencies: new lines move the end
  useEffect(() => {
    if (box.current && isAtEnd.current) box.current.scrollTop = box.current.scrollHeight;
  }, [lines]);
  const onScroll = (): void => {
    const { current } = box;
    if (!current) return;
    isAtEnd.current = current.scrollHeight - current.scrollTop - current.clientHeight < 24;
  };
  return (
    <figure className="code" aria-label={`Log of ${name}`}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable by key */}
      <pre tabIndex={0} ref={box} onScroll={onScroll} className="server-log">
        {lines.map((line, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: equal lines are equal
          <code key={index}>
            <SafeText text={line} />
            {'\n'}
          </code>
        ))}
      </pre>
    </figure>
  );
};

export const ServerLogs = ({ name }: { readonly name: string }) => {
  const { api } = useServices();
  const [isLive, setLive] = useState(true);
  const logs = useLoad(`logs ${name}`, () =>
    api.get<{ lines: readonly string[] }>(serverPath(name, 'logs')),
  );
  const { reload } = logs;
  useEffect(() => {
    if (!isLive) return;
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible') reload();
    }, AGAIN_MS);
    return () => clearInterval(timer);
  }, [isLive, reload]);
  return (
    <section className="stack" aria-label="Log">
      <div className="log-head">
        <h3>Log</h3>
        <label>
          <input
            type="checkbox"
            checked={isLive}
            onChange={(event) => setLive(event.target.checked)}
          />{' '}
          Follow
        </label>
      </div>
      <WhenLoaded of={logs}>
        {({ lines }) =>
          lines.length === 0 ? (
            <p className="muted">It has written nothing yet.</p>
          ) : (
            <Lines lines={lines} name={name} />
          )
        }
      </WhenLoaded>
    </section>
  );
};
