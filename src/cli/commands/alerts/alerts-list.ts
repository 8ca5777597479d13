/** `toolcrib alerts list`: the alerts and their states. */
import { join } from 'node:path';
import type { Command } from 'commander';
import type { AlertStatus } from '../../../contract/alerts.ts';
import { visibleText } from '../../../kit/text/visible-text.ts';
import { leaving, withExamples, withJson } from '../../command-actions.ts';
import { hint, type Io, note, print, printJson } from '../../io.ts';
import { agoCell, type Cell, printTable } from '../../output/table.ts';
import { withStore } from '../../session/open-crib.ts';
import { stateCell } from './alert-cells.ts';

const HEAD = ['alert', 'state', 'severity', 'about', 'fired', 'condition'];

/** Explains where alerts are defined: only in the user's own file. */
const noAlerts = (userDir: string): readonly string[] => [
  `There are no alerts. Write one into ${visibleText(join(userDir, 'config.yml'))}, e.g.`,
  '',
  '  observation:',
  '    alerts:',
  '      high-errors:',
  '        when: calls >= 20 && errorRate > 0.2',
  '        each: tool',
  '        for: 5m',
];

const rowOf = (io: Io, alert: AlertStatus): readonly (string | Cell)[] => {
  const { id, definition, subjects, lastFiredAt } = alert;
  return [
    { text: visibleText(id), paint: io.ink.bold },
    stateCell(alert, io),
    definition.severity ?? 'warning',
    visibleText(subjects.map(({ subject }) => subject).join(', ')),
    agoCell(lastFiredAt, io),
    visibleText(definition.when),
  ];
};

const list = (io: Io): Promise<number> =>
  withStore(io, async ({ crib, loaded }) => {
    const alerts = await crib.alerts.list();
    if (io.json) printJson(io, alerts);
    else if (alerts.length === 0) print(io, ...noAlerts(loaded.userDir));
    else {
      printTable(
        io,
        HEAD,
        alerts.map((alert) => rowOf(io, alert)),
      );
      if (alerts.some(({ state, problem }) => state === 'unknown' && problem === undefined)) {
        hint(
          io,
          'Some states are unknown: start toolcrib serve or toolcrib worker to evaluate the alerts.',
        );
      }
      for (const { id, problem } of alerts) {
        if (problem !== undefined) note(io, io.noteInk.yellow(visibleText(`${id}: ${problem}`)));
      }
    }
    return 0;
  });

export const alertsListCommand = (alerts: Command, io: Io): Command =>
  withExamples(
    withJson(alerts.command('list', { isDefault: true })).action(leaving(io, () => list(io))),
    'toolcrib alerts',
    'toolcrib alerts list --json',
  );
