// A site on this machine: it finds pages, shows them, and takes reports in. It counts what it is asked.
import { createServer } from 'node:http';

const PAGES = {
  bees: 'Bees fly up to five kilometres. They dance to show the way.',
  hives: 'A hive holds fifty thousand bees. In winter it is kept warm.',
  honey: 'Honey keeps for centuries. It is made of nectar.',
  wasps: 'Wasps make no honey.',
};

const bodyOf = async (request) => {
  let text = '';
  for await (const chunk of request) text += chunk;
  return JSON.parse(text);
};

/** Opens the site. `onPage` is called before a page is shown, and may keep it waiting. */
export const openSite = async (onPage = async () => {}) => {
  const asked = [];
  const reports = [];
  const answer = async (request) => {
    const { pathname } = new URL(request.url, 'http://site');
    asked.push(pathname);
    const origin = `http://${request.headers.host}`;
    if (pathname === '/search') {
      return { urls: Object.keys(PAGES).map((name) => `${origin}/pages/${name}`) };
    }
    if (pathname === '/reports') return { id: `report-${reports.push(await bodyOf(request))}` };
    await onPage(pathname);
    return { text: PAGES[pathname.slice('/pages/'.length)] };
  };
  const server = createServer((request, response) => {
    void answer(request).then((body) => response.end(JSON.stringify(body)));
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    asked,
    reports,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
};
