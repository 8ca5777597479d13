/**
 * Ends the servers of a process that died without cleaning up, as after `kill -9`. A small shell holds
 * the other end of a pipe; when it closes, every process group still on its list is killed.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import type { Socket } from 'node:net';

/** The variable that marks the processes of a server, also those that left its group. */
export const MARK_VARIABLE = 'TOOLCRIB_SERVER_RUN';

export interface Watchdog {
  /** Makes this group, and every process with the mark, end with this process from now on. */
  guard(group: number, mark: string): void;
  release(group: number): void;
  close(): void;
}

/**
 * Reads `+ group mark` and `- group`. At the end of the input it terminates the listed groups, and
 * kills them a second later.
 */
const SCRIPT = `
trap '' INT TERM HUP
held=' '
while read -r sign group mark; do
  case $sign in
    +) held="$held$group:$mark " ;;
    -) case $held in
         *" $group:"*)
           rest=\${held#*" $group:"}
           held="\${held%%" $group:"*} \${rest#* }" ;;
       esac ;;
  esac
done
[ "$held" = ' ' ] && exit 0
for one in $held; do kill -TERM -"\${one%%:*}"; done 2>/dev/null
sleep 1
for one in $held; do
  kill -KILL -"\${one%%:*}"
  for file in $(grep -lsF "${MARK_VARIABLE}=\${one#*:}" /proc/[0-9]*/environ); do
    file=\${file#/proc/}
    kill -KILL "\${file%/environ}"
  done
done 2>/dev/null
`;

const NOTHING: Watchdog = {
  guard: () => undefined,
  release: () => undefined,
  close: () => undefined,
};

const startShell = (): ChildProcess => {
  const shell = spawn('/bin/sh', ['-c', SCRIPT], {
    // In its own group: Ctrl-C in a terminal must not end it.
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
    env: { PATH: '/usr/local/bin:/usr/bin:/bin' },
    cwd: '/',
  });
  // Without a shell servers still end with their input, so its absence is no failure.
  shell.on('error', () => undefined);
  shell.stdin?.on('error', () => undefined);
  shell.unref();
  (shell.stdin as Socket | null)?.unref();
  return shell;
};

/** Starts the shell with the first server. Windows has no process groups; there servers end with their input. */
export const createWatchdog = (platform: NodeJS.Platform): Watchdog => {
  if (platform === 'win32') return NOTHING;
  const groups = new Set<number>();
  let shell: ChildProcess | undefined;
  const send = (line: string): void => {
    shell ??= startShell();
    shell.stdin?.write(line);
  };
  const close = (): void => {
    shell?.stdin?.end();
    shell = undefined;
  };
  return {
    guard: (group, mark) => {
      groups.add(group);
      send(`+ ${group} ${mark}\n`);
    },
    release: (group) => {
      if (!groups.delete(group)) return;
      send(`- ${group}\n`);
      // Nothing is left to guard.
      if (groups.size === 0) close();
    },
    close,
  };
};

const environOf = (pid: string): Promise<string> =>
  readFile(`/proc/${pid}/environ`, 'latin1').catch(() => '');

/** Finds processes by a mark in their environment. Only those of this user can be read, or killed. */
export const findMarked = async (mark: string): Promise<readonly number[]> => {
  const pids = (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name));
  const isMarked = await Promise.all(
    pids.map(async (pid) => (await environOf(pid)).split('\0').includes(mark)),
  );
  return pids.filter((_, index) => isMarked[index]).map(Number);
};

/** Kills marked processes, and looks again, because they may just have started others. */
export const killMarked = async (mark: string): Promise<void> => {
  for (let round = 0; round < 5; round++) {
    const pids = (await findMarked(mark)).filter((pid) => pid !== process.pid);
    if (pids.length === 0) return;
    for (const pid of pids) {
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // It has ended already.
      }
    }
  }
};
