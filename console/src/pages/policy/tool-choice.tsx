/** A box to choose a tool by name, with all names to pick from. */
import { type FormEvent, useEffect, useId, useState } from 'react';
import type { Page } from '../../api/call-records.ts';
import { useServices } from '../../api/services.tsx';
import type { ToolSummary } from '../../api/tool-records.ts';
import { useLoad } from '../../api/use-load.ts';
import { Button } from '../../components/button.tsx';

const MAX_NAMES = 200;

interface ChoiceProps {
  readonly value: string;
  onChange(name: string): void;
}

export const ToolChoice = ({ value, onChange }: ChoiceProps) => {
  const { api } = useServices();
  const list = useId();
  const [text, setText] = useState(value);
  useEffect(() => setText(value), [value]);
  const tools = useLoad('tool names', () =>
    api.get<Page<ToolSummary>>('/v1/tools', { limit: MAX_NAMES }),
  );
  const names = tools.data?.items.map(({ name }) => name) ?? [];
  // A name that was typed before the names had come is chosen when they come.
  // biome-ignore lint/correctness/useExhaustiveDependencies: it is the arrival that counts.
  useEffect(() => {
    if (text !== value && names.includes(text)) onChange(text);
  }, [tools.data]);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    onChange(text.trim());
  };
  const type = (next: string): void => {
    setText(next);
    // Picked from the list: nobody wants to press a button as well.
    if (names.includes(next)) onChange(next);
  };
  return (
    <form className="filters" onSubmit={submit}>
      <label className="filter tool-choice">
        <span>Tool</span>
        <input
          list={list}
          value={text}
          data-search
          spellCheck={false}
          autoComplete="off"
          onChange={(event) => type(event.target.value)}
        />
        <datalist id={list}>
          {names.map((name) => (
            <option key={name} value={name} />
          ))}
        </datalist>
      </label>
      <Button type="submit">Choose</Button>
    </form>
  );
};
