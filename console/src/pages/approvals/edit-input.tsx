/** The input of a question, opened for changes, beside the schema of its tool. */
import { useServices } from '../../api/services.tsx';
import type { ToolDetail } from '../../api/tool-records.ts';
import { useLoad } from '../../api/use-load.ts';
import { WhenLoaded } from '../../components/states.tsx';
import { checkValue } from '../../schema-form/check-value.ts';
import { SchemaForm } from '../../schema-form/schema-form.tsx';

interface EditProps {
  readonly tool: string;
  readonly value: unknown;
  /** Called with the input, and whether it fits the schema as far as that is known here. */
  onChange(value: unknown, isValid: boolean): void;
}

export const EditInput = ({ tool, value, onChange }: EditProps) => {
  const { api } = useServices();
  const detail = useLoad(tool, () => api.get<ToolDetail>(`/v1/tools/${encodeURIComponent(tool)}`));
  return (
    <WhenLoaded of={detail}>
      {({ input: schema }) => (
        <SchemaForm
          schema={schema}
          value={value}
          onChange={(next) => onChange(next, checkValue(next, schema).length === 0)}
          issues={checkValue(value, schema)}
          startsAs="json"
        />
      )}
    </WhenLoaded>
  );
};
