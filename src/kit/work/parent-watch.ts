/**
 * Ends a child process when this process is gone, also after `kill -9`: its work may never end, and
 * while it works it does not notice that its pipes are closed.
 */

const watch = (parent: number): string => `
const look = () => {
  if (process.ppid !== ${parent}) process.kill(process.pid, 'SIGKILL');
};
look();
setInterval(look, 1000);
`;

/**
 * Gives the text of an expression for a program that this process starts. Its value is a thread that
 * watches this process and does not keep the program alive. The pid is part of the text, because this
 * process may be gone before the thread first looks.
 */
export const startParentWatch = (): string => `(() => {
  const { Worker } = process.getBuiltinModule('node:worker_threads');
  const watch = new Worker(${JSON.stringify(watch(process.pid))}, { eval: true, stdout: true, stderr: true });
  watch.unref();
  return watch;
})()`;
