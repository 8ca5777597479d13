/** Git hides by attributes what file access hides by names. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { secretAttributes, secretPathspecs } from './secret-attributes.ts';
import { sensitiveRule } from './sensitive-names.ts';

const CORPUS = JSON.parse(
  readFileSync(join(import.meta.dirname, 'threats', 'names.json'), 'utf8'),
) as { readonly secret: readonly string[]; readonly readable: readonly string[] };

const NAMES = [
  ...CORPUS.secret,
  ...CORPUS.readable,
  ...[
    '.env',
    'a/.env.local',
    '.env.example',
    'prod.env',
    'deploy/server.pem',
    '.npmrc',
    '.ssh/config',
  ],
  ...['passwords.txt', 'src/password.ts', 'locales/en/passwords.json', 'credentials/prod.json'],
  ...['src/credentials/index.ts', 'credentials.json', 'secrets/prod.txt', 'SECRETS/deep/db.json'],
  ...['src/secrets/index.ts', 'src/secrets/prod.json', 'chart/templates/secrets/db.yaml'],
  ...[
    'secrets/templates/x.yaml',
    'private_keys/server',
    'etc/shadow',
    'shadow.css',
    'src/shadow/x.json',
  ],
  ...[
    'secrets/.env',
    'templates/secrets/.env',
    'secrets/server.pem',
    'staff/secretary.txt',
    'a.ts',
  ],
];

it('the attributes agree with the secret names about every kind of file', () => {
  const root = mkdtempSync(join(tmpdir(), 'toolcrib-attributes-'));
  try {
    execFileSync('git', ['init', '-q', root]);
    writeFileSync(join(root, '.git/info/attributes'), secretAttributes());
    const args = ['-C', root, 'check-attr', '-z', 'diff', '--', ...NAMES];
    const fields = execFileSync('git', args, { encoding: 'utf8' }).split('\0');
    const hidden = NAMES.filter((_name, at) => fields[at * 3 + 2] === 'unset');
    const secret = NAMES.filter((name) =>
      sensitiveRule({ above: [], below: name.split('/'), isFolder: false }),
    );
    expect(hidden).toEqual(secret);
  } finally {
    rmSync(root, { recursive: true });
  }
});

it('the attributes are patterns from the top of the repository, in any case', () => {
  expect(secretPathspecs()).toContain(':(top,icase,glob)**/.env');
  expect(secretPathspecs()).toContain(':(top,icase,glob)**/secrets/**');
});
