// Mouse, pen and touch on a flame graph.

import type { FlameView } from './flame-view.js';

/** A press that moves less is a click, in px. */
const CLICK_PX = 4;
/** Two clicks within this time zoom in, in ms. */
const DOUBLE_MS = 350;
/** How much a turn of the wheel by a px zooms. */
const WHEEL_ZOOM = 0.0025;

interface Press {
  x: number;
  y: number;
  moved: boolean;
}

export function listenToPointer(view: FlameView): void {
  const { canvas } = view;
  const presses = new Map<number, Press>();
  let lastClick = { at: Number.NEGATIVE_INFINITY, frame: -1 };

  const place = (event: MouseEvent) => {
    const box = canvas.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  };

  canvas.addEventListener('pointerdown', (event) => {
    if (event.button !== 0) return;
    canvas.setPointerCapture(event.pointerId);
    presses.set(event.pointerId, { ...place(event), moved: false });
  });

  canvas.addEventListener('pointermove', (event) => {
    const { x, y } = place(event);
    const press = presses.get(event.pointerId);
    if (!press) {
      if (event.pointerType === 'mouse') view.hover(view.frameAt(x, y), x, y);
      return;
    }
    const [dx, dy] = [x - press.x, y - press.y];
    if (!press.moved && Math.hypot(dx, dy) < CLICK_PX) return;
    press.moved = true;
    view.hover(undefined);
    const other = [...presses].find(([id]) => id !== event.pointerId)?.[1];
    if (other) {
      const before = Math.abs(press.x - other.x);
      const after = Math.abs(x - other.x);
      const middle = (x + other.x) / 2 / view.size.width;
      if (before > 8 && after > 8) view.camera.zoom(after / before, middle, event.timeStamp, false);
    }
    const share = other ? 0.5 : 1;
    view.camera.pan((-dx * share) / view.size.width, -dy * share, event.timeStamp, false);
    Object.assign(press, { x, y });
    view.redraw();
  });

  const release = (event: PointerEvent) => {
    const press = presses.get(event.pointerId);
    presses.delete(event.pointerId);
    if (!press || press.moved || event.type !== 'pointerup') return;
    const { x, y } = place(event);
    const frame = view.frameAt(x, y);
    if (frame === undefined) return;
    const isDouble = event.timeStamp - lastClick.at < DOUBLE_MS && lastClick.frame === frame;
    lastClick = { at: event.timeStamp, frame };
    view.select(frame, false);
    if (isDouble) view.onzoom(frame);
  };
  canvas.addEventListener('pointerup', release);
  canvas.addEventListener('pointercancel', release);
  canvas.addEventListener('pointerleave', () => view.hover(undefined));

  canvas.addEventListener(
    'wheel',
    (event) => {
      const { camera, size } = view;
      const { x } = place(event);
      // Lines or pages, as some mice send them, in px.
      const unit = event.deltaMode === 0 ? 1 : event.deltaMode === 1 ? 16 : size.height;
      const [dx, dy] = [event.deltaX * unit, event.deltaY * unit];
      const before = camera.target;
      if (event.ctrlKey || event.metaKey) {
        camera.zoom(Math.exp(-dy * WHEEL_ZOOM * 2), x / size.width, event.timeStamp, false);
      } else if (event.shiftKey) {
        camera.pan((dx + dy) / size.width, 0, event.timeStamp, false);
      } else {
        camera.pan(dx / size.width, dy, event.timeStamp, false);
      }
      const { target } = camera;
      const moved =
        before.start !== target.start || before.width !== target.width || before.top !== target.top;
      // At the end of the graph the page may scroll on, but never zoom.
      if (moved || event.ctrlKey || event.metaKey) event.preventDefault();
      // What is pointed at is another frame each time: the tip would only flicker.
      view.hover(undefined);
      view.redraw();
    },
    { passive: false },
  );
}
