/** "Explain a call": which rule would decide about it. Nothing is run. */
import { type FormEvent, useState } from 'react';
import { type ApiError, asApiError } from '../../api/api-error.ts';
import { useServices } from '../../api/services.tsx';
import type { ToolDetail } from '../../api/tool-records.ts';
import { useLoad } from '../../api/use-load.ts';
import { Button } from '../../components/button.tsx';
import { SafeText } from '../../components/safe-text.tsx';
import { EmptyState, ErrorState, WhenLoaded } from '../../components/states.tsx';
import { hrefOf, replaceRoute } from '../../router/route.ts';
import { checkValue } from '../../schema-form/check-value.ts';
import { initialValue } from '../../schema-form/initial-value.ts';
import { SchemaForm } from '../../schema-form/schema-form.tsx';
import { explainRequest, NOBODY_ELSE } from './explain-request.ts';
import { ExplanationView } from './explanation-view.tsx';
import type { Explanation } from './policy-records.ts';
import { ToolChoice } from './tool-choice.tsx';
import { WhoFields } from './who-fields.tsx';

const useQuestion = (tool: ToolDetail) => {
  const { api } = useServices();
  const [input, setInput] = useState<unknown>(
    () => tool.examples[0]?.input ?? initialValue(tool.input, tool.input),
  );
  const [who, setWho] = useState(NOBODY_ELSE);
  const [answer, setAnswer] = useState<Explanation>();
  const [error, setError] = useState<ApiError>();
  const [isBusy, setBusy] = useState(false);
  const [hasTried, setTried] = useState(false);
  const issues = checkValue(input, tool.input);
  const ask = (event: FormEvent): void => {
    event.preventDefault();
    setTried(true);
    if (issues.length > 0) return;
    setBusy(true);
    setError(undefined);
    api
      .send<Explanation>('POST', '/v1/policy/explain', explainRequest(tool.name, input, who))
      .then(setAnswer, (thrown: unknown) => {
        setAnswer(undefined);
        setError(asApiError(thrown));
      })
      .finally(() => setBusy(false));
  };
  return {
    input,
    setInput,
    who,
    setWho,
    answer,
    error,
    isBusy,
    ask,
    issues: hasTried ? issues : [],
  };
};

const Question = ({ tool }: { readonly tool: ToolDetail }) => {
  const question = useQuestion(tool);
  return (
    <div className="explain">
      <form className="panel" onSubmit={question.ask} noValidate>
        <p className="muted">
          <SafeText text={tool.description} />
        </p>
        <SchemaForm
          schema={tool.input}
          value={question.input}
          onChange={question.setInput}
          issues={question.issues}
        />
        <WhoFields who={question.who} onChange={question.setWho} />
        <div className="actions">
          <Button type="submit" kind="primary" icon="policy" isBusy={question.isBusy}>
            Explain
          </Button>
          <span className="muted">Nothing is run.</span>
        </div>
      </form>
      {question.error && <ErrorState error={question.error} />}
      {question.answer && <ExplanationView {...question.answer} />}
    </div>
  );
};

const Chosen = ({ name }: { readonly name: string }) => {
  const { api } = useServices();
  const tool = useLoad(`explain ${name}`, () =>
    api.get<ToolDetail>(`/v1/tools/${encodeURIComponent(name)}`),
  );
  return <WhenLoaded of={tool}>{(detail) => <Question key={name} tool={detail} />}</WhenLoaded>;
};

export const ExplainPanel = ({ tool }: { readonly tool: string }) => (
  <>
    <ToolChoice
      value={tool}
      onChange={(name) => replaceRoute(hrefOf(['policy', 'explain'], { tool: name }))}
    />
    {tool === '' ? (
      <EmptyState icon="policy" title="Which call?">
        <p>
          Choose a tool, then say with what input and as whom. The policy says what it would do.
        </p>
      </EmptyState>
    ) : (
      <Chosen name={tool} />
    )}
  </>
);
