import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fakeIo } from '../../../../test/fixtures/fake-io.ts';
import type { CribHost } from '../../../contract/crib-host.ts';
import { registerModules } from './flow-modules.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'toolcrib-modules-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const FLOW = `export const one = { name: 'one', version: '1.0.0', run: async () => 1 };`;
const TOOL = `export const ship = { name: 'ship', tier: 'write', run: () => 1 };`;

/** Registers modules of these texts, and returns what the crib got, in its order. */
const register = async (...texts: readonly string[]): Promise<readonly string[]> => {
  const taken: string[] = [];
  const take = (kind: string) => ({
    register: ({ name }: { readonly name: string }) => taken.push(`${kind} ${name}`),
  });
  const crib = { tools: take('tool'), flows: take('flow') } as unknown as CribHost;
  const module = texts.map((text, at) => {
    writeFileSync(join(folder, `${at}.mjs`), text);
    return `${at}.mjs`;
  });
  await registerModules(fakeIo({ cwd: folder }).io, crib, { module }).catch((error: unknown) => {
    taken.push((error as { readonly code: string }).code);
  });
  return taken;
};

describe('files named by --module', () => {
  it('register all their tools before the first flow, whose due runs are continued at once', async () => {
    expect(await register(FLOW, TOOL)).toEqual(['tool ship', 'flow one']);
  });

  it('register nothing when one of them cannot be loaded or exports nothing of use', async () => {
    expect(await register(FLOW, 'export const ship = ;')).toEqual(['CONFIG_INVALID']);
    expect(await register(FLOW, 'export const none = 1;')).toEqual(['CONFIG_INVALID']);
  });
});
