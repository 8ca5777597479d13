/**
 * Says what will make a job fail, as far as this process knows: a tool or flow that is not known here, an input
 * that does not fit its tool. Nothing is refused, because the process that runs the job may know more.
 */
import type { CallAs } from '../../../contract/call-options.ts';
import type { Crib } from '../../../contract/crib.ts';
import type { Job } from '../../../contract/queue.ts';
import { isRecord } from '../../../kit/data/is-record.ts';
import { isCoded, isError } from '../../../kit/data/reason-of.ts';
import { didYouMean } from '../../../kit/text/did-you-mean.ts';
import { issuesText } from '../../../kit/text/issues-text.ts';
import { visibleText } from '../../../kit/text/visible-text.ts';
import { type Io, warn } from '../../io.ts';
import { mayBringTools } from '../../session/find-tool.ts';
import { subjectOf } from './job-text.ts';

type NewJob = Pick<Job, 'type' | 'payload'>;
type WarningCrib = Pick<Crib, 'tools' | 'flows' | 'servers' | 'explain'>;

const unknownTool = (name: string, { tools, servers }: WarningCrib): string => {
  const close = tools.suggest(name);
  const meant = close.length > 0 ? `; did you mean ${close.join(', ')}?` : '.';
  const unasked = mayBringTools({ servers }) ? ' MCP servers were not asked.' : '';
  return `This process knows no tool ${name}${meant}${unasked} The job fails unless its worker knows it.`;
};

const toolWarning = async (
  { name, input }: { readonly name: string; readonly input: unknown },
  crib: WarningCrib,
  as: CallAs,
): Promise<string | undefined> => {
  if (!crib.tools.get(name)) return unknownTool(name, crib);
  try {
    await crib.explain(name, input, as);
    return undefined;
  } catch (error) {
    if (!isError(error) || !isCoded(error)) throw error;
    const { code, message, extras } = error;
    const issues = extras.issues === undefined ? '' : ` ${issuesText(extras.issues)}`;
    return `The call of ${name} would be refused now: ${code}: ${message}${issues}`;
  }
};

const flowWarning = async (name: string, { flows }: WarningCrib): Promise<string | undefined> => {
  const names = (await flows.registered()).map((flow) => flow.name);
  if (names.includes(name)) return undefined;
  const meant = didYouMean(name, names) || '.';
  return `This process knows no flow ${name}${meant} The job fails unless its worker knows it.`;
};

/** Says why a job will probably fail; `undefined` where nothing is known against it. */
const jobWarning = (job: NewJob, crib: WarningCrib, as: CallAs): Promise<string | undefined> => {
  const name = subjectOf(job);
  if (name === undefined) return Promise.resolve(undefined);
  const { input = {} } = isRecord(job.payload) ? job.payload : {};
  return job.type === 'tool' ? toolWarning({ name, input }, crib, as) : flowWarning(name, crib);
};

/** Prints a warning to stderr about a job that will probably fail. */
export const warnOfJob = async (
  io: Io,
  job: NewJob,
  { crib, as }: { readonly crib: WarningCrib; readonly as: CallAs },
): Promise<void> => {
  // The job is added: a check that fails is no failure of the command.
  const warning = await jobWarning(job, crib, as).catch(() => undefined);
  if (warning !== undefined) warn(io, visibleText(warning));
};
