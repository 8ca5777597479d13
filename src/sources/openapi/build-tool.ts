/** Builds the tool of one operation. Its schemas are made on first use. */
import { defineTool } from '../../contract/define-tool.ts';
import { RetryPolicies } from '../../contract/retry.ts';
import type { BuildDeps, ExternalSettings } from '../../contract/source-driver.ts';
import type { AssignedFlow, Capability, Tier, Tool } from '../../contract/tool.ts';
import { sha256Hex } from '../../kit/data/canonical-json.ts';
import { lazy } from '../../kit/data/lazy.ts';
import { ownValue } from '../../kit/data/own-value.ts';
import { visibleText } from '../../kit/text/visible-text.ts';
import type { Credentials } from './auth/credentials.ts';
import { isRepeatable, isSafe, operationCaller } from './call-operation.ts';
import { optionsOf } from './openapi-settings.ts';
import { type Operation, parametersOf } from './operations/list-operations.ts';
import type { Server } from './operations/servers.ts';
import { shortText } from './operations/short-text.ts';
import { pagingHint } from './reply/next-page.ts';
import { Responses } from './reply/responses.ts';
import { planRequest } from './request/plan-request.ts';
import type { SchemaBook } from './schema/schema-book.ts';

const MAX_DESCRIPTION = 400;
const MAX_TITLE = 100;
const MAX_ADDRESS = 500;

const DELETES: Capability = {
  action: 'delete',
  description: 'Deletes something at the API.',
  destructive: true,
  requiresConfirmation: true,
};

export interface ToolBuild {
  readonly name: string;
  readonly operation: Operation;
  readonly server: Server;
  readonly credentials: Credentials;
  readonly book: SchemaBook;
  readonly settings: ExternalSettings;
  readonly deps: BuildDeps;
}

const tierOf = ({ name, operation, settings }: ToolBuild): Tier =>
  ownValue(settings.toolTiers, name) ??
  settings.tier ??
  (isSafe(operation.method) ? 'read_only' : 'external_api');

/** Assumes the worse case for what is not configured: the API is outside, and each call sends it data. */
const flowOf = ({ name, settings }: ToolBuild): AssignedFlow => ({
  trust: 'untrusted',
  sensitivity: 'private',
  sink: true,
  ...settings.labels,
  ...(settings.toolLabels && ownValue(settings.toolLabels, name)),
});

const descriptionOf = ({ operation, book }: ToolBuild): string => {
  const { fields, method, path, pathFields } = operation;
  const summary = shortText(fields.summary ?? pathFields.summary, MAX_DESCRIPTION);
  const more = shortText(fields.description ?? pathFields.description, MAX_DESCRIPTION);
  const said = more.toLowerCase().startsWith(summary.toLowerCase()) ? more : join(summary, more);
  const names = parametersOf(operation, book.resolver).flatMap(({ value }) =>
    value.in === 'query' && typeof value.name === 'string' ? [value.name.slice(0, 60)] : [],
  );
  const text = said === '' ? `${method.toUpperCase()} ${shortText(path, 200)}` : said;
  const hint = shortText(pagingHint(names), 200);
  return hint === '' ? text : `${text} ${hint}`;
};

const join = (summary: string, more: string): string => {
  if (summary === '' || more === '') return summary + more;
  const both = /[.!?…]$/.test(summary) ? `${summary} ${more}` : `${summary}. ${more}`;
  return shortText(both, MAX_DESCRIPTION);
};

/** Cuts a long address and adds the digest of the whole, so that a change in the cut part shows. */
const shownAddress = (address: string): string =>
  address.length <= MAX_ADDRESS
    ? visibleText(address)
    : `${visibleText(address.slice(0, MAX_ADDRESS))}… (sha256 ${sha256Hex(address)})`;

/** Describes method, address and place of credentials for the lock, so that a change of one is noticed. */
const documentationOf = ({ operation, server, credentials }: ToolBuild): string => {
  const request = `${operation.method.toUpperCase()} ${shownAddress(`${server.url}${operation.path}`)}`;
  const places = [...credentials.parameters].map((place) => place.trim());
  return places.length === 0 ? request : `${request} with credentials: ${places.join(', ')}`;
};

const needsOf = ({ server, credentials }: ToolBuild): NonNullable<Tool['needs']> => {
  const { secrets, hosts } = credentials;
  return {
    hosts: [...new Set([server.host, ...hosts])],
    ...(server.isLocal && { localHosts: [server.host] }),
    ...(secrets.length > 0 && { secrets }),
  };
};

export const buildTool = (parts: ToolBuild): Tool => {
  const { name, operation, server, credentials, book, settings, deps } = parts;
  const { responses: check = 'warn', deprecated = false } = optionsOf(settings);
  const plan = lazy(() => planRequest(operation, book, credentials.parameters));
  const responses = new Responses(operation, book);
  const { compile } = deps;
  const title = shortText(operation.fields.summary, MAX_TITLE);
  const { requirement } = credentials;
  const { maxOutputBytes, timeoutMs } = settings;
  return defineTool<Record<string, unknown>, unknown>({
    name,
    ...(title !== '' && { title }),
    description: descriptionOf(parts),
    documentation: documentationOf(parts),
    source: 'external',
    category: 'api',
    tier: tierOf(parts),
    // Always leads to this tool, also when another one has the short name.
    aliases: [`${settings.name}.${name}`],
    tags: ['openapi', settings.name],
    assigned: flowOf(parts),
    server: `openapi:${settings.name}`,
    timeoutMs,
    idempotent: isRepeatable(operation.method),
    ...(isRepeatable(operation.method) && { retry: RetryPolicies.STANDARD }),
    ...(operation.fields.deprecated === true && !deprecated && { enabled: false }),
    ...(operation.method === 'delete' && { capabilities: [DELETES] }),
    ...(requirement && { auth: requirement }),
    needs: needsOf(parts),
    input: () => plan().input,
    ...(check === 'fail' && { output: () => responses.output() }),
    run: operationCaller({
      operation,
      server,
      credentials,
      responses,
      maxOutputBytes,
      plan,
      runtime: deps.runtime,
      compile: check === 'warn' ? compile : undefined,
    }),
  }) as Tool;
};
