/**
 * `toolcrib store migrate`: copies the SQLite store of a project to PostgreSQL, verifies both, and moves its
 * jobs to Redis.
 */
import { resolve } from 'node:path';
import type { Command } from 'commander';
import type { MovedJobs } from '../../../crib/queue/move-jobs.ts';
import type { CopiedStore, CopyRequest } from '../../../crib/store/copy-store.ts';
import type { LocatedSource, SourceRequest } from '../../../crib/store/locate-source.ts';
import { visibleText } from '../../../kit/text/visible-text.ts';
import { type LoadedConfig, loadConfig } from '../../../trust/load-config.ts';
import { leaving, withExamples, withJson } from '../../command-actions.ts';
import { misuse } from '../../input/misuse.ts';
import { type Io, print, printJson } from '../../io.ts';
import { counted, formatCount } from '../../output/format-units.ts';
import { progressOn } from '../../output/progress-line.ts';

interface MigrateOptions {
  readonly schema?: string;
  readonly foreign?: boolean;
  readonly jobs?: true;
}

/** How the jobs and schedules of the file were moved. */
interface JobsReport extends Partial<MovedJobs> {
  /** How many stay in the file, because no queue is configured. */
  readonly left?: { readonly jobs: number; readonly schedules: number };
}

const targetOf = async (to: string | undefined, loaded: LoadedConfig): Promise<string> => {
  const { config, userDir } = loaded;
  const url = to ?? config.store.url;
  if (url === undefined) {
    throw misuse(
      'The target of the copy is missing.',
      'Name it: toolcrib store migrate .toolcrib/state.db postgres://user@host/db',
    );
  }
  const { resolveAddress } = await import('../../../crib/resolve-address.ts');
  return resolveAddress(url, 'store', { config, userDir });
};

/** Moves the jobs to the configured queue; counts them when there is none. */
const moveTo = async (
  io: Io,
  from: LocatedSource['file'],
  loaded: LoadedConfig,
): Promise<JobsReport> => {
  const { config, userDir } = loaded;
  const { runtime } = io;
  const { countJobs, moveJobs } = await import('../../../crib/queue/move-jobs.ts');
  if (config.jobs.url === undefined) return { left: await countJobs(from, runtime) };
  const { openRedisQueue } = await import('../../../crib/queue/open-shared-queue.ts');
  const queue = await openRedisQueue(config.jobs.url, { config, runtime, userDir });
  const line = progressOn(io, 'moving');
  try {
    return await moveJobs({
      from,
      to: queue,
      runtime,
      onJobs: (jobs, total) =>
        line?.update(jobs / Math.max(jobs, total, 1), `${formatCount(jobs)} jobs`),
    });
  } finally {
    line?.stop();
    await queue.close();
  }
};

const jobLines = ({
  left,
  jobs = 0,
  schedules = 0,
  present = 0,
}: JobsReport): readonly string[] => {
  if (left === undefined) {
    const skipped = present > 0 ? ` ${formatCount(present)} were there already.` : '';
    return [
      `  ${counted(jobs, 'job')} and ${counted(schedules, 'schedule')} moved to Redis.${skipped}`,
    ];
  }
  if (left.jobs + left.schedules === 0) return [];
  return [
    `  ${counted(left.jobs, 'job')} and ${counted(left.schedules, 'schedule')} stay in the file, where no worker finds them.`,
    '  Next: set jobs.url to a Redis, then: toolcrib store migrate --jobs',
  ];
};

const copyTo = async (
  io: Io,
  request: Omit<CopyRequest, 'runtime' | 'onRows' | 'place'>,
  { userDir }: LoadedConfig,
) => {
  const { openPlace } = await import('../../../crib/store/open-place.ts');
  const { copyStore } = await import('../../../crib/store/copy-store.ts');
  const line = progressOn(io, 'copying');
  try {
    return await copyStore({
      ...request,
      runtime: io.runtime,
      place: await openPlace(userDir),
      onRows: (rows, total) =>
        line?.update(rows / Math.max(rows, total), `${formatCount(rows)} rows`),
    });
  } finally {
    line?.stop();
  }
};

