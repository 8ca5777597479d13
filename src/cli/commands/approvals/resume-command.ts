/** The command that lets an approved call go on: the very same call, with its approval. */
import type { ApprovalRecord } from '../../../contract/approver.ts';
import type { Catalog } from '../../../contract/catalog.ts';
import { callerArguments } from '../../input/caller-options.ts';
import { shellQuote } from '../../output/shell-quote.ts';

/** The input is the one that was asked about, also when it was approved with another. */
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
