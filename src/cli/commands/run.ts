/** `toolcrib run`: one call of one tool through the whole pipeline. */
import { isDeepStrictEqual } from 'node:util';
import type { Command } from 'commander';
import type { ApprovalRequest, Approver } from '../../contract/approver.ts';
import type { CallAs } from '../../contract/call-options.ts';
import type { Crib } from '../../contract/crib.ts';
import { ToolFailure } from '../../contract/errors.ts';
import { compact } from '../../kit/data/compact.ts';
import { leaving, withExamples, withJson } from '../command-actions.ts';
import { type CallerOptions, callerFrom, withCaller } from '../input/caller-options.ts';
import { wholeNumber } from '../input/misuse.ts';
import { type GivenInput, readInput } from '../input/read-input.ts';
import type { Io } from '../io.ts';
import { localPerson } from '../session/local-person.ts';
import { callProgress, makeCall, orRefused } from '../session/make-call.ts';
import { onInterrupt } from '../session/on-interrupt.ts';
import { closeCrib, openCrib } from '../session/open-crib.ts';
import { settleTrust } from '../session/settle-trust.ts';
import { terminalPerson } from '../session/terminal-person.ts';

/** Reports which requests were approved unchanged. */
const reportApproved = (
  approver: Approver,
  onApproved: (request: ApprovalRequest) => void,
): Approver => ({
  ...approver,
  ask: async (request, signal) => {
    const decision = await approver.ask(request, signal);
    if (decision.answer === 'approve' && decision.input === undefined) onApproved(request);
    return decision;
  },
});

const isTwin = (one: ApprovalRequest, other: ApprovalRequest): boolean =>
  one.tool === other.tool &&
  one.caller.userId === other.caller.userId &&
  one.caller.agentId === other.caller.agentId &&
  isDeepStrictEqual(one.input, other.input);

/**
 * Denies approvals of the same call that were requested before, once the call has run: approving one
 * would run it a second time.
 */
const closeTwins = async (
  crib: Crib,
  approved: readonly ApprovalRequest[],
  by: string,
): Promise<void> => {
  if (approved.length === 0) return;
  for (const { id, request } of await crib.approvals.list()) {
    if (!approved.some((one) => isTwin(one, request))) continue;
    await crib.approvals.decide(id, {
      approve: false,
      by,
      note: 'the call was made again and ran',
    });
  }
};

/** Tools that search the catalog: they need the lists of all servers. */
const CATALOG_TOOLS: ReadonlySet<string> = new Set(['run_code', 'search_api']);

interface RunOptions extends CallerOptions {
  readonly input?: string;
  readonly dryRun?: boolean;
  readonly yes?: boolean;
  readonly timeout?: number;
  readonly idempotencyKey?: string;
  readonly approval?: string;
  readonly version?: string;
  readonly quiet?: boolean;
}

const INPUT_HELP = `
Input, in one of these ways:
  '{"path": "a.txt"}'   one JSON argument
  path=a.txt count=3    fields, typed by the tool's schema; a.b=c goes into an object,
                        tags=x,y or tags=x tags=y make a list
  key:='[1, 2]'         raw JSON          key=@notes.md   the text of a file
  --input call.json     a file, JSON or YAML
  -                     JSON on stdin; also when something is piped in and no input is given`;

/** Completes a shortened id. An unknown one stays as it was typed, and the pipeline refuses it on record. */
const approvalOf = async (crib: Crib, typed: string): Promise<string> => {
  const { findApproval } = await import('./approvals/waiting-approval.ts');
  const record = await findApproval(crib, typed).catch((error: unknown) => {
    if (error instanceof ToolFailure && error.code === 'NOT_FOUND') return undefined;
    throw error;
  });
  return record?.id ?? typed;
};

const callAs = async (crib: Crib, options: RunOptions): Promise<CallAs> => ({
  ...compact({ version: options.version, idempotencyKey: options.idempotencyKey }),
  ...(options.approval !== undefined && {
    approvalId: await approvalOf(crib, options.approval),
  }),
  ...(options.timeout !== undefined && { timeoutMs: options.timeout }),
  ...(options.dryRun === true && { dryRun: true }),
});

interface Run {
  readonly tool: string;
  readonly given: GivenInput;
  readonly options: RunOptions;
}

const call = async (io: Io, { tool, given, options }: Run): Promise<number> => {
  // Asked before anything draws on the terminal, so that the question can be read.
  await settleTrust(io);
  const { quiet = false, user, yes = false } = options;
  const progress = callProgress(io, tool, quiet);
  const cancelled = new AbortController();
  let isAsking = false;
  const release = onInterrupt(
    io,
    () => cancelled.abort(),
    () => isAsking,
  );
  const onQuestion = (open: boolean): void => {
    isAsking = open;
    progress?.pause(open);
  };
  const approved: ApprovalRequest[] = [];
  const person = reportApproved(terminalPerson(io, { user, yes, onQuestion }), (request) =>
    approved.push(request),
  );
  try {
    const needsAll = CATALOG_TOOLS.has(tool);
    const { crib } = await openCrib(io, person, needsAll ? {} : { tool });
    try {
      const as = { ...(await callAs(crib, options)), signal: cancelled.signal };
      const caller = callerFrom(options);
      const code = await makeCall(io, crib, { tool, given, caller, as, quiet, progress });
      if (code === 0) await closeTwins(crib, approved, localPerson());
      return code;
    } finally {
      await closeCrib(io, crib);
    }
  } finally {
    progress?.stop();
    release();
  }
};

const runTool = (
  io: Io,
  tool: string,
  { args, options }: { readonly args: readonly string[]; readonly options: RunOptions },
): Promise<number> =>
  orRefused(io, tool, async () => {
    const given = await readInput(io, { args, file: options.input });
    return call(io, { tool, given, options });
  });

const withOptions = (command: Command): Command =>
  withCaller(withJson(command))
    .option('-i, --input <file>', 'read the input from a JSON or YAML file, - for stdin')
    .option('--dry-run', 'check every gate and report, but run nothing')
    .option(
      '-y, --yes',
      'approve the call yourself, without being asked: you are responsible for it',
    )
    .option('--timeout <ms>', 'how long the call may take', wholeNumber('--timeout', 1))
    .option(
      '--idempotency-key <key>',
      'return the stored result when the same key and input were used before',
    )
    .option('--approval <id>', 'the id of the approval that the pending call named')
    .option('--version <version>', 'the version of the tool; by default the active one')
    .option('-q, --quiet', 'print the data and errors only');

export const runCommand = (program: Command, io: Io): Command => {
  const command = withOptions(program.command('run'))
    .argument('<tool>', 'name of the tool; see `toolcrib tools`')
    .argument('[input...]', 'JSON, or key=value pairs')
    .addHelpText('after', INPUT_HELP)
    .action(
      leaving(io, (tool: string, args: readonly string[], options: RunOptions) =>
        runTool(io, tool, { args, options }),
      ),
    );
  return withExamples(
    command,
    `toolcrib run calculator expression='sqrt(16)+2^3'`,
    `toolcrib run write_file path=notes.txt content=@draft.md --dry-run`,
    `echo '{"path":"notes.txt"}' | toolcrib run read_file --json`,
  );
};
