import { describeSandbox } from '../../../test/conformance/sandbox.ts';
import { createWorkerSandbox } from './create-worker-sandbox.ts';

describeSandbox('worker', async () => createWorkerSandbox(), {
  code: true,
  command: false,
  trusted: 'the worker sandbox is for trusted code only',
});
