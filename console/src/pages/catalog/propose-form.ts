/** From the boxes of a proposal to the change that is sent, or what is wrong with them. */
import { isRecord } from '../../api/is-record.ts';
import type { CatalogChange, CatalogEntry, EntryKind } from './catalog-records.ts';

export interface ProposeForm {
  readonly kind: EntryKind;
  readonly name: string;
  /** The file of a tool, or the rule or the settings as JSON. */
  readonly content: string;
  /** The kind of an API. */
  readonly type: string;
  readonly note: string;
}

export const API_TYPES = ['openapi', 'graphql', 'grpc', 'websocket'] as const;

const TEMPLATES: Readonly<Partial<Record<EntryKind, string>>> = {
  rule: '{\n  "effect": "ask",\n  "tools": ["write_file"],\n  "reason": "Why"\n}',
  source: '{\n  "url": "https://example.com/openapi.json"\n}',
};

export const templateOf = (kind: EntryKind): string => TEMPLATES[kind] ?? '';

export const NEW_FORM: ProposeForm = {
  kind: 'tool',
  name: '',
  content: '',
  type: 'openapi',
  note: '',
};

/** Fills the boxes with an entry that is published, to propose another version of it. */
export const formOf = (entry: CatalogEntry): ProposeForm => ({
  ...NEW_FORM,
  kind: entry.kind as EntryKind,
  name: entry.name,
  type: entry.type ?? NEW_FORM.type,
  content:
    entry.text ??
    (entry.kind === 'rule' || entry.kind === 'source'
      ? JSON.stringify(entry.kind === 'rule' ? entry.rule : entry.settings, null, 2)
      : ''),
});

export type Parsed =
  | { readonly change: CatalogChange }
  | { readonly problem: string; readonly field: 'name' | 'content' };

const objectOf = (text: string): Readonly<Record<string, unknown>> | undefined => {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
};

const NO_OBJECT = {
  problem: 'Write one JSON object: { "name": value, … }.',
  field: 'content',
} as const;

/** Reads the form. The server checks the rest and names every fault. */
export const parseForm = ({ kind, name, content, type }: ProposeForm): Parsed => {
  const own = kind === 'no-local-tools' ? 'all' : name.trim();
  if (own === '') return { problem: 'Name the entry.', field: 'name' };
  const put = (more: object): Parsed => ({
    change: { action: 'put', entry: { kind, name: own, ...more } },
  });
  if (kind === 'tool') {
    return content.trim() === ''
      ? { problem: 'Paste the file of the tool.', field: 'content' }
      : put({ text: content });
  }
  if (kind !== 'rule' && kind !== 'source') return put({});
  const value = objectOf(content);
  if (value === undefined) return NO_OBJECT;
  return kind === 'rule' ? put({ rule: { ...value, name: own } }) : put({ type, settings: value });
};
