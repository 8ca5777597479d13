/**
 * Decides approvals by a signed link. Opening it only shows the question, because mail programs
 * open links by themselves; the answer is a form. A link for "no" never offers "yes".
 */
import { z } from 'zod';
import type { ApprovalRecord } from '../../../contract/approver.ts';
import { escapeHtml } from '../../../kit/text/escape-html.ts';
import type { HttpServices } from '../http-services.ts';
import { htmlPage } from '../pages/html-page.ts';
import { defineRoute, type Route } from '../route.ts';

const token = z.string().min(1).max(2000);

const gone = (): Response =>
  htmlPage(
    'This link is not good any more',
    '<p>The question was answered, its time is over, or the link is not one of ours.</p>',
    403,
  );

const button = (label: string, kind: 'primary' | 'danger', link: string): string =>
  `<form method="post" action="/approve"><input type="hidden" name="token" value="${escapeHtml(link)}"><button class="${kind}">${label}</button></form>`;

const lastPart = (link: string): string => link.slice(link.lastIndexOf('/') + 1);

const questionPage = async (
  record: ApprovalRecord,
  { token: link, approve }: { token: string; approve: boolean },
  { crib, deps }: HttpServices,
): Promise<Response> => {
  const now = deps.runtime.now();
  // A question that cannot be shown in full must not be approved here.
  const text = deps.describe?.(record.request, now);
  const deny = approve ? lastPart((await crib.approvals.links(record.id)).deny) : link;
  const buttons = [
    ...(approve && text !== undefined ? [button('Approve', 'primary', link)] : []),
    button('Deny', 'danger', deny),
  ];
  const shown = text ?? 'This server cannot show the question here. Use the console to approve it.';
  return htmlPage(
    'Approve this call?',
    `<div class="card"><pre>${escapeHtml(shown)}</pre>
<div class="actions">${buttons.join('\n')}</div></div>`,
  );
};

const show = async (link: string, services: HttpServices): Promise<Response> => {
  const claim = await services.deps.readLink?.(link);
  if (!claim) return gone();
  const record = await services.crib.approvals.get(claim.approvalId);
  const isWaiting = record?.state === 'waiting' && record.expiresAt > services.deps.runtime.now();
  return isWaiting
    ? questionPage(record, { token: link, approve: claim.approve }, services)
    : gone();
};

const question = defineRoute({
  method: 'get',
  path: '/approve',
  role: 'public',
  tag: 'approvals',
  summary: 'The question behind a signed link',
  input: { query: z.strictObject({ token }) },
  response: 'text/html',
  handle: ({ services, query }) => show(query.token, services),
});

const questionByPath = defineRoute({
  method: 'get',
  path: '/approve/:token',
  role: 'public',
  tag: 'approvals',
  summary: 'The question behind a signed link, with the token in the path',
  input: { params: z.object({ token }) },
  response: 'text/html',
  handle: ({ services, params }) => show(params.token, services),
});

const answer = defineRoute({
  method: 'post',
  path: '/approve',
  role: 'public',
  tag: 'approvals',
  summary: 'The answer of a signed link',
  input: { body: z.strictObject({ token }) },
  form: true,
  response: 'text/html',
  handle: async ({ services, body }) => {
    try {
      const { approved } = await services.crib.approvals.decideByLink(body.token);
      return htmlPage(approved ? 'Approved' : 'Denied', '<p>You can close this page.</p>');
    } catch {
      return gone();
    }
  },
});

export const LINK_ROUTES: readonly Route[] = [question, questionByPath, answer];
