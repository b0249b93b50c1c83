// draws a graph of 60 nodes as SVG
import { instance } from '@viz-js/viz';
import { digest } from './digest.mjs';

const viz = await instance();
const edges = Array.from({ length: 60 }, (_, i) => `n${i} -> n${(i * 7) % 60}`).join('; ');
console.log('RESULT', digest(viz.renderString(`digraph { ${edges} }`, { format: 'svg' })));
