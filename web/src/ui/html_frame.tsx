// Shows a whole HTML document inside the page. It is in a frame with a policy of its own, which runs no script and
// loads nothing, but allows the inline styles that the policy of the page forbids.
import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { isDark, onThemeChange } from './theme';

// An answer in place of frame.html, such as a page about an error, lacks the policy, so nothing is put into it.
const isFrameFile = (document: Document | null): document is Document =>
  document?.documentElement.dataset['frame'] === 'report';

export function HtmlFrame({ title, html }: { title: string; html: string }): JSX.Element {
  const frame = useRef<HTMLIFrameElement>(null);
  const [state, setState] = useState<'loading' | 'ready' | 'missing'>('loading');
  useEffect(() => {
    const inside = frame.current?.contentDocument ?? null;
    if (state !== 'ready' || !isFrameFile(inside)) return;
    fill(inside, html);
    const follow = themeFollower(inside);
    follow();
    return onThemeChange(follow);
  }, [state, html]);
  if (state === 'missing') {
    return (
      <p class="note note-problem" role="alert">
        <strong>The report cannot be shown here.</strong> The file frame.html of this page did not load. The downloads
        have the same content.
      </p>
    );
  }
  return (
    <iframe
      ref={frame}
      class="html-frame"
      src="frame.html"
      sandbox="allow-same-origin"
      title={title}
      onLoad={(event) => setState(isFrameFile(event.currentTarget.contentDocument) ? 'ready' : 'missing')}
    />
  );
}

function fill(inside: Document, html: string): void {
  const view = inside.defaultView as (Window & typeof globalThis) | null;
  if (!view) return;
  // The parser of the frame, since that of the page would apply the policy of the page to the styles.
  const parsed = new view.DOMParser().parseFromString(html, 'text/html');
  for (const link of parsed.querySelectorAll('a, area')) {
    const target = link.getAttribute('href') ?? link.getAttribute('xlink:href') ?? '';
    if (target.startsWith('#')) continue;
    // Another address would replace the document in the frame.
    link.removeAttribute('href');
    link.removeAttribute('xlink:href');
  }
  const root = inside.documentElement;
  root.lang = parsed.documentElement.lang;
  root.dir = parsed.documentElement.dir;
  inside.title = parsed.title;
  for (const style of inside.head.querySelectorAll('style')) style.remove();
  inside.head.append(...[...parsed.head.querySelectorAll('style')].map((style) => inside.importNode(style, true)));
  inside.body.replaceWith(inside.importNode(parsed.body, true));
  view.scrollTo(0, 0);
}

const kDarkScheme = /\(\s*prefers-color-scheme\s*:\s*dark\s*\)/g;

// Gives the document the theme of the page. Browsers differ in whether a frame takes it over, and no style sheet can ask
// for it, so the conditions of the style sheets are replaced by ones that hold always or never.
function themeFollower(inside: Document): () => void {
  const rules: { media: MediaList; condition: string }[] = [];
  for (const sheet of inside.styleSheets) {
    for (const rule of sheet.cssRules) {
      if (!('media' in rule) || !rule.cssText.startsWith('@media')) continue;
      const media = rule.media as MediaList;
      if (media.mediaText.search(kDarkScheme) >= 0) rules.push({ media, condition: media.mediaText });
    }
  }
  return () => {
    const holds = isDark() ? '(min-width: 0px)' : '(max-width: 0px)';
    for (const { media, condition } of rules) media.mediaText = condition.replace(kDarkScheme, holds);
    inside.documentElement.style.colorScheme = isDark() ? 'dark' : 'light';
  };
}
