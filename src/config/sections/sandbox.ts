/** The `sandbox` section. */
import { z } from 'zod';
import type { SandboxType } from '../../contract/sandbox.ts';

const TYPES = [
  'wasm',
  'process',
  'container',
  'vm',
  'worker',
] as const satisfies readonly SandboxType[];

export const sandboxSection = z
  .strictObject({
    default: z
      .enum(TYPES)
      .describe(
        'The isolation of custom tools that ask for none; worker is for trusted code only (also known as defaultSandboxType).',
      )
      .default('wasm'),
  })
  .describe('Where foreign code runs.')
  .prefault({});
