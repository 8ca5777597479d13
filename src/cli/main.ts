#!/usr/bin/env node
/** The `toolcrib` program. The version is answered before anything else is loaded. */
import { createRequire } from 'node:module';

const args = process.argv.slice(2);
if (args.length === 1 && (args[0] === '--version' || args[0] === '-V')) {
  const pack: unknown = createRequire(import.meta.url)('../../package.json');
  process.stdout.write(`${(pack as { version: string }).version}\n`);
} else {
  void import('./start-cli.ts').then(({ startCli }) => startCli(args));
}
