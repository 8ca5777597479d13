/** What a tab shows when somebody else signed in to the same browser: who it is now, and a way on. */
import type { Session } from '../api/call-records.ts';
import { Button } from '../components/button.tsx';
import { SafeText } from '../components/safe-text.tsx';

interface OtherSessionProps {
  readonly was: Session;
  readonly now: Session;
  onGoOn(): void;
}

const Person = ({ session }: { readonly session: Session }) => (
  <>
    <strong>
      <SafeText text={session.user} />
    </strong>{' '}
    ({session.role})
  </>
);

export const OtherSessionPage = ({ was, now, onGoOn }: OtherSessionProps) => (
  <main className="sign-in">
    <div className="sign-in-box">
      <h1>
        <img src="./icon.svg" alt="" width="36" height="36" />
        Toolcrib
      </h1>
      <p className="note note-warn" role="alert">
        Somebody else signed in. This tab belonged to <Person session={was} />; in another tab of
        this browser it is now <Person session={now} />.
      </p>
      <Button kind="primary" onClick={onGoOn}>
        Go on as {now.user}
      </Button>
      <p className="hint">
        A browser holds one session. To be both, use a private window or another browser for one of
        them.
      </p>
    </div>
  </main>
);
