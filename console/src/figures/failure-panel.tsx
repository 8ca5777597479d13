/** What failed or was refused: by error code, and by tool. Every number leads to its calls. */
import {
  type CallFigures,
  FAILED_STATUSES,
  failedOf,
  type MetricLine,
} from '../api/metric-records.ts';
import type { Span } from '../charts/period.ts';
import { count } from '../components/format.ts';
import { SafeText } from '../components/safe-text.tsx';
import { callsHref } from './call-links.ts';

const SHOWN = 8;
/** A call that waits for a person has not failed. */
const WAITING = 'APPROVAL_REQUIRED';

interface Line {
  readonly name: string;
  readonly calls: number;
  readonly href: string;
}

const most = (lines: readonly Line[]): readonly Line[] =>
  lines
    .filter(({ calls }) => calls > 0)
    .sort((a, b) => b.calls - a.calls || (a.name < b.name ? -1 : 1))
    .slice(0, SHOWN);

interface FailureProps {
  readonly total: CallFigures;
  /** Absent where one tool is looked at. */
  readonly tools?: readonly MetricLine[];
  readonly span: Pick<Span, 'from' | 'to'>;
  readonly tool: string;
}

const byCode = ({ total, span: { from, to }, tool }: FailureProps): readonly Line[] =>
  most(
    Object.entries(total.byCode)
      .filter(([code]) => code !== WAITING)
      .map(([code, calls]) => ({
        name: code,
        calls,
        href: callsHref({ code, tool, from, to }),
      })),
  );

const byTool = ({ tools = [], span: { from, to } }: FailureProps): readonly Line[] =>
  most(
    tools.map((line) => ({
      name: line.name,
      calls: failedOf(line),
      href: callsHref({ tool: line.name, status: FAILED_STATUSES.join(','), from, to }),
    })),
  );

/** Bars are as long as the share of the largest. */
const Ranking = ({ title, lines }: { readonly title: string; readonly lines: readonly Line[] }) => {
  const top = lines[0]?.calls ?? 1;
  return (
    <section className="stack" aria-label={title}>
      <h3>{title}</h3>
      <ol className="ranking">
        {lines.map(({ name, calls, href }) => (
          <li key={name}>
            <a href={href}>
              <span className="ranking-name">
                <SafeText text={name} />
              </span>
              <span className="ranking-calls">{count(calls)}</span>
              <span className="ranking-bar" style={{ width: `${(calls / top) * 100}%` }} />
            </a>
          </li>
        ))}
      </ol>
    </section>
  );
};

export const FailurePanel = (props: FailureProps) => {
  const codes = byCode(props);
  const tools = byTool(props);
  return (
    <section className="panel" aria-label="What failed">
      <h2>What failed or was refused</h2>
      {codes.length === 0 ? (
        <p className="muted">Nothing in this period.</p>
      ) : (
        <div className="rankings">
          <Ranking title="By code" lines={codes} />
          {tools.length > 0 && <Ranking title="Failed, by tool" lines={tools} />}
        </div>
      )}
    </section>
  );
};
