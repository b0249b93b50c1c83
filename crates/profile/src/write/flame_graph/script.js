{
  const margin = 10,
    character = 7.2;
  const byId = (id) => document.getElementById(id);
  const full = byId('frames').ownerSVGElement.viewBox.baseVal.width - 2 * margin;
  const frames = [...document.querySelectorAll('#frames > g')].map((group) => {
    const rect = group.querySelector('rect');
    const title = group.querySelector('title').textContent;
    const number = (name) => Number(rect.getAttribute(name));
    return {
      group,
      rect,
      title,
      text: group.querySelector('text'),
      name: title.slice(0, title.lastIndexOf(' (')),
      x: number('x') - margin,
      y: number('y'),
      width: number('width'),
    };
  });

  const place = (frame, x, width) => {
    frame.rect.setAttribute('x', x + margin);
    frame.rect.setAttribute('width', width);
    const room = Math.floor((width - 6) / character);
    if (room < 3) {
      frame.text?.setAttribute('visibility', 'hidden');
      return;
    }
    if (!frame.text) {
      frame.text = document.createElementNS('http://www.w3.org/2000/svg', 'text');
      frame.text.setAttribute('y', frame.y + 12);
      frame.group.append(frame.text);
    }
    const characters = [...frame.name];
    frame.text.textContent =
      characters.length > room ? `${characters.slice(0, room - 2).join('')}..` : frame.name;
    frame.text.setAttribute('x', x + margin + 3);
    frame.text.setAttribute('visibility', 'inherit');
  };

  const zoom = (target) => {
    const slack = 0.02,
      factor = full / target.width,
      end = target.x + target.width;
    for (const frame of frames) {
      const frameEnd = frame.x + frame.width;
      const above = frame.y < target.y && frame.x <= target.x + slack && frameEnd >= end - slack;
      const inside = frame.y >= target.y && frame.x >= target.x - slack && frameEnd <= end + slack;
      frame.group.setAttribute('display', above || inside ? 'inline' : 'none');
      frame.group.classList.toggle('above', above);
      if (above) place(frame, 0, full);
      else if (inside) place(frame, (frame.x - target.x) * factor, frame.width * factor);
    }
    byId('reset').setAttribute('visibility', target === frames[0] ? 'hidden' : 'visible');
  };

  const search = () => {
    const wanted = prompt('Search for a regular expression:', '');
    if (wanted === null) return;
    let pattern;
    try {
      pattern = wanted && new RegExp(wanted);
    } catch (error) {
      byId('matched').textContent = error.message;
      return;
    }
    // Frames come after their callers: one inside a counted frame is not counted again.
    let sum = 0;
    const counted = [];
    for (const frame of frames) {
      const found = pattern !== '' && frame !== frames[0] && pattern.test(frame.name);
      frame.group.classList.toggle('found', found);
      if (!found) continue;
      const inside = (other) =>
        frame.x >= other.x - 0.01 && frame.x + frame.width <= other.x + other.width + 0.01;
      if (!counted.some(inside)) {
        counted.push(frame);
        sum += frame.width;
      }
    }
    byId('matched').textContent =
      pattern === '' ? ' ' : `Matched: ${((sum / full) * 100).toFixed(2)}%`;
  };

  for (const frame of frames) {
    frame.group.addEventListener('click', () => zoom(frame));
    frame.group.addEventListener('mouseenter', () => {
      byId('details').textContent = frame.title;
    });
    frame.group.addEventListener('mouseleave', () => {
      byId('details').textContent = ' ';
    });
  }
  byId('reset').addEventListener('click', () => zoom(frames[0]));
  byId('search').addEventListener('click', search);
  addEventListener('keydown', (event) => {
    if ((event.ctrlKey || event.metaKey) && event.key === 'f') {
      event.preventDefault();
      search();
    }
  });
}
