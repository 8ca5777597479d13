/** Writes one fault of a flow for people: how bad it is, where it is, and what it is. */
import type { FlowFault } from '../../../contract/flow-data.ts';
import { visibleText } from '../../../kit/text/visible-text.ts';
import type { Io } from '../../io.ts';

/** Says where a fault is, and what it is. */
export const faultText = ({ file, line, column, path, message }: FlowFault): string => {
  const position = line === undefined ? undefined : `${line}:${column ?? 1}`;
  const at = [file, position].filter((part) => part !== undefined).join(':');
  const place = path.length === 0 ? '' : `${path.join('.')}: `;
  return visibleText(`${at === '' ? '' : `${at}  `}${place}${message}`);
};

export const faultLine = (io: Io, fault: FlowFault): string => {
  const mark = fault.severity === 'error' ? io.ink.red('✗') : io.ink.yellow('!');
  return `${mark} ${faultText(fault)}`;
};
