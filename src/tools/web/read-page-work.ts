/** The work of `web_scrape`: reads the content of a page. */
import { type PageJob, readPage } from './read-page.ts';

export const prepare = async (job: PageJob) => {
  const { load } = await import('cheerio');
  return () => readPage(load, job);
};
