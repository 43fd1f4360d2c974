// Stores the theme: light, dark, or that of the system.

export type Theme = 'system' | 'light' | 'dark';
const kName = 'benzer-theme';

export function storedTheme(): Theme {
  const stored = localStorage.getItem(kName);
  return stored === 'light' || stored === 'dark' ? stored : 'system';
}

export function applyTheme(theme: Theme): void {
  if (theme === 'system') {
    localStorage.removeItem(kName);
    delete document.documentElement.dataset['theme'];
  } else {
    localStorage.setItem(kName, theme);
    document.documentElement.dataset['theme'] = theme;
  }
  window.dispatchEvent(new Event('benzer-theme'));
}

export const isDark = (): boolean => {
  const theme = storedTheme();
  return theme === 'dark' || (theme === 'system' && matchMedia('(prefers-color-scheme: dark)').matches);
};

export function onThemeChange(listener: () => void): () => void {
  const system = matchMedia('(prefers-color-scheme: dark)');
  window.addEventListener('benzer-theme', listener);
  system.addEventListener('change', listener);
  return () => {
    window.removeEventListener('benzer-theme', listener);
    system.removeEventListener('change', listener);
  };
}

// Resolves a CSS variable to a colour, since a canvas takes no variables.
export function colour(variable: string): string {
  const probe = document.createElement('span');
  probe.style.color = `var(${variable})`;
  document.body.append(probe);
  const resolved = getComputedStyle(probe).color;
  probe.remove();
  return resolved;
}
