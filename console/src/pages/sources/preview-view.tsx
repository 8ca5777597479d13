/** What a source would add: its tools with tier, rule and prompt tokens, and what they reach. */
import { Badge, type Tone } from '../../components/badge.tsx';
import { Facts } from '../../components/facts.tsx';
import { count } from '../../components/format.ts';
import { SafeText } from '../../components/safe-text.tsx';
import { type Column, Table } from '../../components/table.tsx';
import { RefusedList } from './refused-list.tsx';
import type { SourcePreview } from './source-records.ts';

type Tool = SourcePreview['tools'][number];

const MAX_ROWS = 100;

const RULES: ReadonlyMap<string, readonly [Tone, string]> = new Map([
  ['allow', ['good', 'runs']],
  ['ask', ['warn', 'asks first']],
  ['deny', ['bad', 'refused']],
]);

const COLUMNS: readonly Column<Tool>[] = [
  { id: 'name', title: 'Tool', cell: ({ name }) => <SafeText text={name} /> },
  { id: 'tier', title: 'Risk', cell: ({ tier }) => tier },
  {
    id: 'rule',
    title: 'A call',
    cell: ({ rule }) => {
      const [tone, word] = RULES.get(rule) ?? (['neutral', rule] as const);
      return <Badge tone={tone}>{word}</Badge>;
    },
  },
  {
    id: 'tokens',
    title: 'Tokens',
    isNumber: true,
    isSecondary: true,
    cell: ({ tokens }) => count(tokens),
  },
];

export const PreviewView = ({ preview }: { readonly preview: SourcePreview }) => {
  const { tools, tokens, refused, hosts, secrets } = preview;
  const missing = secrets.filter(({ isSet }) => !isSet);
  const rest = tools.length - MAX_ROWS;
  return (
    <section className="stack" aria-label="What it would add">
      <Facts
        of={[
          ['Name', <SafeText key="name" text={preview.name} />],
          ['Tools', count(tools.length)],
          ['Prompt tokens', count(tokens)],
          ['Reaches', hosts.length > 0 && <SafeText key="hosts" text={hosts.join(', ')} />],
        ]}
      />
      {missing.length > 0 && (
        <p className="note note-warn">
          Secrets that are not stored yet: <SafeText text={missing.map((s) => s.key).join(', ')} />
        </p>
      )}
      {tools.length > 0 && (
        <Table
          label="Tools it would add"
          columns={COLUMNS}
          rows={tools.slice(0, MAX_ROWS)}
          keyOf={({ name }) => name}
        />
      )}
      {rest > 0 && <p className="muted">and {count(rest)} more</p>}
      <RefusedList refused={refused} />
    </section>
  );
};
