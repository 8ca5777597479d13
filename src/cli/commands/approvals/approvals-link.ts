/** `toolcrib approvals link` and `redeem`: links that answer a waiting call, to send to the person who decides. */
import type { Command } from 'commander';
import type { ApprovalLinks } from '../../../contract/crib-members.ts';
import { visibleJson, visibleText } from '../../../kit/text/visible-text.ts';
import type { LoadedConfig } from '../../../trust/load-config.ts';
import { leaving, withExamples, withJson } from '../../command-actions.ts';
import { type Io, note, print, printDone, printJson } from '../../io.ts';
import { formatTime } from '../../output/format-units.ts';
import { withStore } from '../../session/open-crib.ts';
import { serverUrl } from '../../session/running-server.ts';
import { CONTINUES, continuationOf, findApproval } from './waiting-approval.ts';

/** Makes links lead to the server of this configuration, unless another address is set for them. */
const withAddress = (links: ApprovalLinks, { config }: LoadedConfig): ApprovalLinks => {
  if (config.approvals.linkBaseUrl !== undefined) return links;
  const base = `${serverUrl(config)}/approve/`;
  return { ...links, approve: `${base}${links.approve}`, deny: `${base}${links.deny}` };
};

const link = (io: Io, id: string): Promise<number> =>
  withStore(io, async ({ crib, loaded }) => {
    const record = await findApproval(crib, id);
    const links = withAddress(await crib.approvals.links(record.id), loaded);
    if (io.json) {
      printJson(io, links);
      return 0;
    }
    print(io, `approve  ${links.approve}`, `deny     ${links.deny}`);
    const mark = io.noteInk.yellow('!');
    note(
      io,
      `${mark} Anybody who has one of these links can answer, once, until ${formatTime(links.expiresAt)}.`,
      '  Send them to the person who decides, and to nobody else.',
      '  `toolcrib serve` answers them: it has to run there.',
      `  ${io.noteInk.cyan('→')} Without a server: toolcrib approvals redeem <link>`,
    );
    return 0;
  });

const redeem = (io: Io, link: string): Promise<number> =>
  withStore(io, async ({ crib }) => {
    const { approvalId, approved } = await crib.approvals.decideByLink(link.trim());
    const record = await findApproval(crib, approvalId);
    const { command: resume, by } = await continuationOf(record, crib);
    if (io.json) printJson(io, { id: approvalId, approved, ...(approved && { resume }) });
    else if (approved) {
      printDone(io, `Approved: ${visibleText(record.request.tool)}, for this one call.`);
      note(io, `  ${io.noteInk.cyan('→')} ${CONTINUES[by]}`, `    ${visibleJson(resume)}`);
    } else {
      printDone(io, `Denied: ${visibleText(record.request.tool)}. The call will not run.`);
    }
    return 0;
  });

export const approvalsLinkCommand = (approvals: Command, io: Io): Command =>
  withExamples(
    withJson(approvals.command('link <id>')).action(leaving(io, (id: string) => link(io, id))),
    'toolcrib approvals link <id>',
  );

export const approvalsRedeemCommand = (approvals: Command, io: Io): Command =>
  withExamples(
    withJson(approvals.command('redeem <link>')).action(
      leaving(io, (link: string) => redeem(io, link)),
    ),
    'toolcrib approvals redeem <link>',
  );
