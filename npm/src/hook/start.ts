/** What `--require` loads. A script by itself: what it runs requires others, which need all of the hook's. */
import { install } from './install.js';

install();
