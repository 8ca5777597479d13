/** Names a process so that another one can tell later whether it still lives. */
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { errorCodeOf } from '../data/reason-of.ts';

export interface ProcessIdentity {
  /** Where the pid means anything: machine, boot and pid namespace. */
  readonly place: string;
  readonly pid: number;
  /** When it started, as the kernel counts: a recycled pid has another. Empty where unknown. */
  readonly started: string;
}

const read = (path: string): string | undefined => {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch {
    return undefined;
  }
};

const pidNamespace = (): string => {
  try {
    return readlinkSync('/proc/self/ns/pid');
  } catch {
    return '';
  }
};

/** Names where a pid is unique: containers may share a host name, and pids then mean nothing. */
export const pidScope = (): string => [hostname(), pidNamespace()].join(' ');

/** Reads the fields of /proc/<pid>/stat after the program's name, which may itself hold spaces and brackets. */
const statFields = (pid: number): readonly string[] | undefined => {
  const stat = read(`/proc/${pid}/stat`);
  return stat?.slice(stat.lastIndexOf(')') + 2).split(' ');
};

const STATE = 0;
const START_TIME = 19;

export const identifyProcess = (pid = process.pid): ProcessIdentity => ({
  place: [hostname(), read('/proc/sys/kernel/random/boot_id') ?? '', pidNamespace()].join(' '),
  pid,
  started: statFields(pid)?.[START_TIME] ?? '',
});

const answersSignals = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // Somebody else's process may not be signalled, but it is there.
    return errorCodeOf(error) === 'EPERM';
  }
};

/**
 * Tells whether a process of this machine is alive. One that has ended but was not collected yet is
 * not.
 */
export const isProcessAlive = ({ pid, started }: ProcessIdentity): boolean => {
  if (started === '') return answersSignals(pid);
  const fields = statFields(pid);
  const state = fields?.[STATE];
  return fields?.[START_TIME] === started && state !== 'Z' && state !== 'X';
};
