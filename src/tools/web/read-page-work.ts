/** The work of `web_scrape`: reads what a page says. */
import { type PageJob, readPage } from './read-page.ts';

export const prepare = async (job: PageJob) => {
  const { load } = await import('cheerio');
  return () => readPage(load, job);
};
