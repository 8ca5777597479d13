/**
 * Ends the servers of a process that died without a word, as after `kill -9`. One small shell holds
 * the other end of a pipe; when it closes, every process group still on its list is killed.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import type { Socket } from 'node:net';

/** The variable by which a server's processes are known, also those that left its group. */
export const MARK_VARIABLE = 'TOOLCRIB_SERVER_RUN';

export interface Watchdog {
  /** From now on this group, and whatever carries the mark, ends with this process. */
  guard(group: number, mark: string): void;
  release(group: number): void;
  close(): void;
}

/**
 * Reads `+ group mark` and `- group`. What is on the list at the end of the input is asked to end,
 * and a second later made to.
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
    // In a group of its own: Ctrl-C in a terminal must not end the one who cleans up.
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
    env: { PATH: '/usr/local/bin:/usr/bin:/bin' },
    cwd: '/',
  });
  // Without it servers still end with their input; a host that has no shell must not fail for it.
  shell.on('error', () => undefined);
  shell.stdin?.on('error', () => undefined);
  shell.unref();
  (shell.stdin as Socket | null)?.unref();
  return shell;
};

/** Started with the first server. Windows has no process groups; there servers end with their input. */
export const createWatchdog = (platform: NodeJS.Platform): Watchdog => {
  if (platform === 'win32') return NOTHING;
  const held = new Set<number>();
  let shell: ChildProcess | undefined;
  const tell = (line: string): void => {
    shell ??= startShell();
    shell.stdin?.write(line);
  };
  const close = (): void => {
    shell?.stdin?.end();
    shell = undefined;
  };
  return {
    guard: (group, mark) => {
      held.add(group);
      tell(`+ ${group} ${mark}\n`);
    },
    release: (group) => {
      if (!held.delete(group)) return;
      tell(`- ${group}\n`);
      // With nobody left to guard there is nothing to stay for.
      if (held.size === 0) close();
    },
    close,
  };
};
