// Prints what an installation of the packed package brings: npm run measure:install.
// Ends with 1 when it is more than docs/decisions/0029-what-an-installation-brings.md allows.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const MAX_MEGABYTES = 90;
const MAX_PACKAGES = 80;

const root = fileURLToPath(new URL('..', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'toolcrib-install-'));
const run = (program, args, cwd = folder) =>
  execFileSync(program, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });

try {
  const pack = ['pack', '--ignore-scripts', '--silent', '--pack-destination', folder];
  const tarball = run('npm', pack, root).trim();
  writeFileSync(join(folder, 'package.json'), '{"private":true}');
  run('npm', ['install', '--no-audit', '--no-fund', `./${tarball}`]);
  const megabytes = Number.parseInt(run('du', ['-sm', 'node_modules']), 10);
  // The first line is the project itself.
  const packages = run('npm', ['ls', '--all', '--parseable']).trim().split('\n').length - 1;
  console.log(
    `${megabytes} MB (at most ${MAX_MEGABYTES}), ${packages} packages (at most ${MAX_PACKAGES})`,
  );
  for (const line of run('sh', ['-c', 'du -sm node_modules/* | sort -rn | head -10'])
    .trimEnd()
    .split('\n')) {
    console.log(`  ${line.replace('\t', ' MB  ')}`);
  }
  process.exitCode = megabytes > MAX_MEGABYTES || packages > MAX_PACKAGES ? 1 : 0;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
