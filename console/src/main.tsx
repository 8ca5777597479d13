/** Where the console starts: the only file that reaches for the browser's clock, network and address. */
import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';
import { takeCode } from './session/take-code.ts';
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

const root = document.getElementById('root');
if (root) {
  createRoot(root).render(
    <App
      fetch={(input, init) => window.fetch(input, init)}
      now={Date.now}
      wait={wait}
      code={takeCode(window)}
    />,
  );
}
