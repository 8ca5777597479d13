/** The whole window: skip link, bar, navigation, and the page that the address names. */
import { Suspense, useCallback, useEffect, useState } from 'react';
import { Button } from '../components/button.tsx';
import { Icon } from '../components/icon.tsx';
import { EmptyState, Skeleton } from '../components/states.tsx';
import { PAGES } from '../pages/page-table.ts';
import { hrefOf, useRoute } from '../router/route.ts';
import { HelpDialog } from './help-dialog.tsx';
import { ConnectionLost, Navigation, WaitingBadge } from './navigation.tsx';
import { PageErrorBoundary } from './page-error-boundary.tsx';
import { PageFrame } from './page-frame.tsx';
import { useShortcuts } from './use-shortcuts.ts';
import { useWaiting } from './use-waiting.ts';

const NoSuchPage = () => (
  <PageFrame title="Not found">
    <EmptyState icon="search" title="There is no such page">
      <a href={hrefOf(['overview'])}>Go to the overview</a>
    </EmptyState>
  </PageFrame>
);

const CurrentPage = ({ id }: { readonly id: string }) => {
  const Page = PAGES.find((entry) => entry.id === id)?.Page ?? NoSuchPage;
  return (
    <PageErrorBoundary key={id}>
      <Suspense fallback={<Skeleton />}>
        <Page />
      </Suspense>
    </PageErrorBoundary>
  );
};

const TopBar = (props: {
  readonly waiting: string;
  readonly isOpen: boolean;
  onToggle(): void;
}) => (
  <header className="top-bar">
    <a className="brand" href={hrefOf(['overview'])}>
      <img src="./icon.svg" alt="" width="22" height="22" />
      Toolcrib
    </a>
    <div className="top-bar-side">
      <ConnectionLost />
      {props.waiting !== '' && (
        <a href={hrefOf(['approvals'])} className="top-bar-waiting">
          <Icon name="approvals" />
          <WaitingBadge waiting={props.waiting} />
        </a>
      )}
      <Button
        kind="quiet"
        icon={props.isOpen ? 'close' : 'menu'}
        onClick={props.onToggle}
        aria-expanded={props.isOpen}
        aria-controls="navigation"
        aria-label="Menu"
      />
    </div>
  </header>
);

/** Focuses the content. Not a link: the address names the open page and must stay as it is. */
const skip = (): void => {
  document.getElementById('content')?.focus();
};

export const Layout = () => {
  const { page: named, rest } = useRoute();
  const page = named === '' ? 'overview' : named;
  const [isMenuOpen, setMenuOpen] = useState(false);
  const [isHelpOpen, setHelpOpen] = useState(false);
  const openHelp = useCallback(() => setHelpOpen(true), []);
  const waiting = useWaiting();
  useShortcuts(openHelp);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another page closes the menu
  useEffect(() => setMenuOpen(false), [page]);
  // A row that opens beside its list leaves the list where it was.
  const place = page === 'tools' ? `tools ${rest[0] ?? ''}` : page;
  // biome-ignore lint/correctness/useExhaustiveDependencies: another place begins at its top
  useEffect(() => {
    // In braces: browsers have begun to answer with a promise.
    window.scrollTo(0, 0);
  }, [place]);
  return (
    <div className={isMenuOpen ? 'layout menu-open' : 'layout'}>
      <button type="button" className="skip" onClick={skip}>
        Skip to the content
      </button>
      <TopBar
        waiting={waiting}
        isOpen={isMenuOpen}
        onToggle={() => setMenuOpen((isOpen) => !isOpen)}
      />
      <Navigation
        current={page}
        waiting={waiting}
        onHelp={openHelp}
        onChoose={() => setMenuOpen(false)}
      />
      <main id="content" tabIndex={-1}>
        <CurrentPage id={page} />
      </main>
      {isHelpOpen && <HelpDialog onClose={() => setHelpOpen(false)} />}
    </div>
  );
};
