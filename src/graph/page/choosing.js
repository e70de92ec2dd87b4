// Choosing a stack: by a click, or by keys that go from one to the next.

let chosen = null;
let current = 0;
const stand = (stack) => {
  if (!nodes.length) return;
  nodes[current].setAttribute('tabindex', '-1');
  current = stack;
  nodes[current].setAttribute('tabindex', '0');
};
const choose = (stack) => {
  chosen = stack;
  stand(stack);
  bring(around(stack));
  nodes[stack].classList.add('chosen');
  panel.replaceChildren(...told(stack));
  panel.hidden = false;
  panel.scrollTop = 0;
  show(stack, false);
  byId('status').textContent = nodes[stack].getAttribute('aria-label');
};
const leave = () => {
  if (chosen === null) return;
  const stack = chosen;
  chosen = null;
  panel.hidden = true;
  bring(null);
  nodes[stack].focus({ preventScroll: true });
};

nodes.forEach((node, stack) => {
  const { owners, readers, duplicates } = about[stack];
  const it = graph.stacks[stack];
  const label = [
    it.name,
    counted(it.claims, 'claim'),
    `reads from ${counted(owners.length, 'stack')}`,
    `read by ${counted(readers.length, 'stack')}`,
  ];
  if (duplicates.length) label.push(`manages ${counted(duplicates.length, 'object')} that others manage`);
  if (it.cycle !== null) label.push('on a cycle');
  if (it.unreadable.length) label.push('a state could not be read');
  node.setAttribute('role', 'button');
  node.setAttribute('tabindex', '-1');
  node.setAttribute('aria-label', label.join(', '));
  node.addEventListener('focus', () => {
    stand(stack);
    if (node.matches(':focus-visible')) show(stack, false);
  });
});
picture.addEventListener('click', (event) => {
  if (drag && drag.moved) return;
  const node = event.target.closest('.stack');
  if (!node) return leave();
  choose(Number(node.dataset.at));
  node.focus({ preventScroll: true });
});

// Along a line where there is one, else to the nearest in that direction.
const neighbour = (stack, key) => {
  const from = places[stack];
  const distance = (it) => Math.abs(places[it].y - from.y) + Math.abs(places[it].x - from.x) / 4;
  const nearest = (stacks) => stacks.reduce(
    (best, it) => (best === null || distance(it) < distance(best) ? it : best),
    null,
  );
  const { owners, readers } = about[stack];
  if (key === 'ArrowLeft' && owners.length) return nearest(owners.map(ownerOf));
  if (key === 'ArrowRight' && readers.length) return nearest(readers.map(readerOf));
  const ahead = {
    ArrowLeft: (x) => -x,
    ArrowRight: (x) => x,
    ArrowUp: (_, y) => -y,
    ArrowDown: (_, y) => y,
  }[key];
  const isUpright = key === 'ArrowUp' || key === 'ArrowDown';
  let best = null;
  let least = Infinity;
  places.forEach((it, other) => {
    const [x, y] = [it.x - from.x, it.y - from.y];
    const along = ahead(x, y);
    const cost = along + 3 * Math.abs(isUpright ? x : y);
    if (other !== stack && along > 0.5 && cost < least) [best, least] = [other, cost];
  });
  return best;
};
picture.addEventListener('keydown', (event) => {
  const node = event.target.closest('.stack');
  if (!node || event.altKey || event.ctrlKey || event.metaKey) return;
  const stack = Number(node.dataset.at);
  if (event.key === 'Enter' || event.key === ' ') {
    choose(stack);
    byId('chosen').focus();
  } else if (event.key.startsWith('Arrow')) {
    const next = neighbour(stack, event.key);
    if (next !== null) nodes[next].focus({ preventScroll: true });
  } else return;
  event.preventDefault();
});
