/** How alerts and their notifications look on a terminal. */
import type { AlertEvent, AlertState, AlertStatus } from '../../../contract/alerts.ts';
import { visibleText } from '../../../kit/text/visible-text.ts';
import type { Io } from '../../io.ts';
import { agoCell, type Cell } from '../../output/table.ts';

export const stateCell = ({ state, silence }: AlertStatus, { ink }: Io): Cell => {
  const paints = { firing: ink.red, pending: ink.yellow, ok: ink.green, unknown: ink.dim };
  const text = silence ? `${state}, silenced` : state;
  return { text, paint: paints[state satisfies AlertState] };
};

const TYPES = { 'alert.fired': 'fired', 'alert.resolved': 'resolved', 'alert.tested': 'tested' };

const deliveryText = ({ silenced, deliveries }: AlertEvent): string =>
  silenced
    ? 'silenced'
    : deliveries
        .map(({ action, state, problem }) =>
          [state === 'done' ? action : `${action} ${state}`, problem].filter(Boolean).join(': '),
        )
        .join(', ');

export const EVENT_HEAD = ['when', 'alert', 'what', 'subject', 'told by'];

export const eventRow = (io: Io, event: AlertEvent): readonly (string | Cell)[] => {
  const { at, alert, type, subject } = event;
  const paint = type === 'alert.fired' ? io.ink.red : io.ink.green;
  return [
    agoCell(at, io),
    { text: visibleText(alert), paint: io.ink.bold },
    { text: TYPES[type], paint },
    visibleText(subject),
    visibleText(deliveryText(event)),
  ];
};
