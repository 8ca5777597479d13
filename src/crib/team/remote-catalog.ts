/** The catalog of another server, over its HTTP API. The server knows who acts by the token. */
import { ToolFailure } from '../../contract/errors.ts';
import type {
  ProposalState,
  PublishedBundle,
  SignedBundle,
  TeamCatalog,
  TeamKey,
  TeamOverview,
  TeamProposal,
  TeamReview,
} from '../../contract/team.ts';
import { MAX_SIGNED_BYTES } from '../../governance/team/team-bundle.ts';
import { isObject } from '../../kit/data/is-record.ts';
import { readBytes } from '../../kit/http/read-reply.ts';
import { codeForStatus } from '../../kit/http/status-code.ts';
import { parseStrictJson } from '../../kit/text/strict-json.ts';
import { visibleText } from '../../kit/text/visible-text.ts';

export interface RemoteCatalogDeps {
  readonly url: string;
  readonly fetch: typeof globalThis.fetch;
  token(): Promise<string>;
}

const MAX_WAIT_MS = 60_000;
const MAX_PAGES = 100;

const textOf = (value: unknown, fallback: string): string =>
  typeof value === 'string' ? value : fallback;

/** Makes the failure that the server describes; its words are shown, its code is looked up by status. */
const failureOf = (status: number, value: unknown): ToolFailure => {
  const error = isObject(value) && isObject(value.error) ? value.error : {};
  const message = textOf(error.message, `The server answered with status ${status}.`);
  // The server is a crib: its refusals are those of its rules.
  const code = status === 403 ? 'PERMISSION_DENIED' : codeForStatus(status);
  const issues = Array.isArray(error.issues) ? error.issues.filter(isObject) : [];
  const suggestions = Array.isArray(error.suggestions) ? error.suggestions : [];
  return new ToolFailure(code, message, {
    suggestions: suggestions.filter((text) => typeof text === 'string').map(visibleText),
    issues: issues.map((issue) => ({
      path: Array.isArray(issue.path) ? issue.path.map(String) : [],
      message: textOf(issue.message, ''),
    })),
  });
};

const proposalPath = (id: string, part = ''): string =>
  `/proposals/${encodeURIComponent(id)}${part}`;

export const createRemoteCatalog = ({ url, fetch, token }: RemoteCatalogDeps): TeamCatalog => {
  const ask = async <T>(path: string, body?: unknown): Promise<T> => {
    const response = await fetch(`${url.replace(/\/+$/, '')}/v1/catalog${path}`, {
      headers: {
        authorization: `Bearer ${await token()}`,
        accept: 'application/json',
        'content-type': 'application/json',
      },
      redirect: 'error',
      signal: AbortSignal.timeout(MAX_WAIT_MS),
      ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
    });
    const json = parseStrictJson(
      new TextDecoder().decode(await readBytes(response, MAX_SIGNED_BYTES)),
    );
    const value = 'flaw' in json ? undefined : json.value;
    if (!response.ok || !isObject(value)) throw failureOf(response.status, value);
    return value as T;
  };
  const all = async <T>(path: string, query: Readonly<Record<string, string>>): Promise<T[]> => {
    const items: T[] = [];
    let cursor: string | undefined;
    for (let page = 0; page < MAX_PAGES; page += 1) {
      const search = new URLSearchParams({ ...query, limit: '200', ...(cursor && { cursor }) });
      const answer = await ask<{ items?: T[]; next?: string }>(`${path}?${search}`);
      items.push(...(answer.items ?? []));
      cursor = answer.next;
      if (cursor === undefined) break;
    }
    return items;
  };
  return {
    key: () => ask<TeamKey>('/key'),
    overview: () => ask<TeamOverview>(''),
    proposals: (state?: ProposalState) =>
      all<TeamProposal>('/proposals', state === undefined ? {} : { state }),
    review: (id) => ask<TeamReview>(proposalPath(id)),
    propose: (change, note) => ask('/proposals', { change, ...(note && { note }) }),
    decide: (id, { approve, digest, note }) =>
      ask(proposalPath(id, approve ? '/approve' : '/reject'), { digest, ...(note && { note }) }),
    publish: ({ note, renew }) =>
      ask<PublishedBundle>('/publish', { ...(note && { note }), ...(renew && { renew }) }),
    rollBack: (serial, note) =>
      ask<PublishedBundle>('/rollback', { serial, ...(note && { note }) }),
    history: () => all<PublishedBundle>('/history', {}),
    bundle: () => ask<SignedBundle>('/bundle'),
  };
};
