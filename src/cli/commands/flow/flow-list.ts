/** `toolcrib flow list`: the flows that can be run here. */
import type { Command } from 'commander';
import { visibleText } from '../../../kit/text/visible-text.ts';
import { leaving, withExamples, withJson } from '../../command-actions.ts';
import { hint, type Io, print, printJson, widthOf } from '../../io.ts';
import { table } from '../../output/table.ts';
import { withCrib } from '../../session/open-crib.ts';
import { type ModuleOptions, registerModules, withModules } from './flow-modules.ts';
import { trustHint, untrustedFlows } from './untrusted-flows.ts';

const list = (io: Io, options: ModuleOptions): Promise<number> =>
  withCrib(io, async ({ crib, loaded }) => {
    await registerModules(io, crib, options);
    const flows = await crib.flows.registered();
    const untrusted = untrustedFlows(loaded.trust);
    if (io.json) printJson(io, { flows });
    else if (flows.length === 0) {
      print(io, 'No flow is known here.');
      if (untrusted.length === 0) {
        hint(io, 'Write one to .toolcrib/flows/<name>.yml, or name a --module.');
      }
    } else {
      const rows = flows.map(({ name, version, description }) => [
        { text: name, paint: io.ink.bold },
        version,
        { text: description, paint: io.ink.dim },
      ]);
      print(io, ...table(rows, widthOf(io)));
    }
    if (!io.json && untrusted.length > 0) hint(io, visibleText(trustHint(untrusted)));
    if (!io.json) hint(io, 'See what was run: toolcrib flow runs');
    return 0;
  });

export const flowListCommand = (flow: Command, io: Io): Command =>
  withExamples(
    withModules(withJson(flow.command('list', { isDefault: true }))).action(
      leaving(io, (options: ModuleOptions) => list(io, options)),
    ),
    'toolcrib flow',
    'toolcrib flow list --module ./flows.mjs --json',
  );
