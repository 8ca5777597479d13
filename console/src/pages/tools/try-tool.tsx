/** Calls a tool by hand: a form from its schema, a dry run, the real one, and its result. */
import { type FormEvent, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { useServices } from '../../api/services.tsx';
import type { ToolDetail, ToolResult } from '../../api/tool-records.ts';
import { Button } from '../../components/button.tsx';
import { FilterSelect } from '../../components/field.tsx';
import { ResultView } from '../../components/result-view.tsx';
import { useErrorToast } from '../../components/toast.tsx';
import { useLive } from '../../live/use-live.ts';
import { checkValue } from '../../schema-form/check-value.ts';
import { initialValue } from '../../schema-form/initial-value.ts';
import { SchemaForm } from '../../schema-form/schema-form.tsx';

interface Attempt {
  readonly input: unknown;
  readonly dryRun?: boolean;
  readonly approvalId?: string;
}

const useTry = (tool: ToolDetail) => {
  const { api } = useServices();
  const fail = useErrorToast();
  const [busy, setBusy] = useState<'run' | 'dry'>();
  const [last, setLast] = useState<{ readonly attempt: Attempt; readonly result: ToolResult }>();
  const [denied, setDenied] = useState<string>();
  const run = (attempt: Attempt): void => {
    setBusy(attempt.dryRun ? 'dry' : 'run');
    api
      .run(`/v1/tools/${encodeURIComponent(tool.name)}/execute`, attempt)
      .then((result) => setLast({ attempt, result }), fail)
      .finally(() => setBusy(undefined));
  };
  // The person has pressed Run: once the call is approved it goes on by itself.
  useLive(['approval.decided'], ({ data }) => {
    const waits = last?.result.status === 'pending' ? last.result.approval?.approvalId : undefined;
    if (!last || waits === undefined || data.approvalId !== waits) return;
    if (data.approved === true) run({ ...last.attempt, approvalId: waits });
    else setDenied(waits);
  });
  const isDenied = denied !== undefined && denied === last?.result.approval?.approvalId;
  const isDryRun = last?.attempt.dryRun === true;
  return { run, busy, isDenied, isDryRun, result: last?.result };
};

const ExampleChoice = (props: { readonly tool: ToolDetail; onChoose(input: unknown): void }) => {
  const { examples } = props.tool;
  if (examples.length === 0) return null;
  return (
    <div className="filters">
      <FilterSelect
        label="Start from an example"
        value=""
        options={[
          ['', 'choose…'],
          ...examples.map(({ title }, index) => [String(index), title] as const),
        ]}
        onChange={(at) => at !== '' && props.onChoose(examples[Number(at)]?.input)}
      />
    </div>
  );
};

export const TryTool = ({ tool }: { readonly tool: ToolDetail }) => {
  const { session } = useServices();
  const [input, setInput] = useState<unknown>(() => initialValue(tool.input, tool.input));
  const [round, setRound] = useState(0);
  const [isChecked, setChecked] = useState(false);
  const { run, busy, isDenied, isDryRun, result } = useTry(tool);
  const issues = checkValue(input, tool.input);
  const form = useRef<HTMLFormElement>(null);
  const attempt = (dryRun: boolean): void => {
    // Drawn at once: the first box that is wrong is marked by then, and the next key goes there.
    flushSync(() => setChecked(true));
    if (issues.length === 0) run(dryRun ? { input, dryRun } : { input });
    else form.current?.querySelector<HTMLElement>('[aria-invalid]')?.focus();
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    attempt(false);
  };
  const start = (example: unknown): void => {
    setInput(structuredClone(example));
    setRound(round + 1);
  };
  const isOff = !tool.enabled || session.role === 'viewer';
  return (
    <div className="try">
      <form ref={form} className="panel" onSubmit={submit} noValidate>
        <ExampleChoice tool={tool} onChoose={start} />
        <SchemaForm
          key={round}
          schema={tool.input}
          value={input}
          onChange={setInput}
          issues={isChecked ? issues : []}
        />
        {isOff && (
          <p className="note">
            {tool.enabled ? 'Viewers cannot call tools.' : 'The tool is switched off.'}
          </p>
        )}
        <div className="actions">
          <Button type="submit" kind="primary" isBusy={busy === 'run'} disabled={isOff || !!busy}>
            Run
          </Button>
          <Button
            isBusy={busy === 'dry'}
            disabled={isOff || busy !== undefined}
            onClick={() => attempt(true)}
          >
            Dry run
          </Button>
        </div>
      </form>
      <div className="panel" aria-live="polite">
        {isDenied && <p className="note note-bad">A person said no. Nothing was run.</p>}
        {result ? (
          <ResultView result={result} isDryRun={isDryRun} />
        ) : (
          <p className="muted">
            The result appears here. A dry run checks the rules, the cost and the conditions, and
            changes nothing.
          </p>
        )}
      </div>
    </div>
  );
};
