/** `toolcrib flow send`: brings an event to a run, for `flow.waitForEvent`. */
import type { Command } from 'commander';
import type { FlowRun } from '../../../contract/flow-store.ts';
import { visibleText } from '../../../kit/text/visible-text.ts';
import { leaving, withExamples, withJson } from '../../command-actions.ts';
import { parseJson } from '../../input/parse-json.ts';
import { hint, type Io, printDone, printJson, warn } from '../../io.ts';
import { withStore } from '../../session/open-crib.ts';
import { findRun, isOver } from './find-run.ts';
import { resumeCommand } from './resume-command.ts';

const EVENT = 'event:';

/** Lists the events that a run waits for; none while it is worked on. */
const awaitedEvents = ({ waitsFor = [] }: FlowRun): readonly string[] =>
  waitsFor.filter((cause) => cause.startsWith(EVENT)).map((cause) => cause.slice(EVENT.length));

const send = (io: Io, typed: string, [event = '', json]: readonly string[]): Promise<number> => {
  const payload = json === undefined ? null : parseJson(json, 'The payload', []);
  return withStore(io, async ({ crib }) => {
    const run = await findRun(crib, typed);
    if (!(await crib.flows.send(run.id, event, payload))) throw isOver(run);
    if (io.json) printJson(io, { id: run.id, event, sent: true });
    else {
      printDone(io, `Sent to ${run.flow}.`);
      const events = awaitedEvents(run);
      if (events.length > 0 && !events.includes(event)) {
        warn(
          io,
          visibleText(
            `The run waits for ${events.join(', ')}, not for ${event}: it keeps the event until a step asks for it.`,
          ),
        );
      }
      hint(io, `  If no process runs it: ${resumeCommand(run)()}`);
    }
    return 0;
  });
};

export const flowSendCommand = (flow: Command, io: Io): Command =>
  withExamples(
    withJson(flow.command('send'))
      .argument('<run>', 'id of the run, or a unique beginning of it')
      .argument('<event>', 'name of the event')
      .argument('[json]', 'what it brings; null when absent')
      .action(
        leaving(io, (run: string, event: string, json: string | undefined) =>
          send(io, run, json === undefined ? [event] : [event, json]),
        ),
      ),
    `toolcrib flow send monday paid '{"invoice":7}'`,
  );
