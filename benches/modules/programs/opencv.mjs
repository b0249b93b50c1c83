// blurs an image and finds edges
import { createRequire } from 'node:module';
import { digest } from './digest.mjs';

const { cv, cvTranslateError } = createRequire(import.meta.url)('opencv-wasm');
const image = new cv.Mat(64, 64, cv.CV_8UC1);
image.data.forEach((_, i) => {
  image.data[i] = (i * i) % 251;
});
const edges = new cv.Mat();
cv.GaussianBlur(image, image, new cv.Size(5, 5), 1.5);
cv.Canny(image, edges, 20, 60);
let message = '';
try {
  cv.cvtColor(image, edges, cv.COLOR_BGR2GRAY);
} catch (error) {
  message = String(cvTranslateError(cv, error)).split('\n')[0];
}
console.log('RESULT', digest(edges.data), message.replace(/[^ ]*\//, ''));
