import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { it } from 'vitest';
import { describeSandbox } from '../../../test/conformance/sandbox.ts';
import { createRuntime } from '../../crib/create-runtime.ts';
import { createProcessSandbox } from './create-process-sandbox.ts';

const open = async () =>
  createProcessSandbox({
    platform: process.platform,
    processor: process.arch,
    cores: availableParallelism(),
    identity: { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 },
    node: process.execPath,
    runtime: createRuntime(),
    masks: { isSecret: () => false, isProtected: () => false },
  });

// In CI it has to be there, and its absence is a failure.
if (existsSync('/usr/bin/bwrap') || process.env.CI !== undefined) {
  describeSandbox('process', open, {
    code: true,
    command: true,
    bare: 'its code runs on Node itself, and the system confines the whole process',
  });
} else {
  console.warn('Not tried: the process sandbox: no bubblewrap (scripts/install-sandbox-tools.sh).');
  it.skip('process: sandbox', () => undefined);
}
