/** The content of an entry: the file of a tool, or the rule or settings as JSON. */
import { CodeBlock } from '../../components/code-block.tsx';
import { JsonView } from '../../components/json-view.tsx';
import type { CatalogEntry } from './catalog-records.ts';

export const EntryContent = ({ entry }: { readonly entry: CatalogEntry }) => {
  if (entry.text !== undefined) return <CodeBlock text={entry.text} label="The file of the tool" />;
  if (entry.rule !== undefined) return <JsonView value={entry.rule} label="The rule" />;
  if (entry.settings === undefined) return null;
  return (
    <JsonView
      value={{ type: entry.type, settings: entry.settings }}
      label="The settings of the API"
    />
  );
};
