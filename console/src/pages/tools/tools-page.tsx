/** The catalog, or one tool of it. */
import { useRoute } from '../../router/route.ts';
import { ToolCatalog } from './tool-catalog.tsx';
import { ToolView } from './tool-view.tsx';

export const ToolsPage = () => {
  const { rest, query } = useRoute();
  const [name] = rest;
  return name === undefined ? (
    <ToolCatalog />
  ) : (
    <ToolView key={name} name={name} tab={query.tab ?? 'try'} />
  );
};
