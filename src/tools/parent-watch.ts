/**
 * Ends a process that works for this one when this one is gone, also after `kill -9`: what it does
 * may never end by itself, and while it does it, it would not notice that its pipes are closed.
 */

const watch = (parent: number): string => `
const look = () => {
  if (process.ppid !== ${parent}) process.kill(process.pid, 'SIGKILL');
};
look();
setInterval(look, 1000);
`;

/**
 * The text of a value, for a program that this process starts: a thread that watches, and that keeps
 * nobody from going home. This process is told by its number, for it may be gone before the thread
 * looks for the first time.
 */
export const startParentWatch = (): string => `(() => {
  const { Worker } = process.getBuiltinModule('node:worker_threads');
  const watch = new Worker(${JSON.stringify(watch(process.pid))}, { eval: true, stdout: true, stderr: true });
  watch.unref();
  return watch;
})()`;
