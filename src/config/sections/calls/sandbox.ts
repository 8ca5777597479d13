/** The `sandbox` section. */
import { z } from 'zod';
import type { SandboxType } from '../../../contract/sandbox.ts';
import { optionalSetting, section, setting } from '../setting.ts';

const TYPES = [
  'wasm',
  'process',
  'container',
  'vm',
  'worker',
] as const satisfies readonly SandboxType[];

/** From sharing everything with the host to sharing nothing. */
const LAXEST_FIRST = [
  'worker',
  'process',
  'container',
  'vm',
  'wasm',
] as const satisfies readonly SandboxType[];

const image = z
  .string()
  .max(255)
  .regex(/^[a-z0-9][\w.:@/-]*$/i, 'expected the name of an image, such as node:22-slim');

const runtimeName = z
  .string()
  .max(100)
  .regex(/^[a-z0-9][\w.-]*$/i, 'expected the name of a runtime that the engine knows, e.g. runsc');

const IMAGE = 'node:22-slim';

const containerSection = section(
  z.strictObject({
    image: setting(image, {
      about:
        'The image programs and code run in; it must be there already, and code needs node in it.',
      project: 'user',
      default: IMAGE,
    }),
    socket: optionalSetting(z.string().regex(/^\/[^\p{C}]+$/u, 'expected an absolute path'), {
      about:
        'The socket of Docker or Podman; by default DOCKER_HOST, then the places where they listen.',
      project: 'user',
    }),
    runtime: optionalSetting(runtimeName, {
      about: 'The OCI runtime by its name in the engine; the engine chooses when absent.',
      project: 'user',
    }),
  }),
  'The sandbox container: Docker or Podman on this machine.',
);

const vmSection = section(
  z.strictObject({
    image: setting(image, {
      about: 'The same for the sandbox vm.',
      project: 'user',
      default: IMAGE,
    }),
    runtime: optionalSetting(runtimeName, {
      about:
        'An OCI runtime that gives each container a kernel of its own, e.g. kata-runtime or runsc; one of the known ones when absent.',
      project: 'user',
    }),
  }),
  'The sandbox vm: the same engine with another runtime.',
);

export const sandboxSection = section(
  z.strictObject({
    default: setting(z.enum(TYPES), {
      about:
        'The isolation of custom tools that ask for none; worker is for trusted code only (also known as defaultSandboxType).',
      project: { order: LAXEST_FIRST },
      default: 'wasm',
    }),
    container: containerSection,
    vm: vmSection,
  }),
  'Where foreign code runs.',
);
