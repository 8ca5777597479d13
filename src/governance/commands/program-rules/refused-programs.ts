/**
 * Programs without rules: refused always, or unless the owner of the allowlist wrote the exact
 * command.
 */
import {
  ESCALATING_PROGRAMS,
  namesOf,
  type ProgramEntry,
  SHELLS,
  WRAPPING_PROGRAMS,
} from '../program-tables.ts';

const names = (text: string, tables: readonly ProgramEntry[] = []): ReadonlySet<string> =>
  new Set([...text.split(' '), ...namesOf(tables)]);

/** Refused whatever the allowlist says: they change the user. */
export const NEVER: ReadonlySet<string> = new Set(namesOf(ESCALATING_PROGRAMS));

/** Builtins that run text, change the shell or set variables by a name they are given. */
export const SHELL_STATE = names(
  '. source eval exec command builtin trap alias unalias declare typeset local export readonly let read mapfile readarray getopts set shopt enable hash unset bind complete compgen compopt caller pushd popd dirs fc history umask ulimit coproc suspend logout disown bg fg jobs wait shift return times',
);

/** Read a program from standard input when no file is named. */
export const READS_PROGRAM = names(
  'pwsh busybox toybox node nodejs deno bun tsx ts-node python python2 python3 pypy pypy3 ipython perl ruby irb php lua luajit tclsh expect Rscript R julia ghci sqlite3 psql mysql gdb lldb ed ex at batch crontab patch',
  SHELLS,
);

/**
 * Run other programs or code, connect to other machines or write to files they are given: no
 * wildcard may match their arguments unless there are rules for them.
 */
export const RUNS_PROGRAMS = names(
  'npx bunx pnpx corepack uvx pipx pip pip3 uv gem bundle cargo go mvn gradle gradlew ant sbt make gmake cmake ninja bazel just task rake tox nox pre-commit husky lefthook lerna nx turbo scriptreplay ssh scp sftp rsync ssh-add ssh-agent ssh-keygen mosh telnet nc ncat netcat socat openssl gpg systemctl service flock gdbserver valgrind perf ld.so ld-linux-x86-64.so.2 ldd vim vi nvim view emacs nano less more most man info docker podman kubectl helm nerdctl ctr buildah terraform ansible ansible-playbook vagrant aws gcloud az gh glab zip unzip 7z 7za cpio pax ar dd install ln link unlink mknod mkfifo mount umount chown chgrp chattr setfacl setcap wget aria2c lynx w3m ftp lftp git-shell svn hg cvs tmux screen dtach start-stop-daemon daemonize run-parts entr inotifywait fswatch nodemon pm2 forever concurrently dotenv direnv asdf nvm mise volta gio xdg-open open osascript launchctl vitest jest mocha eslint prettier tsc webpack vite rollup esbuild playwright cypress pytest rspec phpunit ctest logger mail sendmail mutt sysctl modprobe insmod kill pkill killall reboot shutdown halt poweroff init telinit split csplit shred mktemp logrotate gawk mawk nawk busctl tcpdump nmap yq apt apt-get dpkg yum dnf rpm pacman apk brew snap flatpak',
  WRAPPING_PROGRAMS,
);

/** Removes the folder and the version from a name: `python3.12`, `bash-5.2`, `ld-linux.so.2`. */
export const plainProgramName = (name: string): string =>
  name.replace(/^.*\//, '').replace(/(?<=[a-z])-?\d+(?:\.\d+)+$/, '');
