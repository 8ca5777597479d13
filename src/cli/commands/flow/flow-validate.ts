/** `toolcrib flow validate`: lists every fault of flow files, with line and column. */
import type { Command } from 'commander';
import type { FlowFault } from '../../../contract/flow-data.ts';
import { isRecord } from '../../../kit/data/is-record.ts';
import { readYaml } from '../../../kit/text/strict-yaml.ts';
import { visibleText } from '../../../kit/text/visible-text.ts';
import { leaving, withExamples, withJson } from '../../command-actions.ts';
import { type Io, print, printDone, printJson } from '../../io.ts';
import { counted } from '../../output/format-units.ts';
import { withCrib } from '../../session/open-crib.ts';
import { faultLine } from './fault-line.ts';
import { type ModuleOptions, registerModules, withModules } from './flow-modules.ts';
import { readFlowFile } from './flow-source.ts';
import { isUntrusted } from './untrusted-flows.ts';

/** The bounds of a flow file. */
const RULES = { maxDepth: 64, maxNodes: 250_000, aliases: 'refuse' } as const;

const kindOf = (value: unknown): string | undefined => {
  if (!isRecord(value) || 'steps' in value) return undefined;
  if (value.type === 'composed') return 'a composed tool';
  return 'code' in value && 'schema' in value ? 'a tool with code' : undefined;
};

/** Returns the one fault of a text that defines a tool; nothing for any other text. */
const toolFileFault = async (text: string): Promise<FlowFault | undefined> => {
  const kind = kindOf(readYaml(await import('yaml'), text, RULES).value);
  if (kind === undefined) return undefined;
  const message = `this is ${kind}, and no flow; its faults are reported by: toolcrib tools test`;
  return { path: [], message, severity: 'error', line: 1, column: 1 };
};

const validate = (io: Io, files: readonly string[], options: ModuleOptions): Promise<number> =>
  withCrib(io, async (open) => {
    const { crib } = open;
    await registerModules(io, crib, options);
    const results = [];
    for (const file of files) {
      // The line break makes an empty file a flow with a fault; an empty text would be refused as an
      // argument.
      const text = `${await readFlowFile(io, file)}\n`;
      const { ok, faults } = await crib.flows.validate(text);
      const toolFault = ok ? undefined : await toolFileFault(text);
      results.push({ file, ok, faults: toolFault ? [toolFault] : faults });
    }
    const isGood = results.every(({ ok }) => ok);
    if (io.json) printJson(io, { ok: isGood, files: results });
    else {
      for (const { file, ok, faults } of results) {
        print(io, ...faults.map((fault) => faultLine(io, { ...fault, file })));
        if (!ok) continue;
        const isLeftOut = await isUntrusted(io, open, file);
        printDone(
          io,
          isLeftOut
            ? `${visibleText(file)} has no faults. It counts once you trust it: toolcrib trust`
            : `${visibleText(file)} can be run.`,
        );
      }
      if (!isGood) {
        const bad = results.filter(({ ok }) => !ok).length;
        print(io, '', `${counted(bad, 'file')} cannot be run.`);
      }
    }
    return isGood ? 0 : 2;
  });

export const flowValidateCommand = (flow: Command, io: Io): Command =>
  withExamples(
    withModules(withJson(flow.command('validate')))
      .argument('<file...>', 'flow files, YAML')
      .action(
        leaving(io, (files: readonly string[], options: ModuleOptions) =>
          validate(io, files, options),
        ),
      ),
    'toolcrib flow validate .toolcrib/flows/*.yml',
    'toolcrib flow validate research.yml --module ./tools.mjs',
    'toolcrib flow validate research.yml --json',
  );
