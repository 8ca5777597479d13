/**
 * Runs tasks in a few processes of their own. A task that ends its process, or takes too long, is a
 * result like any other; the next task gets a new process.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';

const DEFAULT_LIMITS = { workers: 2, heapMb: 6_000, taskMs: 1_800_000, maxRssMb: 1_500 };

/** A process that answers one message with one message. */
const startWorker = (file, { heapMb, data }) => {
  const child = fork(file, [JSON.stringify(data)], {
    execArgv: [`--max-old-space-size=${heapMb}`],
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  let stderr = '';
  child.stderr.on('data', (chunk) => {
    stderr = (stderr + chunk).slice(-4000);
  });
  return { child, lastWords: () => stderr };
};

const lastLineOf = (text) =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => /error|fatal/i.test(line))
    .at(0);

const ask = ({ child, lastWords }, task, taskMs) =>
  new Promise((resolve) => {
    const finish = (result) => {
      clearTimeout(timer);
      child.off('message', finish);
      child.off('exit', gone);
      resolve(result);
    };
    const gone = (code, signal) => {
      const reason = lastLineOf(lastWords()) ?? `the process ended with ${signal ?? code}`;
      finish({ crashed: reason });
    };
    const late = { crashed: `took longer than ${taskMs / 1000} s` };
    const timer = setTimeout(() => finish(late), taskMs);
    child.on('message', finish);
    child.on('exit', gone);
    child.send(task);
  });

const stop = async ({ child }) => {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
};

/**
 * Runs every task once and calls `onResult(task, result)`. A task with `fresh` gets a process of its own,
 * so that the memory it reports is its own.
 */
export const runTasks = async (file, tasks, { onResult, data = {}, ...chosen }) => {
  const limits = { ...DEFAULT_LIMITS, ...chosen };
  const queue = [...tasks];
  const work = async () => {
    let worker;
    for (let task = queue.shift(); task !== undefined; task = queue.shift()) {
      if (worker && task.fresh) {
        await stop(worker);
        worker = undefined;
      }
      worker ??= startWorker(file, { heapMb: limits.heapMb, data });
      const result = await ask(worker, task, limits.taskMs);
      onResult(task, result);
      if (task.fresh || result.crashed || (result.rssMb ?? 0) > limits.maxRssMb) {
        await stop(worker);
        worker = undefined;
      }
    }
    if (worker) await stop(worker);
  };
  await Promise.all(Array.from({ length: limits.workers }, work));
};
