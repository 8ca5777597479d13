/** What a question is called. One that a flow asks is called by its words, not by the tool that carries it. */
import type { ApprovalRecord } from '../../api/call-records.ts';
import { hrefOf } from '../../router/route.ts';

type Asked = Pick<ApprovalRecord, 'tool' | 'summary' | 'request'>;

interface QuestionText {
  readonly title: string;
  /** What it is about, on one line; empty when the title says all. */
  readonly note: string;
  /** The page of what asks. */
  readonly href: string;
}

const textIn = ({ request }: Asked, name: string): string => {
  const { [name]: value } = Object(request.input) as Readonly<Record<string, unknown>>;
  return typeof value === 'string' ? value : '';
};

export const questionText = (record: Asked): QuestionText => {
  const { tool, summary = '' } = record;
  const flow = textIn(record, 'flow');
  if (tool === 'toolcrib:confirm') {
    const run = textIn(record, 'runId');
    return {
      title: textIn(record, 'question'),
      note: [`flow ${flow}`, textIn(record, 'input')].filter((part) => part !== '').join(' · '),
      href: hrefOf(['flows', 'run', run]),
    };
  }
  if (tool === 'toolcrib:plan') {
    return { title: `All calls of ${flow}`, note: summary, href: hrefOf(['flows', 'start', flow]) };
  }
  return { title: tool, note: summary, href: hrefOf(['tools', tool]) };
};
