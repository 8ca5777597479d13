import { availableParallelism } from 'node:os';
import { it } from 'vitest';
import { describeSandbox } from '../../../test/conformance/sandbox.ts';
import { isMissing } from '../../../test/fixtures/needed-programs.ts';
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

if (isMissing('bwrap')) {
  it.skip('process: sandbox', () => undefined);
} else {
  describeSandbox('process', open, {
    code: true,
    command: true,
    measures: process.platform === 'linux',
    bare: 'its code runs on Node itself, and the system confines the whole process',
  });
}
