/** Text that only looks like a secret to the careless, and has to come through as it is. */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '../..');

const PROSE = ['test/guarantees/a3-prose.txt', 'README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md'];

const digest = (seed: string, algorithm: string, encoding: 'hex' | 'base64'): string =>
  createHash(algorithm).update(seed).digest(encoding);

const uuid = (seed: string): string => {
  const h = digest(seed, 'md5', 'hex');
  return `${h.slice(0, 8)}-${h.slice(8, 12)}-4${h.slice(13, 16)}-a${h.slice(17, 20)}-${h.slice(20)}`;
};

const many = (count: number, make: (seed: string) => string): readonly string[] =>
  Array.from({ length: count }, (_, at) => make(`benign ${at}`));

/** As large as a small picture. */
const picture = (seed: string): string =>
  `data:image/png;base64,${many(40, (part) => digest(seed + part, 'sha512', 'base64').slice(0, 84)).join('')}`;

const linesOf = (file: string): readonly string[] =>
  readFileSync(join(ROOT, file), 'utf8')
    .split('\n')
    .filter((line) => line.trim() !== '');

/** Our own sources, except those about secrets, whose samples are meant to be found. */
const sourceLines = (): readonly string[] =>
  readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !/redact|secret|test/.test(file))
    .flatMap((file) => linesOf(join('src', file)));

export const benignCorpus = (): Readonly<Record<string, readonly string[]>> => ({
  'git hashes': many(300, (seed) => `commit ${digest(seed, 'sha1', 'hex')}`),
  'SHA-256 sums': many(300, (seed) => `${digest(seed, 'sha256', 'hex')}  file-${seed}.tgz`),
  UUIDs: many(300, (seed) => `id: ${uuid(seed)}`),
  'base64 pictures': many(60, picture),
  'lockfile integrity': [
    ...many(300, (seed) => `"integrity": "sha512-${digest(seed, 'sha512', 'base64')}",`),
    ...linesOf('package-lock.json').slice(0, 3000),
  ],
  'source code': sourceLines(),
  prose: PROSE.flatMap(linesOf),
});