/** Locates the file, and says so when it is not the one in the project. */
const locate = async (
  io: Io,
  request: SourceRequest,
  { config, projectDir = io.cwd, userDir }: LoadedConfig,
): Promise<LocatedSource['file']> => {
  const { locateSource } = await import('../../../crib/store/locate-source.ts');
  const deps = { config, project: projectDir, userDir, runtime: io.runtime };
  const { file, foreign } = await locateSource(request, deps);
  if (foreign !== undefined) {
    io.runtime.log.warn(
      `The database of this project ${foreign}: nothing in it counts. Your own is copied.`,
      { path: file.path, next: 'if the one of the project is yours: toolcrib trust --store' },
    );
  }
  return file;
};

const report = (
  io: Io,
  { path }: LocatedSource['file'],
  [copied, jobs]: readonly [CopiedStore, JobsReport],
): void => {
  const { rows, auditRows, head, target } = copied;
  if (io.json) {
    printJson(io, {
      from: path,
      target,
      rows,
      auditRows,
      head: head ?? null,
      verified: true,
      jobs,
    });
    return;
  }
  print(
    io,
    `${io.ink.green('✓')} ${counted(rows, 'row')} copied from ${visibleText(path)} to ${visibleText(target)}.`,
    `  The record has ${counted(auditRows, 'row')} and verifies on both sides, with the same last row.`,
    ...jobLines(jobs),
    '  Next: set store.url in your own configuration, e.g. by TOOLCRIB_STORE_URL.',
  );
};

const assertJobTarget = ({ config }: LoadedConfig): void => {
  if (config.jobs.url !== undefined) return;
  throw misuse(
    'The target of the jobs is missing.',
    'Set jobs.url to the address of a Redis, e.g. by TOOLCRIB_JOBS_URL.',
  );
};

/** Moves only the jobs: the store stays, or was copied by a run that was interrupted. */
const migrateJobs = async (
  io: Io,
  request: SourceRequest,
  loaded: LoadedConfig,
): Promise<number> => {
  assertJobTarget(loaded);
  const from = await locate(io, request, loaded);
  const moved = await moveTo(io, from, loaded);
  if (io.json) printJson(io, { from: from.path, jobs: moved });
  else print(io, `${io.ink.green('✓')}${jobLines(moved).join('').slice(1)}`);
  return 0;
};

const migrateStore = async (
  io: Io,
  [from, to]: readonly (string | undefined)[],
  { schema, jobs, foreign = false }: MigrateOptions,
): Promise<number> => {
  const loaded = await loadConfig({ cwd: io.cwd, env: io.env });
  const request = { ...(from !== undefined && { named: resolve(io.cwd, from) }), foreign };
  if (jobs) return migrateJobs(io, request, loaded);
  const url = await targetOf(to, loaded);
  const file = await locate(io, request, loaded);
  const target = { to: url, schema: schema ?? loaded.config.store.schema };
  const copied = await copyTo(io, { from: file, ...target }, loaded);
  report(io, file, [copied, await moveTo(io, file, loaded)]);
  return 0;
};

export const storeMigrateCommand = (store: Command, io: Io): Command =>
  withExamples(
    withJson(store.command('migrate'))
      .argument('[from]', 'the database file of SQLite (default: your state of this project)')
      .argument('[to]', 'the address of the PostgreSQL database (default: store.url)')
      .option('--schema <name>', 'the schema of the target (default: store.schema)')
      .option('--foreign', 'take the database of the project although you did not make it there')
      .option('--jobs', 'move jobs and schedules to the Redis of jobs.url, and copy nothing else')
      .action(
        leaving(io, (from: string | undefined, to: string | undefined, options: MigrateOptions) =>
          migrateStore(io, [from, to], options),
        ),
      ),
    'toolcrib store migrate .toolcrib/state.db postgres://crib@db.example.com/toolcrib',
    'toolcrib store migrate --json',
    'toolcrib store migrate --jobs',
  );
