/** Pages that need no script: text is escaped, the style is known to the browser by its hash. */
import { createHash } from 'node:crypto';
import { pagePolicy } from '../../door/security-headers.ts';

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

export const escapeHtml = (text: string): string =>
  text.replace(/[&<>"']/g, (char) => ENTITIES[char] ?? '');

const STYLE = `
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; border: 1px solid #8886; border-radius: .5rem; padding: 1rem; }
button { font: inherit; padding: .5rem 1.5rem; margin-right: 1rem; border-radius: .5rem; border: 1px solid #888; cursor: pointer; }
form { display: inline; }
table { border-collapse: collapse; width: 100%; }
td, th { text-align: left; vertical-align: top; padding: .25rem .75rem .25rem 0; border-bottom: 1px solid #8884; }
code { font-family: ui-monospace, monospace; }
`;

/** `body` is HTML and must be escaped where it holds text from elsewhere. */
export const htmlPage = (title: string, body: string, status = 200): Response => {
  const hash = createHash('sha256').update(STYLE).digest('base64');
  const page = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title><style>${STYLE}</style></head>
<body><main><h1>${escapeHtml(title)}</h1>
${body}
</main></body></html>
`;
  const headers = {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': pagePolicy(hash),
  };
  return new Response(page, { status, headers });
};
