/** Telling live processes from dead ones, recycled pids and zombies included. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { identifyProcess, isProcessAlive } from './process-identity.ts';

const linux = process.platform === 'linux';

describe('process identity', () => {
  it('knows that this process lives', () => {
    const self = identifyProcess();
    expect(self.pid).toBe(process.pid);
    expect(self.place).toContain(' ');
    expect(isProcessAlive(self)).toBe(true);
    expect(identifyProcess()).toEqual(self);
  });

  it('knows a child while it lives and not after', async () => {
    const child = spawn(process.execPath, ['-e', 'setTimeout(() => {}, 60000)']);
    await once(child, 'spawn');
    const identity = identifyProcess(child.pid);
    expect(isProcessAlive(identity)).toBe(true);
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(isProcessAlive(identity)).toBe(false);
    expect(isProcessAlive({ ...identity, started: '' })).toBe(false);
  });

  it.runIf(linux)('takes a recycled pid for another process', () => {
    const self = identifyProcess();
    expect(self.started).toMatch(/^\d+$/);
    expect(isProcessAlive({ ...self, started: `${Number(self.started) - 1}` })).toBe(false);
  });

  it.runIf(linux)('takes a zombie for dead', async () => {
    // The shell's child ends, and the shell, now a sleep, never collects it.
    const shell = spawn('sh', ['-c', 'sleep 0.05 & echo $!; exec sleep 60']);
    const [line] = (await once(shell.stdout, 'data')) as [Buffer];
    const child = identifyProcess(Number(line.toString()));
    expect(isProcessAlive(child)).toBe(true);
    await expect.poll(() => isProcessAlive(child), { timeout: 5000 }).toBe(false);
    expect(() => process.kill(child.pid, 0)).not.toThrow();
    shell.kill('SIGKILL');
  });

  it('is checked by signals when the kernel tells no start time', () => {
    expect(isProcessAlive({ place: '', pid: process.pid, started: '' })).toBe(true);
    expect(isProcessAlive({ place: '', pid: 1, started: '' })).toBe(true);
    expect(isProcessAlive({ place: '', pid: 2 ** 30, started: '' })).toBe(false);
  });
});
