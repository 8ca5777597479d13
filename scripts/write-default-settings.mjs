// Writes what holds when nothing is configured as plain code, so that a start without any settings
// builds no schema. The test beside it compares the two.
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { defaultConfig } from '../dist/config/schema.js';

const file = fileURLToPath(new URL('../src/config/default-settings.ts', import.meta.url));
writeFileSync(
  file,
  `/** What holds when nothing is configured. Written by scripts/write-default-settings.mjs. */
import type { Config } from './schema.ts';

const DEFAULTS = ${JSON.stringify(defaultConfig(), null, 2)};

/** Makes a new copy of the defaults. */
export const defaultSettings = (): Config => structuredClone(DEFAULTS) as unknown as Config;
`,
);
execFileSync('npx', ['biome', 'check', '--write', file], { stdio: 'ignore' });
