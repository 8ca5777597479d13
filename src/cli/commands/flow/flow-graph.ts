/** `toolcrib flow graph`: a declared flow, or a run, as Mermaid text or SVG. */
import { type Command, Option } from 'commander';
import type { CribHost } from '../../../contract/crib-host.ts';
import { type FlowDrawing, stepViews } from '../../../contract/flow-view.ts';
import { declaredDrawing } from '../../../kit/graph/declared-drawing.ts';
import { journalGraph } from '../../../kit/graph/journal-graph.ts';
import { mermaidText } from '../../../kit/graph/mermaid-text.ts';
import { leaving, withExamples, withJson } from '../../command-actions.ts';
import { type Io, print, printJson } from '../../io.ts';
import { withCrib } from '../../session/open-crib.ts';
import { findRun } from './find-run.ts';
import { type ModuleOptions, registerModules, withModules } from './flow-modules.ts';
import { flowSource } from './flow-source.ts';
import { withTrustHint } from './untrusted-flows.ts';

interface GraphOptions extends ModuleOptions {
  readonly format: 'mermaid' | 'svg';
  readonly run?: boolean;
}

/**
 * Draws a run: the steps of a declared flow with their states, or the steps that the code of a flow has
 * made so far.
 */
const runDrawing = async (crib: CribHost, typed: string): Promise<FlowDrawing> => {
  const run = await findRun(crib, typed);
  const nodes = await crib.flows.nodes(run.id);
  if (nodes) {
    return declaredDrawing(await crib.flows.graph(`${run.flow}@${run.version}`), nodes);
  }
  const { audit } = await crib.store();
  return journalGraph(await stepViews(await crib.flows.steps(run.id), audit));
};

const draw = (io: Io, typed: string, options: GraphOptions): Promise<number> =>
  withCrib(io, async (open) => {
    const { crib } = open;
    await registerModules(io, crib, options);
    const drawing = options.run
      ? await runDrawing(crib, typed)
      : await withTrustHint(open, typed, async () =>
          declaredDrawing(await crib.flows.graph(await flowSource(io, typed))),
        );
    if (io.json) {
      printJson(io, drawing);
      return 0;
    }
    const text =
      options.format === 'svg'
        ? await (await import('../../../kit/graph/graph-svg.ts')).graphSvg(drawing)
        : mermaidText(drawing);
    print(io, text.trimEnd());
    return 0;
  });

export const flowGraphCommand = (flow: Command, io: Io): Command =>
  withExamples(
    withModules(withJson(flow.command('graph')))
      .argument('<flow>', 'name of a declared flow, a flow file, or with --run the id of a run')
      .addOption(
        new Option('--format <format>', 'what to print')
          .choices(['mermaid', 'svg'])
          .default('mermaid'),
      )
      .option('--run', 'draw a run with the states of its steps')
      .action(leaving(io, (typed: string, options: GraphOptions) => draw(io, typed, options))),
    'toolcrib flow graph research',
    'toolcrib flow graph ./research.yml --format svg > research.svg',
    'toolcrib flow graph --run monday --format svg > monday.svg',
  );
