/** What became of a recorded call beside what would become of it now; asked for with a button. */
import { useState } from 'react';
import { type ApiError, asApiError } from '../api/api-error.ts';
import { useMay, useServices } from '../api/services.tsx';
import { Badge, type Tone } from './badge.tsx';
import { Button } from './button.tsx';
import { exactTime } from './format.ts';
import { SafeText } from './safe-text.tsx';
import { ErrorState } from './states.tsx';
import { type Column, Table } from './table.tsx';

type Verdict = 'same' | 'different' | 'unknown';

interface ReplayLine {
  readonly aspect: string;
  readonly before: string;
  readonly now: string;
  readonly verdict: Verdict;
}

interface CallReplay {
  readonly verdict: Verdict;
  readonly judgedAt: number;
  readonly lines: readonly ReplayLine[];
  readonly notes: readonly string[];
}

const TONES: Readonly<Record<Verdict, Tone>> = {
  same: 'good',
  different: 'warn',
  unknown: 'neutral',
};

const SUMMARY: Readonly<Record<Verdict, string>> = {
  same: 'The same would happen now.',
  different: 'It would go differently now.',
  unknown: 'What would happen now cannot be judged from the record.',
};

const COLUMNS: readonly Column<ReplayLine>[] = [
  {
    id: 'aspect',
    title: 'What',
    cell: ({ aspect, verdict }) => (
      <span className="badges">
        {aspect} <Badge tone={TONES[verdict]}>{verdict}</Badge>
      </span>
    ),
  },
  { id: 'then', title: 'Then', cell: ({ before }) => <SafeText text={before} /> },
  { id: 'now', title: 'Now', cell: ({ now }) => <SafeText text={now} /> },
];

const Comparison = ({ replay }: { readonly replay: CallReplay }) => (
  <div className="stack" role="status">
    <p>
      <strong>{SUMMARY[replay.verdict]}</strong>{' '}
      <span className="muted">
        Judged {exactTime(replay.judgedAt)}. Nothing was run or counted.
      </span>
    </p>
    <Table
      label="Then and now"
      columns={COLUMNS}
      rows={replay.lines}
      keyOf={({ aspect }) => aspect}
    />
    {replay.notes.length > 0 && (
      <ul className="muted">
        {replay.notes.map((note) => (
          <li key={note}>
            <SafeText text={note} />
          </li>
        ))}
      </ul>
    )}
  </div>
);

/** Judges the call again when asked. It says so where the reader may not ask. */
export const ReplayView = ({ executionId }: { readonly executionId: string }) => {
  const { api } = useServices();
  const mayAsk = useMay('operator');
  const [replay, setReplay] = useState<CallReplay>();
  const [problem, setProblem] = useState<ApiError>();
  const [isBusy, setBusy] = useState(false);
  const judge = async (): Promise<void> => {
    setBusy(true);
    setProblem(undefined);
    try {
      const path = `/v1/audit/${encodeURIComponent(executionId)}/replay`;
      setReplay(await api.send<CallReplay>('POST', path));
    } catch (error) {
      setProblem(asApiError(error));
    } finally {
      setBusy(false);
    }
  };
  return (
    <section className="stack" aria-label="Under today’s rules">
      <h3>Under today’s rules</h3>
      <div className="actions">
        <Button icon="policy" isBusy={isBusy} disabled={!mayAsk} onClick={() => void judge()}>
          Compare with now
        </Button>
        {!mayAsk && <span className="muted">Operators may do this.</span>}
      </div>
      {problem !== undefined && <ErrorState error={problem} />}
      {replay && <Comparison replay={replay} />}
    </section>
  );
};
