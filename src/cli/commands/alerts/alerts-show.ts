/** `toolcrib alerts show`: one alert in full. */
import type { Command } from 'commander';
import type { AlertAction, AlertStatus } from '../../../contract/alerts.ts';
import type { Crib } from '../../../contract/crib.ts';
import { ToolFailure } from '../../../contract/errors.ts';
import { unknownNameText } from '../../../kit/text/did-you-mean.ts';
import { visibleText } from '../../../kit/text/visible-text.ts';
import { leaving, withExamples, withJson } from '../../command-actions.ts';
import { type Io, print, printJson } from '../../io.ts';
import { formatTime } from '../../output/format-units.ts';
import { agoCell, printTable } from '../../output/table.ts';
import { withStore } from '../../session/open-crib.ts';
import { EVENT_HEAD, eventRow, stateCell } from './alert-cells.ts';

const MAX_EVENTS = 10;

/** Finds an alert by its id. Fails with NOT_FOUND. */
const findAlert = async ({ alerts }: Crib, id: string): Promise<AlertStatus> => {
  const all = await alerts.list();
  const alert = all.find((one) => one.id === id);
  if (alert) return alert;
  throw new ToolFailure('NOT_FOUND', 'There is no alert of that name.', {
    suggestions: [
      all.length === 0
        ? 'Write one into the configuration, under observation.alerts.'
        : `${id} ${unknownNameText(
            id,
            all.map((one) => one.id),
          )}`,
    ],
  });
};

const actionText = (action: AlertAction): string => {
  switch (action.type) {
    case 'log':
      return 'log';
    case 'webhook':
      return `webhook ${action.url}${action.secret === undefined ? '' : ', signed'}`;
    case 'tool':
      return `tool ${action.tool} as ${action.as.user}`;
    case 'job':
      return `job ${action.job} as ${action.as.user}`;
  }
};

const scopeText = ({ each, tool, source, caller, window = '5m' }: AlertStatus['definition']) => {
  const names = { each, tool, source, caller };
  const named = Object.entries(names).flatMap(([key, name]) => (name ? [`${key} ${name}`] : []));
  return [...named, `last ${window}`].join(', ');
};

const linesOf = (io: Io, alert: AlertStatus): readonly string[] => {
  const { id, definition, subjects, silence, evaluatedAt, problem } = alert;
  const { summary, severity = 'warning', when, for: holdTime = '0s', coolDown = '5m' } = definition;
  const { text, paint = (plain: string) => plain } = stateCell(alert, io);
  return [
    `${io.ink.bold(visibleText(id))} ${paint(text)}`,
    ...(summary === undefined ? [] : [visibleText(summary)]),
    visibleText(`When:      ${when}`),
    visibleText(`Of:        ${scopeText(definition)}`),
    `For:       ${holdTime}, cool-down ${coolDown}, severity ${severity}`,
    ...(definition.actions ?? [{ type: 'log' } as const]).map((action, at) =>
      visibleText(`${at === 0 ? 'Actions:  ' : '          '} ${actionText(action)}`),
    ),
    `Evaluated: ${agoCell(evaluatedAt, io).text}`,
    ...(silence
      ? [
          visibleText(
            `Silenced:  until ${formatTime(silence.until)} by ${silence.by} ${silence.note ?? ''}`,
          ),
        ]
      : []),
    ...(problem === undefined ? [] : [io.ink.yellow(visibleText(`Problem:   ${problem}`))]),
    ...subjects.map(({ subject, state, since }) =>
      visibleText(`  ${subject || '(all)'}: ${state} since ${formatTime(since)}`),
    ),
  ];
};

const show = (io: Io, id: string): Promise<number> =>
  withStore(io, async ({ crib }) => {
    const alert = await findAlert(crib, id);
    const history = await crib.alerts.history({ alert: alert.id, limit: MAX_EVENTS });
    if (io.json) {
      printJson(io, { ...alert, history });
      return 0;
    }
    print(io, ...linesOf(io, alert));
    if (history.length > 0) {
      print(io, '');
      printTable(
        io,
        EVENT_HEAD,
        history.map((event) => eventRow(io, event)),
      );
    }
    return 0;
  });

export const alertsShowCommand = (alerts: Command, io: Io): Command =>
  withExamples(
    withJson(alerts.command('show <id>')).action(leaving(io, (id: string) => show(io, id))),
    'toolcrib alerts show high-errors',
  );
