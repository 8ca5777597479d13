/** Starts the console: hands it the browser's `fetch`, clock, timers, sign-in links and other tabs. */
import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';
import { isSignInLink, takeCode } from './session/take-code.ts';
import type { OtherTabs } from './session/use-session.ts';
import './styles/tokens.css';
import './styles/base.css';
import './styles/layout.css';
import './styles/components.css';
import './styles/pages.css';

const wait = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });

/** Listens for sign-in links: one opened in a tab of the console changes only the hash of the address. */
const onSignInLink = (listener: () => void): (() => void) => {
  const look = (): void => {
    if (isSignInLink(window.location.hash)) listener();
  };
  window.addEventListener('hashchange', look);
  return () => window.removeEventListener('hashchange', look);
};

/** Connects the tabs: a message of a channel reaches all tabs but the one that sent it. */
const tabsOf = (channel: BroadcastChannel): OtherTabs => ({
  tell: () => channel.postMessage('session'),
  onTold: (listener) => {
    channel.addEventListener('message', listener);
    return () => channel.removeEventListener('message', listener);
  },
});

const tabsHere = tabsOf(new BroadcastChannel('toolcrib-session'));
const fetchHere: typeof fetch = (input, init) => window.fetch(input, init);
const takeCodeHere = () => takeCode(window);

const root = document.getElementById('root');
if (root) {
  createRoot(root).render(
    <App
      fetch={fetchHere}
      now={Date.now}
      wait={wait}
      takeCode={takeCodeHere}
      onAddress={onSignInLink}
      tabs={tabsHere}
    />,
  );
}
