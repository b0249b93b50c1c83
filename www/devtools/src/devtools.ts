import { devtools } from './api.js';

devtools?.panels.create('wasm-xray', 'icon.png', 'panel.html');
