/**
 * Programs that matter for judging a command, one entry a line, each with its reason. The
 * inspection of inputs and the command guard share these tables, so that they cannot disagree.
 */

export type ProgramEntry = readonly [name: string, why: string];

/** Change the user. Never run, whatever an allowlist says. */
export const ESCALATING_PROGRAMS: readonly ProgramEntry[] = [
  ['sudo', 'runs a command as root'],
  ['sudo-rs', 'sudo, written anew'],
  ['sudoedit', 'edits files as root'],
  ['doas', 'sudo of OpenBSD'],
  ['dzdo', 'sudo of Centrify'],
  ['su', 'becomes another user'],
  ['su-exec', 'su for containers'],
  ['gosu', 'su for containers'],
  ['runuser', 'su for root'],
  ['runas', 'su of Windows'],
  ['run0', 'sudo of systemd'],
  ['pkexec', 'sudo of polkit'],
  ['kdesu', 'sudo of KDE'],
  ['gksudo', 'sudo of GNOME'],
  ['setpriv', 'sets users and capabilities'],
  ['newgrp', 'becomes a member of another group'],
  ['sg', 'runs a command as another group'],
  ['nsenter', "enters the namespaces of others, the machine's own too"],
  ['machinectl', 'opens a shell as any user of any machine'],
];

/** Run the program that is named after their own options, so the command inside is judged. */
export const WRAPPING_PROGRAMS: readonly ProgramEntry[] = [
  ['env', 'sets variables'],
  ['xargs', 'adds arguments from its input'],
  ['nohup', 'survives the terminal'],
  ['nice', 'sets the priority'],
  ['ionice', 'sets the priority of input and output'],
  ['chrt', 'sets the scheduling'],
  ['taskset', 'chooses processors'],
  ['timeout', 'limits the time'],
  ['time', 'measures the time'],
  ['stdbuf', 'changes the buffering'],
  ['unbuffer', 'changes the buffering'],
  ['setsid', 'starts a session'],
  ['setarch', 'sets the architecture'],
  ['prlimit', 'sets limits'],
  ['watch', 'runs again and again'],
  ['parallel', 'runs several at once'],
  ['strace', 'watches system calls'],
  ['ltrace', 'watches calls of libraries'],
  ['script', 'records the terminal'],
  ['busybox', 'holds many programs'],
  ['toybox', 'holds many programs'],
  ['unshare', 'starts in namespaces of its own'],
  ['chroot', 'starts below another root'],
  ['proot', 'starts below another root'],
  ['fakeroot', 'pretends to be root'],
  ['faketime', 'pretends another time'],
  ['systemd-run', 'starts as a service'],
  ['bwrap', 'starts in a sandbox of its own making'],
  ['firejail', 'starts in a sandbox of its own making'],
  ['xvfb-run', 'gives a display'],
  ['dbus-run-session', 'gives a message bus'],
  ['cross-env', 'sets variables'],
];

/** Run text: as `-c`, as a file or from their input. */
export const SHELLS: readonly ProgramEntry[] = [
  ['sh', 'the shell of the system'],
  ['bash', 'Bourne again'],
  ['rbash', 'bash, restricted'],
  ['dash', 'Debian'],
  ['ash', 'Alpine and BusyBox'],
  ['zsh', 'macOS'],
  ['ksh', 'Korn'],
  ['mksh', 'Korn, of MirBSD and Android'],
  ['fish', 'friendly interactive'],
  ['csh', 'C shell'],
  ['tcsh', 'C shell, extended'],
];

/** Lists the names of a table. */
export const namesOf = (entries: readonly ProgramEntry[]): readonly string[] =>
  entries.map(([name]) => name);
