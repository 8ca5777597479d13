/** Finds an approval, and writes the command that continues its call. */
import type { ApprovalRecord, ApprovalState } from '../../../contract/approver.ts';
import type { Catalog } from '../../../contract/catalog.ts';
import type { Crib } from '../../../contract/crib.ts';
import { ToolFailure } from '../../../contract/errors.ts';
import { byStart } from '../../input/by-start.ts';
import { callerArguments } from '../../input/caller-options.ts';
import { shellQuote } from '../../output/format-units.ts';

/** Writes the command that makes the call again. Its input is the one asked about, also after an edit. */
export const resumeCommand = (
  { id, request }: ApprovalRecord,
  tools: Pick<Catalog, 'get'>,
): string => {
  const { tool, version, input, caller } = request;
  const isActive = tools.get(tool)?.tool.version === version;
  return [
    'toolcrib run',
    shellQuote(tool),
    shellQuote(JSON.stringify(input) ?? 'null'),
    '--approval',
    shellQuote(id),
    ...(isActive ? [] : ['--version', shellQuote(version)]),
    ...callerArguments(caller),
  ].join(' ');
};

const STATES: readonly ApprovalState[] = ['waiting', 'approved', 'denied', 'used'];

/** Finds an approval of any state by its id, or by a unique beginning of it. Fails with NOT_FOUND. */
export const findApproval = async (crib: Crib, id: string): Promise<ApprovalRecord> => {
  const record = await crib.approvals.get(id);
  if (record) return record;
  const lists = await Promise.all(STATES.map((state) => crib.approvals.list({ state })));
  const match = byStart(lists.flat(), id, ({ id: own }) => own);
  if (match) return match;
  throw new ToolFailure('NOT_FOUND', 'There is no approval of that id.', {
    suggestions: ['See what waits: toolcrib approvals list'],
  });
};
