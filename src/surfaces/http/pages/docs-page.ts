/** The reference of the API as a page without scripts, made from the OpenAPI document. */
import { escapeHtml } from '../../../kit/text/escape-html.ts';
import { htmlPage } from './html-page.ts';

interface Operation {
  readonly summary?: string;
  readonly description?: string;
  readonly tags?: readonly string[];
  readonly parameters?: readonly {
    readonly name: string;
    readonly in: string;
    readonly schema?: unknown;
  }[];
  readonly requestBody?: unknown;
}

interface Listed extends Operation {
  readonly method: string;
  readonly path: string;
}

const operationsOf = (document: object): readonly Listed[] => {
  const { paths = {} } = document as {
    readonly paths?: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  };
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ ...operation, method, path })),
  );
};

const schemaBlock = (title: string, schema: unknown): string =>
  schema === undefined
    ? ''
    : `<details><summary>${title}</summary><pre>${escapeHtml(JSON.stringify(schema, null, 2))}</pre></details>`;

const row = ({ method, path, summary, description, parameters, requestBody }: Listed): string => {
  const names = (parameters ?? []).map(({ name }) => `<code>${escapeHtml(name)}</code>`).join(', ');
  return `<tr><td><code><span class="verb">${method.toUpperCase()}</span> ${escapeHtml(path)}</code></td>
<td>${escapeHtml(summary ?? '')}. ${escapeHtml(description ?? '')}${names && `<br><span class="muted">Takes ${names}.</span>`}
${schemaBlock('Body', requestBody)}</td></tr>`;
};

export const docsPage = (document: object): Response => {
  const operations = operationsOf(document);
  const tags = [...new Set(operations.map(({ tags: [tag = ''] = [] }) => tag))];
  const sections = tags.map((tag) => {
    const rows = operations.filter(({ tags: [first = ''] = [] }) => first === tag).map(row);
    return `<h2 id="${escapeHtml(tag)}">${escapeHtml(tag)}</h2>\n<table>${rows.join('\n')}</table>`;
  });
  const intro =
    '<p>JSON everywhere. Send <code>Authorization: Bearer tc_…</code>. The document behind this page: <a href="/openapi.json">openapi.json</a>.</p>';
  const links = tags.map((tag) => `<li><a href="#${escapeHtml(tag)}">${escapeHtml(tag)}</a></li>`);
  const contents = `<ul class="contents">${links.join('')}</ul>`;
  return htmlPage('Toolcrib HTTP API', `${intro}\n${contents}\n${sections.join('\n')}`);
};
