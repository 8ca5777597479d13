/** The `sandbox` section. */
import { z } from 'zod';
import type { SandboxType } from '../../contract/sandbox.ts';
import { byProject } from '../project-rule.ts';

const TYPES = [
  'wasm',
  'process',
  'container',
  'vm',
  'worker',
] as const satisfies readonly SandboxType[];

/** From what shares everything with the host to what shares nothing. */
const LAXEST_FIRST = [
  'worker',
  'process',
  'container',
  'vm',
  'wasm',
] as const satisfies readonly SandboxType[];

export const sandboxSection = z
  .strictObject({
    default: z
      .enum(TYPES)
      .describe(
        'The isolation of custom tools that ask for none; worker is for trusted code only (also known as defaultSandboxType).',
      )
      .meta(byProject({ order: LAXEST_FIRST }))
      .default('wasm'),
  })
  .describe('Where foreign code runs.')
  .prefault({});
