/** `toolcrib flow optimize`: the same flow with fewer or earlier calls. The file stays as it is. */
import type { Command } from 'commander';
import { visibleBlock, visibleText } from '../../../kit/text/visible-text.ts';
import { leaving, withExamples, withJson } from '../../command-actions.ts';
import { type Io, note, print, printJson } from '../../io.ts';
import { counted } from '../../output/format-units.ts';
import { withCrib } from '../../session/open-crib.ts';
import { type ModuleOptions, registerModules, withModules } from './flow-modules.ts';
import { flowSource } from './flow-source.ts';
import { withTrustHint } from './untrusted-flows.ts';

const optimize = (io: Io, typed: string, options: ModuleOptions): Promise<number> =>
  withCrib(io, async (open) => {
    const { crib } = open;
    await registerModules(io, crib, options);
    const source = await flowSource(io, typed);
    const optimized = await withTrustHint(open, typed, () => crib.flows.optimize(source));
    if (io.json) {
      printJson(io, optimized);
      return 0;
    }
    const { flow, changes, saves } = optimized;
    if (changes.length === 0) {
      note(io, 'Nothing can be saved: the flow is as good as it gets.');
      return 0;
    }
    const { stringify } = await import('yaml');
    print(io, visibleBlock(stringify(flow)).trimEnd());
    for (const { type, message } of changes)
      note(io, `${io.noteInk.green('✓')} ${type}: ${visibleText(message)}`);
    note(io, `Saves ${counted(saves.calls, 'call')} and ${counted(saves.levels, 'level')}.`);
    return 0;
  });

export const flowOptimizeCommand = (flow: Command, io: Io): Command =>
  withExamples(
    withModules(withJson(flow.command('optimize')))
      .argument('<flow>', 'name of a declared flow, or a flow file')
      .action(leaving(io, (typed: string, options: ModuleOptions) => optimize(io, typed, options))),
    'toolcrib flow optimize research.yml > better.yml',
  );
