/** Steps that have to happen in one piece, as scripts that Redis runs. */
import type { Redis } from 'ioredis';

/** Notes a job in the index unless its id is there. */
const NOTE_JOB = `
if redis.call('HSETNX', KEYS[1], ARGV[1], ARGV[2]) == 0 then return 0 end
for index = 3, #KEYS do redis.call('ZADD', KEYS[index], ARGV[4], ARGV[1]) end
redis.call('SADD', KEYS[2], ARGV[3])
return 1`;

/** Deletes a job's entry of the index, unless the job is there: somebody may have added it again. */
const FORGET_JOB = `
if redis.call('EXISTS', KEYS[2]) == 1 then return 0 end
redis.call('HDEL', KEYS[1], ARGV[1])
for index = 3, #KEYS do redis.call('ZREM', KEYS[index], ARGV[1]) end
return 1`;

/** Writes progress while the lock is still held by this worker. */
const REPORT_PROGRESS = `
if redis.call('GET', KEYS[2]) ~= ARGV[1] then return 0 end
redis.call('HSET', KEYS[1], 'progress', ARGV[2])
return 1`;

/** Takes back that an attempt was begun, while the lock is still held by this worker. */
const UNCOUNT_ATTEMPT = `
if redis.call('GET', KEYS[2]) ~= ARGV[1] then return 0 end
redis.call('HINCRBY', KEYS[1], 'ats', -1)
return 1`;

/** Moves a schedule on from the moment for which its job was made. */
const ADVANCE_SCHEDULE = `
if redis.call('ZSCORE', KEYS[2], ARGV[1]) ~= ARGV[2] then return 0 end
redis.call('ZADD', KEYS[2], ARGV[3], ARGV[1])
redis.call('HSET', KEYS[1], ARGV[1], ARGV[4])
return 1`;

/** Keeps the record of a job that is being cancelled, unless there is one. */
const MARK_CANCELLED = `
if redis.call('HSETNX', KEYS[1], ARGV[1], ARGV[2]) == 0 then return 0 end
redis.call('ZADD', KEYS[2], ARGV[3], ARGV[1])
return 1`;

export const NOTE_JOB_COMMAND = 'toolcribNoteJob';

const SCRIPTS = {
  [NOTE_JOB_COMMAND]: { numberOfKeys: 6, lua: NOTE_JOB },
  toolcribForgetJob: { numberOfKeys: 6, lua: FORGET_JOB },
  toolcribReportProgress: { numberOfKeys: 2, lua: REPORT_PROGRESS },
  toolcribUncountAttempt: { numberOfKeys: 2, lua: UNCOUNT_ATTEMPT },
  toolcribAdvanceSchedule: { numberOfKeys: 2, lua: ADVANCE_SCHEDULE },
  toolcribMarkCancelled: { numberOfKeys: 2, lua: MARK_CANCELLED },
} as const;

type ScriptName = keyof typeof SCRIPTS;

/** Makes the scripts known to a connection. */
export const defineScripts = (client: Redis): void => {
  for (const [name, script] of Object.entries(SCRIPTS)) client.defineCommand(name, script);
};

/** Runs one of the scripts; keys first. True where it did what it is for. */
export const runScript = async (
  client: Redis,
  name: ScriptName,
  args: readonly (string | number)[],
): Promise<boolean> => {
  const commands = client as unknown as Readonly<
    Record<ScriptName, (...args: readonly (string | number)[]) => Promise<unknown>>
  >;
  return (await commands[name](...args)) === 1;
};
