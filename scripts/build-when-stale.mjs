// Builds before tests, unless the present sources are built already.
import { spawnSync } from 'node:child_process';
import { isBuilt } from './build-state.mjs';

if (isBuilt()) {
  console.log('The sources have not changed since the last build.');
} else {
  const { status } = spawnSync('npm', ['run', 'build'], { stdio: 'inherit' });
  process.exitCode = status ?? 1;
}
