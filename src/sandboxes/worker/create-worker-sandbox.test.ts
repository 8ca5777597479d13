import { describeSandbox } from '../../../test/conformance/sandbox.ts';
import { createWorkerSandbox } from './create-worker-sandbox.ts';

const trusted = 'the worker sandbox is for trusted code only';

describeSandbox('worker', async () => createWorkerSandbox(), {
  code: true,
  command: false,
  bare: `its code runs on Node itself, and ${trusted}`,
  trusted,
  measures: true,
});
