/** Pages without scripts: text is escaped, and the policy allows the style sheet by its hash. */
import { createHash } from 'node:crypto';
import { escapeHtml } from '../../../kit/text/escape-html.ts';
import { pagePolicy } from '../../door/security-headers.ts';

/** The colours of the console, for pages that load nothing. */
const STYLE = `
:root {
  color-scheme: light dark; font: 15px/1.55 system-ui, -apple-system, "Segoe UI", "Noto Sans", sans-serif;
  --ground: light-dark(#f5f4f0, #131618); --surface: light-dark(#fff, #1a1e21); --sunken: light-dark(#efede7, #0e1012);
  --line: light-dark(#dedbd2, #2e3439); --ink: light-dark(#1c1f21, #e7e5df); --muted: light-dark(#5a5f63, #a3aab0);
  --accent: light-dark(#0b5d61, #6fc9c2); --fill: light-dark(#0d5f63, #0f7277); --bad: light-dark(#a3261d, #f2958c);
  color: var(--ink); background: var(--ground);
}
*, ::before, ::after { box-sizing: border-box; }
body { margin: 0; }
.bar { padding: 14px 24px; font-weight: 650; background: var(--surface); border-bottom: 1px solid var(--line); }
main { max-width: 60rem; margin: 0 auto; padding: 28px 24px 64px; overflow-wrap: anywhere; }
h1 { margin: 0 0 12px; font-size: 1.5rem; line-height: 1.25; letter-spacing: -.01em; }
h2 { margin: 32px 0 8px; font-size: 1.1rem; }
h2::first-letter { text-transform: uppercase; }
a { color: var(--accent); text-underline-offset: .15em; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
code, pre { font-family: ui-monospace, "SF Mono", "Noto Sans Mono", monospace; font-size: .9em; }
pre { margin: 8px 0; padding: 14px 16px; white-space: pre-wrap; background: var(--sunken); border: 1px solid var(--line); border-radius: 8px; }
.card { padding: 24px; background: var(--surface); border: 1px solid var(--line); border-radius: 10px; }
.card pre { max-height: 60vh; overflow-y: auto; }
.actions { display: flex; flex-wrap: wrap; gap: 10px; margin-top: 18px; }
button { min-height: 40px; padding: 0 22px; font: inherit; font-weight: 600; color: var(--ink); background: var(--surface); border: 1px solid light-dark(#8b8778, #6b747c); border-radius: 5px; cursor: pointer; }
button.primary { color: #fff; background: var(--fill); border-color: transparent; }
button.danger { color: var(--bad); border-color: var(--bad); }
form { display: contents; }
table { width: 100%; border-collapse: collapse; background: var(--surface); border: 1px solid var(--line); border-radius: 8px; }
td { padding: 9px 14px; text-align: left; vertical-align: top; border-top: 1px solid var(--line); }
td:first-child { width: 40%; }
.verb { display: inline-block; min-width: 4.2em; font-weight: 700; color: var(--accent); }
.muted, summary { color: var(--muted); }
summary { margin-top: 4px; cursor: pointer; }
.contents { display: flex; flex-wrap: wrap; gap: 6px 16px; margin: 12px 0 0; padding: 0; list-style: none; }
@media (max-width: 640px) {
  main { padding: 20px 14px 48px; }
  .card { padding: 16px; }
  td { display: block; border: 0; }
  td:first-child { width: auto; padding-bottom: 0; border-top: 1px solid var(--line); }
}
`;

/** Makes a page. `body` is HTML: the caller escapes the text in it. */
export const htmlPage = (title: string, body: string, status = 200): Response => {
  const hash = createHash('sha256').update(STYLE).digest('base64');
  const page = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title><style>${STYLE}</style></head>
<body><div class="bar">Toolcrib</div>
<main><h1>${escapeHtml(title)}</h1>
${body}
</main></body></html>
`;
  const headers = {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': pagePolicy(hash),
  };
  return new Response(page, { status, headers });
};
