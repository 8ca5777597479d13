// Searches, reads three pages at once, summarizes them, asks a person, and sends the report.
import { defineFlow } from 'toolcrib';
import { z } from 'zod';

const PAGES = 3;

/** The flow of research.yml as code. Between two steps the code has to be deterministic. */
export const createResearch = ({ searchSite, readPage, summarize, sendReport }) =>
  defineFlow({
    name: 'research',
    version: '1.0.0',
    description: 'Reports on a topic, after a person has read the report.',
    input: z.strictObject({ topic: z.string(), to: z.string() }),
    run: async (flow, { topic, to }) => {
      const { urls } = await flow.call(searchSite, { query: topic });
      const pages = await flow.all(
        urls.slice(0, PAGES).map((url) => () => flow.call(readPage, { url })),
        { maxConcurrency: PAGES },
      );
      const { report } = await flow.call(summarize, { texts: pages.map(({ text }) => text) });
      const { approved, note } = await flow.waitForApproval('Send this report?', { to, report });
      if (!approved) return { sent: null, report, note };
      const { id } = await flow.call(sendReport, { to, report });
      return { sent: id, report };
    },
  });
