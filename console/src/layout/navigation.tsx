/** The navigation: the pages, the state of the connection, and who is signed in. */
import { useServices } from '../api/services.tsx';
import { Button } from '../components/button.tsx';
import { Icon } from '../components/icon.tsx';
import { SafeText } from '../components/safe-text.tsx';
import { useErrorToast } from '../components/toast.tsx';
import { useConnectionState } from '../live/use-live.ts';
import { PAGES } from '../pages/page-table.ts';
import { hrefOf } from '../router/route.ts';
import { ThemeSwitch } from './theme-switch.tsx';

const STATE_TEXTS = {
  connecting: 'Connecting…',
  open: 'Live',
  lost: 'Connection lost, trying again…',
} as const;

const ConnectionStatus = () => {
  const state = useConnectionState();
  return (
    <p className={`connection connection-${state}`} role="status">
      <span className="connection-dot" aria-hidden="true" />
      {STATE_TEXTS[state]}
    </p>
  );
};

/** Says that the connection is lost on narrow screens, where the menu hides the status. */
export const ConnectionLost = () => {
  const isLost = useConnectionState() === 'lost';
  return (
    <p className={isLost ? 'connection connection-lost' : undefined} role="status">
      {isLost && (
        <>
          <span className="connection-dot" aria-hidden="true" />
          Connection lost
        </>
      )}
    </p>
  );
};

export const WaitingBadge = ({ waiting }: { readonly waiting: string }) =>
  waiting === '' ? null : (
    <span className="count">
      {waiting}
      <span className="unseen"> waiting</span>
    </span>
  );

interface NavigationProps {
  readonly current: string;
  readonly waiting: string;
  onHelp(): void;
  /** Called when a page was chosen, perhaps the one that is open. */
  onChoose(): void;
}

const PageLinks = ({ current, waiting, onChoose }: Omit<NavigationProps, 'onHelp'>) => (
  <ul>
    {PAGES.map(({ id, title, icon }) => (
      <li key={id}>
        <a
          href={hrefOf([id])}
          onClick={onChoose}
          aria-current={id === current ? 'page' : undefined}
        >
          <Icon name={icon} />
          <span>{title}</span>
          {id === 'approvals' && <WaitingBadge waiting={waiting} />}
        </a>
      </li>
    ))}
  </ul>
);

export const Navigation = ({ onHelp, ...links }: NavigationProps) => {
  const { session, signOut } = useServices();
  const fail = useErrorToast();
  return (
    <nav id="navigation" aria-label="Pages">
      <PageLinks {...links} />
      <div className="nav-foot">
        <ConnectionStatus />
        <p className="who">
          <SafeText text={session.user} />
          <span className="muted"> {session.role}</span>
        </p>
        <div className="nav-buttons">
          <ThemeSwitch />
          <Button
            kind="quiet"
            icon="help"
            onClick={onHelp}
            aria-label="Keyboard help"
            title="Keyboard help (?)"
          />
          <Button
            kind="quiet"
            icon="leave"
            onClick={() => void signOut().catch(fail)}
            aria-label="Sign out"
            title="Sign out"
          />
        </div>
      </div>
    </nav>
  );
};
