/** The exact input of a call: texts of several lines as they are, the rest as JSON; or all of it as JSON. */
import { useState } from 'react';
import { isRecord } from '../api/is-record.ts';
import { Button } from './button.tsx';
import { CodeBlock } from './code-block.tsx';
import { JsonView } from './json-view.tsx';
import { SafeText } from './safe-text.tsx';

const OneValue = ({ name, value }: { readonly name: string; readonly value: unknown }) => {
  if (typeof value === 'string') return <CodeBlock text={value} label={name} />;
  if (typeof value === 'object' && value !== null) return <JsonView value={value} label={name} />;
  return (
    <p>
      <code className="scalar">{JSON.stringify(value)}</code>
    </p>
  );
};

const FieldValue = ({ name, value }: { readonly name: string; readonly value: unknown }) => (
  <div className="input-field">
    <h4>
      <SafeText text={name} />
    </h4>
    <OneValue name={name} value={value} />
  </div>
);

export const InputView = ({ input }: { readonly input: unknown }) => {
  const canSplit = isRecord(input) && Object.keys(input).length > 0;
  const [isJson, setJson] = useState(false);
  return (
    <div className="stack">
      {canSplit && !isJson ? (
        Object.entries(input).map(([name, value]) => (
          <FieldValue key={name} name={name} value={value} />
        ))
      ) : (
        <JsonView value={input} label="Input" />
      )}
      {canSplit && (
        <div>
          <Button isSmall kind="quiet" aria-pressed={isJson} onClick={() => setJson(!isJson)}>
            {isJson ? 'Show field by field' : 'Show as JSON'}
          </Button>
        </div>
      )}
    </div>
  );
};
