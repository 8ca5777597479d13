/** Lists the active workflows of n8n by its public API, page by page. */
import { ToolFailure } from '../../contract/errors.ts';
import type { ReadDeps } from '../../contract/source-driver.ts';
import type { RefusedTool } from '../../contract/sources.ts';
import { isRecord } from '../../kit/data/is-record.ts';
import { reasonOf } from '../../kit/data/reason-of.ts';
import { decodeText, parseJson, readBytes } from '../../kit/http/read-reply.ts';
import { codeForStatus } from '../../kit/http/status-code.ts';
import { visibleText } from '../../kit/text/visible-text.ts';
import { type N8nSettings, withoutSlash } from './n8n-settings.ts';
import { type DiscoveredWorkflow, readWorkflow } from './read-workflow.ts';

/** What is known of the workflows. Plain JSON: it is cached. */
export interface N8nDefinition {
  readonly format: 1;
  readonly workflows: readonly DiscoveredWorkflow[];
  readonly refused: readonly RefusedTool[];
}

const PAGE_SIZE = 100;
const MAX_PAGES = 200;
const MAX_PAGE_BYTES = 50_000_000;
const MAX_WORKFLOWS = 500;
const MAX_CURSOR = 2_000;

const keyMissing = (key: string | undefined): ToolFailure =>
  new ToolFailure('AUTH_MISSING', 'Discovery needs a key of the API of n8n.', {
    suggestions: [
      'Make one in n8n under Settings, n8n API.',
      key === undefined
        ? 'Set it as a secret, and name the key of the secret as apiKey of the source.'
        : `Then store it: toolcrib secrets set ${key}`,
    ],
  });

const apiKeyOf = async ({ apiKey }: N8nSettings, { secret }: ReadDeps): Promise<string> => {
  const value = apiKey === undefined ? undefined : await secret(apiKey);
  if (value === undefined || value === '') throw keyMissing(apiKey);
  return value;
};

const refusedBy = (status: number): ToolFailure => {
  if (status === 401 || status === 403) {
    return new ToolFailure('AUTH_MISSING', `The API of n8n answered ${status}.`, {
      suggestions: ['Check the secret that apiKey names; the key needs the scope workflow:list.'],
    });
  }
  return new ToolFailure(codeForStatus(status), `The API of n8n answered ${status}.`, {
    suggestions: ['Check baseUrl, and that the public API of n8n is switched on.'],
  });
};

interface Page {
  readonly data: readonly unknown[];
  readonly nextCursor: string | undefined;
}

const readPage = async (
  address: string,
  key: string,
  { fetch, signal, redact }: ReadDeps,
): Promise<Page> => {
  const headers = { accept: 'application/json', 'x-n8n-api-key': key };
  const response = await fetch(address, { headers, signal, redirect: 'manual' }).catch(
    (error: unknown) => {
      if (error instanceof ToolFailure) throw error;
      throw new ToolFailure('NETWORK', `n8n cannot be reached: ${redact(reasonOf(error))}`);
    },
  );
  if (!response.ok) throw refusedBy(response.status);
  const page = parseJson(decodeText(await readBytes(response, MAX_PAGE_BYTES)))?.value;
  if (!isRecord(page) || !Array.isArray(page.data)) {
    throw new ToolFailure('OUTPUT_INVALID', 'The API of n8n did not answer with workflows.');
  }
  const { nextCursor } = page;
  const hasNext = typeof nextCursor === 'string' && nextCursor !== '';
  return { data: page.data, nextCursor: hasNext ? nextCursor.slice(0, MAX_CURSOR) : undefined };
};

/** Takes one workflow in; a second one of the same name is refused. */
const add = (
  workflow: unknown,
  workflows: Map<string, DiscoveredWorkflow>,
  refused: RefusedTool[],
) => {
  const reading = readWorkflow(workflow);
  if (!reading) return;
  if ('refused' in reading) {
    const { name, reason } = reading.refused;
    refused.push({ name: visibleText(name), reason });
    return;
  }
  const { name } = reading.workflow;
  if (workflows.has(name))
    refused.push({ name, reason: 'another workflow gives the same tool name' });
  else workflows.set(name, reading.workflow);
};

/** Rejects with AUTH_MISSING, NETWORK, or the code of the status. */
export const discoverWorkflows = async (
  own: N8nSettings,
  deps: ReadDeps,
): Promise<N8nDefinition> => {
  const { maxWorkflows = MAX_WORKFLOWS } = own;
  const key = await apiKeyOf(own, deps);
  const workflows = new Map<string, DiscoveredWorkflow>();
  const refused: RefusedTool[] = [];
  const base = `${withoutSlash(own.baseUrl)}/api/v1/workflows?active=true&limit=${PAGE_SIZE}`;
  let cursor: string | undefined;
  for (let pages = 0; pages < MAX_PAGES; pages += 1) {
    const next = cursor === undefined ? '' : `&cursor=${encodeURIComponent(cursor)}`;
    const page = await readPage(`${base}${next}`, key, deps);
    for (const workflow of page.data) {
      if (workflows.size >= maxWorkflows) {
        refused.push({ name: '…', reason: `there are more than ${maxWorkflows} workflows` });
        return { format: 1, workflows: [...workflows.values()], refused };
      }
      add(workflow, workflows, refused);
    }
    // The same cursor again would never end.
    if (page.nextCursor === undefined || page.nextCursor === cursor) break;
    cursor = page.nextCursor;
  }
  return { format: 1, workflows: [...workflows.values()], refused };
};
