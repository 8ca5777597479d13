/** The head of a view of something that comes and goes: its state, what to run, what went wrong last. */
import { Badge, type Tone } from './badge.tsx';
import { CodeBlock } from './code-block.tsx';
import { SafeText } from './safe-text.tsx';

export interface StateMeaning {
  readonly tone: Tone;
  readonly word: string;
  readonly meaning: string;
  /** A command that helps; empty when nothing is called for. */
  readonly command: string;
}

interface Props {
  readonly name: string;
  readonly state: StateMeaning;
  readonly lastError: string | undefined;
}

export const StateHeader = ({ name, state, lastError = '' }: Props) => (
  <>
    <header>
      <h2>
        <SafeText text={name} />
      </h2>
      <p>
        <Badge tone={state.tone}>{state.word}</Badge> <span className="muted">{state.meaning}</span>
      </p>
    </header>
    {state.command !== '' && <CodeBlock text={state.command} label="What to run" />}
    {lastError !== '' && (
      <div className="note note-bad">
        <h3>Last error</h3>
        <p>
          <SafeText text={lastError} />
        </p>
      </div>
    )}
  </>
);
