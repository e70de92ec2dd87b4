// Moving the drawing: by the mouse, by a finger, and to where something is.

const size = { x: Number(picture.dataset.width), y: Number(picture.dataset.height) };
const places = nodes.map((it) => {
  const place = it.transform.baseVal[0].matrix;
  return { x: place.e, y: place.f };
});
const box = nodes.length ? nodes[0].querySelector('rect') : null;
const width = box ? box.width.baseVal.value : 0;
const height = box ? box.height.baseVal.value : 0;
const still = matchMedia('(prefers-reduced-motion: reduce)');
let at = { x: 0, y: 0, scale: 1 };
let frame = 0;
let journey = 0;
// whether everything is in sight because that was asked for last
let fits = true;

const apply = () => {
  frame = 0;
  view.setAttribute('transform', `translate(${at.x} ${at.y}) scale(${at.scale})`);
  picture.classList.toggle('far', at.scale < 0.55);
  picture.classList.toggle('farther', at.scale < 0.35);
};
const moved = (next) => {
  at = next;
  frame ||= requestAnimationFrame(apply);
};
const move = (next) => {
  cancelAnimationFrame(journey);
  fits = false;
  moved(next);
};
const travel = (next) => {
  move(at);
  if (still.matches) return moved(next);
  const [from, start] = [at, performance.now()];
  const step = (now) => {
    const done = Math.min(1, (now - start) / 220);
    const eased = 1 - (1 - done) ** 3;
    const between = (key) => from[key] + (next[key] - from[key]) * eased;
    moved({ x: between('x'), y: between('y'), scale: between('scale') });
    if (done < 1) journey = requestAnimationFrame(step);
  };
  journey = requestAnimationFrame(step);
};
const space = () => ({ x: picture.clientWidth || 1, y: picture.clientHeight || 1 });
const fitting = () => {
  const { x, y } = space();
  const scale = Math.min((x - 16) / size.x, (y - 16) / size.y, 1.25);
  return { scale, x: (x - size.x * scale) / 2, y: (y - size.y * scale) / 2 };
};
const fit = (go) => {
  go(fitting());
  fits = true;
};
const smallest = () => Math.min(fitting().scale, 0.2) / 2;
const zoomed = (factor, point) => {
  const scale = Math.max(smallest(), Math.min(4, at.scale * factor));
  const ratio = scale / at.scale;
  return { scale, x: point.x - (point.x - at.x) * ratio, y: point.y - (point.y - at.y) * ratio };
};
const zoom = (factor) => {
  const { x, y } = space();
  travel(zoomed(factor, { x: x / 2, y: y / 2 }));
};
const centre = (stack, scale) => {
  const { x, y } = space();
  const { x: left, y: top } = places[stack];
  travel({
    scale,
    x: x / 2 - (left + width / 2) * scale,
    y: y / 2 - (top + height / 2) * scale,
  });
};
// Moves a stack into sight, if it is not: near enough to be read when it has been looked for.
const show = (stack, readable) => {
  const { x, y } = space();
  const left = at.x + places[stack].x * at.scale;
  const top = at.y + places[stack].y * at.scale;
  const sees = left > 0 && top > 0 && left + width * at.scale < x && top + height * at.scale < y;
  const scale = readable ? Math.max(at.scale, 0.8) : at.scale;
  if (!sees || scale !== at.scale) centre(stack, scale);
};

picture.addEventListener('wheel', (event) => {
  event.preventDefault();
  const unit = event.deltaMode === 1 ? 16 : 1;
  const place = picture.getBoundingClientRect();
  move(zoomed(Math.exp(-event.deltaY * unit * 0.0016), {
    x: event.clientX - place.left,
    y: event.clientY - place.top,
  }));
}, { passive: false });

let drag = null;
picture.addEventListener('pointerdown', (event) => {
  if (event.button !== 0) return;
  cancelAnimationFrame(journey);
  drag = { x: event.clientX, y: event.clientY, from: at, moved: false };
});
picture.addEventListener('pointermove', (event) => {
  if (!drag) return;
  const [x, y] = [event.clientX - drag.x, event.clientY - drag.y];
  if (!drag.moved && Math.hypot(x, y) < 4) return;
  if (!drag.moved) {
    drag.moved = true;
    picture.setPointerCapture(event.pointerId);
    picture.classList.add('moving');
  }
  move({ ...at, x: drag.from.x + x, y: drag.from.y + y });
});
const dropped = () => {
  picture.classList.remove('moving');
  // the click that ends a drag is none
  if (drag && drag.moved) setTimeout(() => { drag = null; });
  else drag = null;
};
picture.addEventListener('pointerup', dropped);
picture.addEventListener('pointercancel', dropped);
