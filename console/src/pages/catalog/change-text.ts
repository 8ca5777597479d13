/** What an entry of a catalog means for the clients of a team, in the words of people. */
import type { CatalogChange } from './catalog-records.ts';

interface KindMeaning {
  readonly word: string;
  readonly effect: string;
}

const KINDS: ReadonlyMap<string, KindMeaning> = new Map([
  ['tool', { word: 'tool', effect: 'Clients get this tool. It runs in a sandbox.' }],
  ['source', { word: 'API', effect: 'Clients open this API at their next start.' }],
  [
    'rule',
    {
      word: 'rule',
      effect: 'This rule guards every call of the clients. No local rule takes it away.',
    },
  ],
  [
    'enforce',
    {
      word: 'enforced tool',
      effect: 'Clients cannot switch off, replace or remove this tool.',
    },
  ],
  ['revoke', { word: 'revoked tool', effect: 'This tool does not run on any client.' }],
  [
    'no-local-tools',
    {
      word: 'no local tools',
      effect:
        'Clients load no custom tools, MCP servers and APIs of their own, from their next start on.',
    },
  ],
]);

export const kindWord = (kind: string): string => KINDS.get(kind)?.word ?? kind;

export const kindEffect = (kind: string): string => KINDS.get(kind)?.effect ?? '';

/** Gives the kind and name of the entry that a change is about. */
export const entryOf = (change: CatalogChange): { readonly kind: string; readonly name: string } =>
  change.action === 'put' ? change.entry : change;

/** What is done to an entry when it is put into the catalog, and when it is taken out. */
const VERBS: ReadonlyMap<string, readonly [put: string, remove: string]> = new Map([
  ['tool', ['Publish the tool', 'Remove the tool']],
  ['source', ['Publish the API', 'Remove the API']],
  ['rule', ['Publish the rule', 'Remove the rule']],
  ['enforce', ['Enforce the tool', 'No longer enforce the tool']],
  ['revoke', ['Revoke the tool', 'No longer revoke the tool']],
  ['no-local-tools', ['Forbid local tools:', 'Allow local tools again:']],
]);

/** Says what a change does; the name of the entry follows it. */
export const changeVerb = (change: CatalogChange): string => {
  const [put, remove] = VERBS.get(entryOf(change).kind) ?? ['Put', 'Remove'];
  return change.action === 'put' ? put : remove;
};

/** Says what comes of a change once it is published. */
export const changeEffect = (change: CatalogChange): string =>
  change.action === 'put'
    ? kindEffect(change.entry.kind)
    : 'The entry is taken out of the catalog, and what it did ends on every client.';
