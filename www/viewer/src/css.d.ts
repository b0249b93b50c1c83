// Vite puts style sheets that are imported into viewer.css.
declare module '*.css';
