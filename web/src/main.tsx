import { render } from 'preact';
import { App } from './app';
import './style/base.css';
import './style/controls.css';
import './style/parts.css';
import './style/views.css';
import './style/work.css';
import './style/clusters.css';
import { applyTheme, storedTheme } from './ui/theme';

applyTheme(storedTheme());
const root = document.getElementById('page');
if (root) render(<App />, root);
