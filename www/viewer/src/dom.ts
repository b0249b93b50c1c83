// Elements without innerHTML: every text is a text node, whatever a name holds.

type Child = Node | string | undefined | false;

/** Properties of an element: `class`, `on…` listeners, `data-…`, `aria-…`, or DOM properties. */
type Properties = Record<string, unknown>;

/** Makes an element. Strings become text, never markup. */
export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  properties: Properties = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (value === undefined || value === false) continue;
    if (name.startsWith('on') && typeof value === 'function') {
      element.addEventListener(name.slice(2), value as EventListener);
    } else if (name in element && !name.startsWith('aria')) {
      Object.assign(element, { [name]: value });
    } else {
      element.setAttribute(name === 'class' ? 'class' : name, value === true ? '' : String(value));
    }
  }
  element.append(...children.filter((child) => child !== undefined && child !== false));
  return element;
}

/** Replaces what an element holds. */
export function fill(element: Element, ...children: Child[]): void {
  element.replaceChildren(...children.filter((child) => child !== undefined && child !== false));
}

/** Message of anything that was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Resolves when what was changed last has been painted. */
export function painted(): Promise<void> {
  // A hidden page gets no frames: a timer goes on there.
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      setTimeout(resolve, 0);
    };
    const timer = setTimeout(done, 200);
    requestAnimationFrame(done);
  });
}
