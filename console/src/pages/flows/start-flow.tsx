/** Starts a run by hand: a form from the schema of the flow's input. */
import { type FormEvent, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import type { FlowInfo, FlowPlan, RunSummary } from '../../api/flow-records.ts';
import { useServices } from '../../api/services.tsx';
import { Button } from '../../components/button.tsx';
import { SafeText } from '../../components/safe-text.tsx';
import { useErrorToast } from '../../components/toast.tsx';
import { goTo, hrefOf } from '../../router/route.ts';
import { checkValue } from '../../schema-form/check-value.ts';
import { initialValue } from '../../schema-form/initial-value.ts';
import { SchemaForm } from '../../schema-form/schema-form.tsx';
import { PlanApproval } from './plan-approval.tsx';
import { PlanView } from './plan-view.tsx';

/** A flow without a schema takes anything. */
const ANYTHING = {};

/** A plan, and the input that it was made for. */
interface PlannedInput {
  readonly plan: FlowPlan;
  readonly input: unknown;
}

const Planned = ({ flow, plan, input }: PlannedInput & { readonly flow: string }) => {
  const asks = plan.steps.some(({ verdict, tool }) => verdict === 'ask' && tool !== undefined);
  return (
    <>
      <PlanView plan={plan} />
      {asks && <PlanApproval key={plan.digest} flow={flow} input={input} />}
    </>
  );
};

export const StartFlow = ({ flow }: { readonly flow: FlowInfo }) => {
  const { api, session } = useServices();
  const fail = useErrorToast();
  const schema = flow.input ?? ANYTHING;
  const [input, setInput] = useState<unknown>(() => initialValue(schema, schema));
  const [isChecked, setChecked] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const [planned, setPlanned] = useState<PlannedInput>();
  const form = useRef<HTMLFormElement>(null);
  const issues = checkValue(input, schema);
  const isGood = (): boolean => {
    // Drawn at once: the first box that is wrong is marked by then, and the next key goes there.
    flushSync(() => setChecked(true));
    if (issues.length > 0) form.current?.querySelector<HTMLElement>('[aria-invalid]')?.focus();
    return issues.length === 0;
  };
  const showPlan = (): void => {
    if (!isGood()) return;
    api
      .send<FlowPlan>('POST', `/v1/flows/${encodeURIComponent(flow.name)}/plan`, { input })
      .then((plan) => setPlanned({ plan, input }), fail);
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (!isGood()) return;
    setBusy(true);
    api
      .send<RunSummary>('POST', `/v1/flows/${encodeURIComponent(flow.name)}/runs`, { input })
      .then(({ id }) => goTo(hrefOf(['flows', 'run', id])), fail)
      .finally(() => setBusy(false));
  };
  const isOff = session.role === 'viewer';
  return (
    <>
      <header className="detail-head">
        <h2>
          <SafeText text={flow.name} />
        </h2>
        {flow.description !== '' && (
          <p className="muted">
            <SafeText text={flow.description} />
          </p>
        )}
      </header>
      <form ref={form} className="stack" onSubmit={submit} noValidate>
        <SchemaForm
          schema={schema}
          value={input}
          onChange={setInput}
          issues={isChecked ? issues : []}
          startsAs={flow.input ? 'form' : 'json'}
        />
        {isOff && <p className="note">Viewers cannot start runs.</p>}
        <div className="actions">
          <Button type="submit" kind="primary" isBusy={isBusy} disabled={isOff}>
            Start the run
          </Button>
          {flow.source === 'data' && (
            <Button disabled={isOff} onClick={showPlan}>
              Plan
            </Button>
          )}
        </div>
      </form>
      <div aria-live="polite">{planned && <Planned flow={flow.name} {...planned} />}</div>
    </>
  );
};
