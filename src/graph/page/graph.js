// The page's script: it moves the drawing, finds stacks in it and tells of them. The drawing is there
// without it. It asks for nothing from anywhere, and makes elements of texts, never of markup.
'use strict';
(() => {
  const { graph, root, links } = JSON.parse(document.getElementById('graph').textContent);
  // in a webview of VS Code, the editor opens sources
  const editor = typeof acquireVsCodeApi === 'function' ? acquireVsCodeApi() : null;

  const byId = (id) => document.getElementById(id);
  const picture = byId('picture');
  const view = byId('view');
  const panel = byId('panel');
  const search = byId('search');
  const found = byId('found');
  const nodes = [...picture.querySelectorAll('.stack')];
  const reads = [...picture.querySelectorAll('.reads')];
  const shared = [...picture.querySelectorAll('.duplicate')];

  // ---------------------------------------------------------------------------------------------
  // Who has to do with whom

  const numbers = new Map(graph.stacks.map((it, at) => [it.name, at]));
  const about = graph.stacks.map(() => ({ owners: [], readers: [], lines: [], duplicates: [] }));
  graph.dependencies.forEach((it, at) => {
    about[numbers.get(it.reader)].owners.push(at);
    about[numbers.get(it.owner)].readers.push(at);
  });
  graph.duplicate_lines.forEach((it, at) => {
    it.stacks.forEach((name) => about[numbers.get(name)].lines.push(at));
  });
  graph.duplicates.forEach((it, at) => {
    for (const name of new Set(it.claims.map((claim) => claim.stack))) {
      // of stacks that are not shown there is no place to tell it
      if (numbers.has(name)) about[numbers.get(name)].duplicates.push(at);
    }
  });
  const ownerOf = (at) => numbers.get(graph.dependencies[at].owner);
  const readerOf = (at) => numbers.get(graph.dependencies[at].reader);

  // ---------------------------------------------------------------------------------------------
  // Moving

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

  const apply = () => {
    frame = 0;
    view.setAttribute('transform', `translate(${at.x} ${at.y}) scale(${at.scale})`);
    picture.classList.toggle('far', at.scale < 0.55);
    picture.classList.toggle('farther', at.scale < 0.35);
  };
  const move = (next) => {
    at = next;
    frame ||= requestAnimationFrame(apply);
  };
  let journey = 0;
  const travel = (next) => {
    cancelAnimationFrame(journey);
    if (still.matches) return move(next);
    const [from, start] = [at, performance.now()];
    const step = (now) => {
      const done = Math.min(1, (now - start) / 220);
      const eased = 1 - (1 - done) ** 3;
      const between = (key) => from[key] + (next[key] - from[key]) * eased;
      move({ x: between('x'), y: between('y'), scale: between('scale') });
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
    cancelAnimationFrame(journey);
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

  // ---------------------------------------------------------------------------------------------
  // What is near

  let near = [];
  const bring = (elements) => {
    near.forEach((it) => it.classList.remove('near', 'chosen'));
    near = elements || [];
    near.forEach((it) => it.classList.add('near'));
    picture.classList.toggle('dimmed', elements !== null);
  };
  const around = (stack) => {
    const { owners, readers, lines, duplicates } = about[stack];
    const others = duplicates.flatMap((it) => graph.duplicates[it].claims);
    const beside = others.map((it) => numbers.get(it.stack)).filter((it) => it !== undefined);
    const stacks = new Set([stack, ...owners.map(ownerOf), ...readers.map(readerOf), ...beside]);
    return [
      ...[...stacks].map((it) => nodes[it]),
      ...owners.map((it) => reads[it]),
      ...readers.map((it) => reads[it]),
      ...lines.map((it) => shared[it]),
    ];
  };
  const lines = (stack) => {
    const { owners, readers, lines } = about[stack];
    return [...owners, ...readers].map((it) => reads[it]).concat(lines.map((it) => shared[it]));
  };
  nodes.forEach((node, stack) => {
    const hover = (is) => lines(stack).forEach((it) => it.classList.toggle('hover', is));
    node.addEventListener('pointerenter', () => hover(true));
    node.addEventListener('pointerleave', () => hover(false));
  });

  // ---------------------------------------------------------------------------------------------
  // The panel

  const element = (name, attributes, ...children) => {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) {
      if (key === 'onclick') made.addEventListener('click', value);
      else made.setAttribute(key, value);
    }
    made.append(...children);
    return made;
  };
  const counted = (count, one, more) => `${count} ${count === 1 ? one : more || `${one}s`}`;

  const encoded = (path) => path.split('/').map(encodeURIComponent).join('/');
  const isWhole = (path) => /^([/\\]|[A-Za-z]:)/.test(path);
  // A link to a source, as the template says; without one, its text.
  const link = (text, source) => {
    const shown = element('code', {}, text);
    if (!source) return shown;
    const { line, character } = source.range.start;
    const whole = isWhole(source.path) || !root ? source.path : `${root}/${source.path}`;
    const path = encoded(`/${whole.replace(/\\/g, '/').replace(/^\/+/, '')}`);
    const told = {
      path,
      relative: encoded(source.path),
      line: line + 1,
      column: character + 1,
    };
    const href = links.replace(/\{(path|relative|line|column)\}/g, (_, key) => told[key]);
    const open = (event) => {
      if (!editor) return;
      event.preventDefault();
      editor.postMessage({ type: 'open', path: whole, line, character });
    };
    const title = `${source.path}:${line + 1}`;
    const attributes = { href, title, target: '_blank', rel: 'noopener noreferrer', onclick: open };
    return element('a', attributes, shown);
  };
  const other = (name) => {
    const stack = numbers.get(name);
    if (stack === undefined) return element('span', {}, `${name} (not shown)`);
    const go = () => {
      choose(stack);
      byId('chosen').focus();
    };
    return element('button', { type: 'button', class: 'other', onclick: go }, name);
  };
  const identity = (it) => element(
    'div',
    {},
    element('code', {}, it.cloud_identity_id || ''),
    element('span', { class: 'faint' }, ` ${it.type}${it.cloud_identity_realm ? ` in realm ${it.cloud_identity_realm}` : ''}`),
  );
  // Of more things than these, the rest is counted.
  const MOST = 100;
  const list = (items, made) => {
    const rows = items.slice(0, MOST).map((it) => element('li', {}, ...made(it)));
    if (items.length > MOST) {
      rows.push(element('li', { class: 'faint' }, `and ${items.length - MOST} more`));
    }
    return element('ul', {}, ...rows);
  };
  const dependency = (at, name) => {
    const { objects } = graph.dependencies[at];
    return [
      element('div', {}, other(graph.dependencies[at][name]), element('span', { class: 'faint' }, ` ${counted(objects.length, 'object')}`)),
      list(objects, (it) => [
        identity(it),
        element('div', {}, link(it.reader.address, it.reader.source), ' reads ', link(it.owner.address, it.owner.source)),
      ]),
    ];
  };
  const WHEN = {
    'now': '',
    'until-applied': 'until applied: the configuration ends it',
    'after-apply': 'after the next apply: the configuration makes it',
  };
  const ago = (seconds) => {
    const minutes = Math.max(0, Math.floor((Date.now() / 1000 - seconds) / 60));
    if (minutes < 1) return 'less than a minute';
    if (minutes < 60) return counted(minutes, 'minute');
    if (minutes < 2880) return counted(Math.floor(minutes / 60), 'hour');
    return counted(Math.floor(minutes / 1440), 'day');
  };
  const facts = (it) => {
    const told = [element('p', {}, `${counted(it.claims, 'claim')} in ${counted(it.rows, 'row')}`)];
    if (!it.state) told.push(element('p', { class: 'faint' }, 'No state was read.'));
    else if (it.state.modified !== null) {
      const written = new Date(it.state.modified * 1000).toLocaleString();
      told.push(element('p', { class: 'faint', title: written }, `State written ${ago(it.state.modified)} ago`));
    }
    for (const { path, problem } of it.unreadable) {
      told.push(element('p', { class: 'warning' }, `${path}: ${problem}`));
    }
    if (it.source) told.push(element('p', {}, link(it.source.path, it.source)));
    if (it.cycle !== null) {
      const circle = graph.cycles[it.cycle].flatMap((name, at) => [at ? ', ' : '', other(name)]);
      told.push(element('p', { class: 'warning' }, 'On a cycle, which has no order: ', ...circle));
    }
    return told;
  };
  const told = (stack) => {
    const it = graph.stacks[stack];
    const { owners, readers, duplicates } = about[stack];
    const close = { type: 'button', class: 'close', 'aria-label': 'Close', title: 'Close (Esc)' };
    const parts = [
      element('button', { ...close, onclick: () => leave() }, '×'),
      element('h2', { id: 'chosen', tabindex: '-1' }, it.name),
      ...facts(it),
    ];
    const section = (title, items) => {
      if (items.length) parts.push(element('h3', {}, title), ...items);
    };
    section(
      `Reads from ${counted(owners.length, 'stack')}`,
      owners.flatMap((at) => dependency(at, 'owner')),
    );
    section(
      `Read by ${counted(readers.length, 'stack')}`,
      readers.flatMap((at) => dependency(at, 'reader')),
    );
    section(
      `Manages ${counted(duplicates.length, 'object')} that others manage`,
      duplicates.length ? [list(duplicates.map((at) => graph.duplicates[at]), (group) => [
        identity(group),
        ...(WHEN[group.when] ? [element('div', { class: 'shared' }, WHEN[group.when])] : []),
        list(group.claims, (claim) => [other(claim.stack), ' ', link(claim.address, claim.source)]),
      ])] : [],
    );
    return parts;
  };

  // ---------------------------------------------------------------------------------------------
  // Choosing

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

  // ---------------------------------------------------------------------------------------------
  // Finding

  let index = null;
  // What can be found, each with the stack that it leads to; built when it is first asked for.
  const entries = () => {
    const seen = new Set();
    const all = [];
    const add = (text, kind, name) => {
      const stack = numbers.get(name);
      const key = `${kind}\n${text}\n${stack}`;
      if (!text || stack === undefined || seen.has(key)) return;
      seen.add(key);
      all.push({ text, lower: text.toLowerCase(), kind, stack });
    };
    graph.stacks.forEach((it) => add(it.name, 'stack', it.name));
    graph.dependencies.forEach((it) => it.objects.forEach((object) => {
      add(object.owner.address, 'address', it.owner);
      add(object.reader.address, 'address', it.reader);
      add(object.cloud_identity_id, 'owns', it.owner);
      add(object.cloud_identity_id, 'reads', it.reader);
      add(object.cloud_identity_realm, 'realm', it.owner);
      add(object.cloud_identity_realm, 'realm', it.reader);
    }));
    graph.duplicates.forEach((it) => it.claims.forEach((claim) => {
      add(claim.address, 'address', claim.stack);
      add(it.cloud_identity_id, 'owns', claim.stack);
      add(it.cloud_identity_realm, 'realm', claim.stack);
    }));
    return all;
  };
  const SHOWN = 30;
  let options = [];
  let active = -1;
  const mark = (next) => {
    active = next;
    [...found.children].forEach((it, at) => {
      it.setAttribute('aria-selected', String(at === active));
      if (at === active) it.scrollIntoView({ block: 'nearest' });
    });
    if (active >= 0) search.setAttribute('aria-activedescendant', `found-${active}`);
    else search.removeAttribute('aria-activedescendant');
  };
  const shut = () => {
    found.hidden = true;
    search.setAttribute('aria-expanded', 'false');
    mark(-1);
  };
  const take = (at) => {
    const option = options[at];
    if (!option) return;
    shut();
    choose(option.stack);
    show(option.stack, true);
    nodes[option.stack].focus({ preventScroll: true });
  };
  const find = () => {
    const wanted = search.value.trim().toLowerCase();
    index ||= entries();
    const all = wanted ? index.filter((it) => it.lower.includes(wanted)) : [];
    const rank = (it) => (it.lower === wanted ? 0 : it.lower.startsWith(wanted) ? 1 : 2);
    all.sort((a, b) => rank(a) - rank(b));
    options = all.slice(0, SHOWN);
    found.replaceChildren(...options.map((it, at) => element(
      'li',
      { role: 'option', id: `found-${at}`, 'aria-selected': 'false', onclick: () => take(at) },
      it.text,
      element('small', {}, it.kind === 'stack' ? 'stack' : `${it.kind === 'address' ? 'in' : it.kind === 'realm' ? 'realm of' : `${it.kind}:`} ${graph.stacks[it.stack].name}`),
    )));
    found.hidden = !options.length;
    search.setAttribute('aria-expanded', String(!!options.length));
    mark(options.length ? 0 : -1);
    const stacks = new Set(all.map((it) => it.stack));
    if (wanted) bring([...stacks].map((it) => nodes[it]));
    else if (chosen !== null) choose(chosen);
    else bring(null);
    byId('status').textContent = wanted ? `${counted(stacks.size, 'stack')} found` : '';
  };
  search.addEventListener('input', find);
  search.addEventListener('focus', () => { if (search.value.trim()) find(); });
  search.addEventListener('blur', shut);
  // a click on what was found leaves the focus where it is
  found.addEventListener('mousedown', (event) => event.preventDefault());
  search.addEventListener('keydown', (event) => {
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault();
      const step = event.key === 'ArrowDown' ? 1 : options.length - 1;
      if (options.length) mark((active + step) % options.length);
    } else if (event.key === 'Enter') {
      event.preventDefault();
      take(active);
    } else if (event.key === 'Escape') {
      event.stopPropagation();
      search.value = '';
      find();
      shut();
      search.blur();
    }
  });

  // ---------------------------------------------------------------------------------------------
  // Keys and buttons

  byId('in').addEventListener('click', () => zoom(1.4));
  byId('out').addEventListener('click', () => zoom(1 / 1.4));
  byId('fit').addEventListener('click', () => travel(fitting()));
  document.addEventListener('keydown', (event) => {
    if (event.target === search || event.altKey || event.ctrlKey || event.metaKey) return;
    const act = {
      '/': () => search.focus(),
      'Escape': leave,
      '+': () => zoom(1.4),
      '=': () => zoom(1.4),
      '-': () => zoom(1 / 1.4),
      '0': () => travel(fitting()),
    }[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  });

  picture.classList.toggle('many', reads.length > 150);
  stand(0);
  move(fitting());
  addEventListener('resize', () => { if (chosen === null) move(fitting()); });
})();
